"""Sentences explained: their words' vectors, and models of every kind."""

import json

import numpy as np
import pytest
import torch

from regard import RegardError
from regard.checkpoints import save_pretrained
from regard.course.explanation import principal
from regard.course.explanation.sentence import explain, explain_words
from regard.course.words import WordVectors
from regard.models import Decoder, DecoderConfig, Encoder, EncoderConfig
from regard.text import train_tokenizer

NAMES = ["the", "river", "bank", "grows", "money", "café", "🙂", "नदी", "don't"]
SENTENCE = "The old man bought a small red car."


@pytest.fixture(scope="module")
def words():
    draw = np.random.default_rng(5)
    return WordVectors(NAMES, draw.normal(size=(len(NAMES), 6)).astype(np.float32))


def test_words_are_found_as_written_or_in_small_letters_without_punctuation(words):
    found = explain_words("“The Café”, don’t (bank)! 🙂 नदी", words)
    assert found.tokens == ["The", "Café", "don't", "bank", "🙂", "नदी"]
    rows = words.rows(["the", "café", "don't", "bank", "🙂", "नदी"])
    assert np.array_equal(found["vectors"].array[0], rows.astype(np.float64))


def test_fewer_dimensions_are_the_vocabularys_principal_ones(words):
    found = explain_words("river bank", words, heads=2, head_dim=1)
    onto = principal(torch.from_numpy(words.vectors), 2).numpy()
    assert np.allclose(found["vectors"].array[0], words.rows(["river", "bank"]) @ onto)
    assert "have 6 dimensions; here are the 2 directions" in found.notes[0]


def test_heads_that_do_not_divide_the_dimensions_take_what_they_can_share(words):
    assert explain_words("river bank", words, heads=4).settings.head_dim == 1


def test_random_matrices_are_said_to_be_random(words):
    found = explain_words("river bank", words, projections="random")
    assert "W_O" in found
    assert "nothing is trained" in found.notes[0]


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        ("", {}, "the sentence has no word; give one"),
        (" …!? ", {}, "the sentence has no word; give one"),
        (
            "xyzzy 🚀 wrds",
            {},
            "no word of this text .* in words-en; got xyzzy, 🚀, wrds.",
        ),
        ("bank " * 5000, {}, "at most 64 words; got 5,000. Choose a window .* 0:64"),
        ("bank", {"part": slice(1, 3)}, "the window 1:3 is empty: the text has words 0 to 0"),
        ("bank", {"heads": 7}, "heads must be from 1 to 6; got 7"),
        ("bank", {"head_dim": 7}, r"heads · head_dim must be from 1 to 6, .* got 1 · 7"),
        ("bank", {"projections": "trained"}, "projections must be one of none, random"),
    ],
)
def test_bad_input_is_one_sentence(words, text, options, sentence):
    with pytest.raises(RegardError, match=sentence):
        explain_words(text, words, **options)


def test_a_window_of_a_long_text_is_explained(words):
    text = "bank " * 4000 + "the river " + "bank " * 1000
    assert explain_words(text, words, part=slice(4000, 4003)).tokens == ["the", "river", "bank"]


def test_the_shipped_translators_encoder_is_what_is_explained_by_default():
    found = explain("en-de", SENTENCE)
    assert found.settings.tap == "encoder.layers.0.self"
    assert found.tokens[:3] == ["▁The", "▁old", "▁man"]
    assert found["weights"].shape == [4, 10, 10]


def test_a_target_makes_it_cross_attention_and_the_decoder_can_be_asked_for():
    target = "Der alte Mann kaufte ein rotes Auto."
    cross = explain("en-de", SENTENCE, target=target, layer=1)
    assert cross.settings.tap == "decoder.layers.1.cross"
    assert cross.key_tokens[0] == "▁The"
    assert cross.tokens[1] == "▁Der"
    own = explain("en-de", SENTENCE, attention="decoder", target=target)
    assert own.settings.tap == "decoder.layers.0.self"
    assert own.settings.mask == "causal"
    assert own.tokens == cross.tokens


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"layer": 6}, "en-de has encoder layers 0 to 5; got 6"),
        ({"attention": "both"}, "en-de has the attention encoder, decoder, cross; got 'both'"),
        ({"part": slice(9, None)}, "the window 9: is empty: the text has words 0 to 7"),
    ],
)
def test_what_the_model_has_not_is_said_with_what_it_has(options, sentence):
    with pytest.raises(RegardError, match=sentence):
        explain("en-de", SENTENCE, **options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Encoders and decoders saved with a tokenizer."""
    folder = tmp_path_factory.mktemp("models")
    tokenizer = train_tokenizer([SENTENCE] * 3, vocab_size=376)
    vocab = tokenizer.vocab_size
    torch.manual_seed(0)
    models = {
        "encoder": Encoder(EncoderConfig(vocab, d_model=12, num_layers=2, num_heads=3, d_ff=7)),
        "decoder": Decoder(DecoderConfig(vocab, d_model=12, num_layers=2, num_heads=3, d_ff=7)),
    }
    for name, model in models.items():
        save_pretrained(model.eval(), folder / name)
        tokenizer.save(folder / name)
    return folder


@pytest.mark.parametrize("kind", ["encoder", "decoder"])
def test_encoders_and_decoders_in_folders_are_explained(folder, kind):
    found = explain(folder / kind, "The old car", layer=1)
    assert found.settings.tap == f"{kind}.layers.1.self"
    assert "".join(found.tokens).replace("▁", " ").strip().startswith("The old car")
    assert found.notes


def test_a_model_without_cross_attention_takes_no_target(folder):
    with pytest.raises(RegardError, match="has no cross-attention, so it takes no target"):
        explain(folder / "encoder", "The old car", target="Das")


def test_other_kinds_of_model_are_sent_elsewhere(tmp_path):
    from regard.models import RecurrentEncoderDecoder, recurrent_preset

    save_pretrained(RecurrentEncoderDecoder(recurrent_preset("tiny", 31)).eval(), tmp_path)
    kind = json.loads((tmp_path / "config.json").read_text())["model_type"]
    with pytest.raises(RegardError, match=f"is a {kind} model; only Transformers that read text"):
        explain(tmp_path, "The old car")
