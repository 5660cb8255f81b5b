"""The vector of a word where it stands: by hand, and against what the model itself gives."""

import numpy as np
import pytest
import torch

from regard.checkpoints import find_folder
from regard.course.words import WordVectors
from regard.course.words.states import Occurrence, WordReader, attention_states, static_states
from regard.errors import RegardError
from regard.models import (
    Encoder,
    EncoderConfig,
)
from regard.text import train_tokenizer

TEXTS = ["money in the bank", "the Bank of the river 🙂 was wet", "a bank"]


def places(texts=TEXTS, word="bank"):
    found = []
    for text in texts:
        start = text.lower().index(word)
        found.append(Occurrence(text, start, start + len(word)))
    return found


@pytest.fixture(scope="module")
def vectors() -> WordVectors:
    rows = np.random.default_rng(0).normal(size=(5, 7)).astype(np.float32)
    return WordVectors(["bank", "river", "money", "the", "wet"], rows)


@pytest.fixture(scope="module")
def reader() -> WordReader:
    torch.manual_seed(0)
    tokenizer = train_tokenizer([*TEXTS, "banking on"] * 20, vocab_size=376)
    config = EncoderConfig(
        tokenizer.vocab_size, d_model=12, num_layers=3, num_heads=2, d_ff=20, max_positions=17
    )
    return WordReader(Encoder(config).eval(), tokenizer, name="small")


def test_a_static_vector_is_the_same_everywhere(vectors):
    [(name, states)] = static_states(vectors, places()).items()
    assert name == "static"
    np.testing.assert_array_equal(states, np.stack([vectors["bank"]] * 3))


@pytest.mark.parametrize("temperature", [None, 0.5])
def test_attention_averages_the_words_around(vectors, temperature):
    [(_, states)] = attention_states(vectors, places(), temperature=temperature).items()
    words = ["bank", "the", "the", "river", "wet"]  # of the second text, those with a vector
    x = vectors.rows(words).astype(np.float64)
    scores = x @ x[0] / (7**0.5 if temperature is None else temperature)
    weights = np.exp(scores - scores.max())
    np.testing.assert_allclose(states[1], weights / weights.sum() @ x, rtol=1e-5)
    np.testing.assert_allclose(states[2], vectors["bank"], rtol=1e-6)  # alone


def test_a_word_without_a_vector_is_refused(vectors):
    with pytest.raises(RegardError, match=r"'Banks' is not among .* Did you mean 'bank'"):
        static_states(vectors, [Occurrence("Banks", 0, 5)])
    with pytest.raises(RegardError, match="temperature must be at least 1e-30; got 0"):
        attention_states(vectors, places(), temperature=0)


def test_every_layer_has_a_state_for_each_occurrence(reader):
    layers = reader.states(places())
    assert list(layers) == reader.layers == ["embedding", "layer 1", "layer 2", "layer 3"]
    assert {states.shape for states in layers.values()} == {(3, 12)}
    assert {states.dtype for states in layers.values()} == {np.dtype(np.float32)}


def test_the_highest_layer_is_what_the_model_gives(reader):
    [occurrence] = places(["the bank"])
    encoding = reader.tokenizer.inputs("the bank")
    with torch.inference_mode():
        states = reader.model.hidden(torch.tensor([encoding.ids]))[0]
    own = [k for k, (_, end) in enumerate(encoding.offsets) if end > 4]
    expected = states[own].mean(0)
    np.testing.assert_allclose(
        reader.states([occurrence])["layer 3"][0], expected, rtol=1e-5, atol=1e-6
    )


def test_states_do_not_depend_on_the_batch(reader):
    together, alone = reader.states(places()), reader.states(places(), batch_size=1)
    for layer in together:
        np.testing.assert_allclose(together[layer], alone[layer], rtol=1e-4, atol=1e-5)


def test_the_same_word_differs_by_context_and_an_equal_text_does_not(reader):
    states = reader.states([*places(), places()[1]])["layer 3"]
    assert np.abs(states[0] - states[1]).max() > 0.01
    np.testing.assert_allclose(states[1], states[3], rtol=1e-5, atol=1e-6)


def test_of_a_long_text_what_is_around_the_word_is_read(reader):
    long = "money in the river was wet " * 9 + "bank" + " money in the river was wet" * 9
    states = reader.states(places([long]))["layer 3"]
    changed = reader.states(places(["the" + long]))["layer 3"]
    np.testing.assert_allclose(states, changed, rtol=1e-4, atol=1e-5)


def test_progress_counts_every_occurrence(reader):
    done = []
    reader.states(places() * 3, batch_size=2, progress=done.append)
    assert sum(done) == 9


def test_a_word_that_the_tokenizer_leaves_out_is_named(reader):
    with pytest.raises(RegardError, match="small has no token for ''"):
        reader.states([Occurrence("bank", 4, 4)])


def test_an_encoder_decoders_encoder_is_read():
    reader = WordReader.load(find_folder("en-de"), name="en-de")
    layers = reader.states(places())
    assert list(layers) == ["embedding", *(f"layer {k}" for k in range(1, 7))]
    ids = torch.tensor([reader.tokenizer.inputs(TEXTS[0]).ids])
    with torch.inference_mode():
        memory, _ = reader.model.encode(ids)
    tokens = reader.tokenizer.tokens(ids[0])
    own = [k for k, token in enumerate(tokens) if token == "▁bank"]
    assert len(own) == 1
    np.testing.assert_allclose(layers["layer 6"][0], memory[0, own[0]], rtol=1e-3, atol=1e-5)


def test_every_layer_is_that_of_transformers(tmp_path, reader):
    transformers = pytest.importorskip("transformers")
    from regard.checkpoints import save_pretrained

    save_pretrained(reader.model, tmp_path)
    theirs = transformers.AutoModel.from_pretrained(tmp_path, local_files_only=True).eval()
    encoding = reader.tokenizer.inputs(TEXTS[1])
    own = [k for k, (start, end) in enumerate(encoding.offsets) if start < 8 and end > 4]
    with torch.inference_mode():
        hidden = theirs(torch.tensor([encoding.ids]), output_hidden_states=True).hidden_states
    for found, expected in zip(reader.states(places()).values(), hidden, strict=True):
        np.testing.assert_allclose(found[1], expected[0, own].mean(0), rtol=1e-4, atol=1e-5)


def test_a_model_without_such_an_encoder_is_refused(tmp_path):
    from regard.checkpoints import save_pretrained
    from regard.models import Decoder, DecoderConfig

    config = DecoderConfig(
        vocab_size=31, d_model=8, num_layers=1, num_heads=2, d_ff=8, max_positions=16
    )
    save_pretrained(Decoder(config), tmp_path / "gpt")
    with pytest.raises(RegardError, match=r"gpt is a language model \(gpt2\): .* give an encoder"):
        WordReader.load(tmp_path / "gpt")


def test_a_long_text_is_read_in_linear_time(reader, lists_read):
    names = lists_read(reader.tokenizer)
    reader.states(places(["the bank"]))
    short = len(names)
    reader.states(places(["the river " * 300 + "bank"]))
    assert len(names) == 2 * short < 10
