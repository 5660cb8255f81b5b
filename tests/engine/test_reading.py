"""An encoder and its tokenizer: what does not belong together is refused."""

import pytest
import torch

from regard import RegardError
from regard.checkpoints import Checkpoint
from regard.engine.reading import Reader, load_encoder
from regard.models import Encoder, EncoderConfig
from regard.text import Tokenizer

SIZES = dict(d_model=15, num_layers=1, num_heads=3, d_ff=22, max_positions=19)


@pytest.fixture(scope="module")
def folder(encoder_folder):
    return encoder_folder("Bert", "Model")


@pytest.fixture(scope="module")
def reader(folder):
    return Reader(*load_encoder(Checkpoint(folder), name="it"), name="it")


def test_another_kind_of_model_is_refused_before_its_weights_are_read(tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "gpt2"}')
    with pytest.raises(RegardError, match=r"it must be an encoder .*; it is a gpt2 model"):
        load_encoder(Checkpoint(tmp_path), name="it")


def test_a_module_that_is_no_encoder_is_refused(reader):
    with pytest.raises(RegardError, match=r"it must be an encoder .*; it is a Linear"):
        Reader(torch.nn.Linear(3, 3), reader.tokenizer, name="it")


def test_another_head_is_refused_by_the_name_of_the_class(reader):
    wanted = r"'classification' \(…ForSequenceClassification\); its head is 'pooler'"
    with pytest.raises(RegardError, match=wanted):
        Reader(reader.handle.model, reader.tokenizer, head="classification", name="it")


def test_a_text_with_a_token_that_has_no_vector_is_refused(reader):
    smaller = Reader(Encoder(EncoderConfig(vocab_size=11, **SIZES)), reader.tokenizer, name="it")
    with pytest.raises(RegardError, match=r"the model has vectors for 11 tokens only"):
        smaller.tokens("the red house")


def test_the_shorter_of_positions_and_model_max_length_is_read(reader, folder):
    assert reader.max_length == 67
    tokenizer = Tokenizer.load(folder)
    tokenizer.settings["model_max_length"] = 13
    cut = Reader(reader.handle.model, tokenizer, name="it").tokens("the red house " * 9)
    assert (len(cut.ids), cut.truncated) == (13, True)


def test_two_texts_are_two_token_types(reader):
    tokens = reader.tokens("the dog", "a child")
    assert tokens.token_type_ids == [0] * 4 + [1] * 3
    assert not tokens.truncated


def test_a_family_with_one_token_type_is_given_none(encoder_folder):
    roberta_files = Checkpoint(encoder_folder("Roberta", "Model"))
    roberta = Reader(*load_encoder(roberta_files, name="it"), name="it")
    batch = roberta.batch([roberta.tokens("the dog", "a child"), roberta.tokens("a")])
    assert batch.token_type_ids is None
    assert batch.ids[1].tolist()[-1] == 1  # its padding
    assert batch.attention_mask.sum(1).tolist() == [
        batch.ids.shape[1],
        (batch.ids[1] != 1).sum().item(),
    ]


def test_a_long_text_is_read_in_linear_time(reader, lists_read):
    names = lists_read(reader.tokenizer)
    reader.tokens("the dog")
    short = len(names)
    reader.tokens("the dog " * 300)
    assert len(names) == 2 * short < 20
