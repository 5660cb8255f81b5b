"""`regard info`: a model's card and the installation."""

import json
import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from regard import __version__
from regard.checkpoints import from_pretrained, save_pretrained, shipped
from regard.course.words import WordVectors
from regard.models import (
    Decoder,
    DecoderConfig,
    Encoder,
    EncoderConfig,
    EncoderDecoder,
    EncoderDecoderConfig,
    VisionConfig,
    VisionTransformer,
)


@pytest.fixture
def folder(tmp_path):
    config = EncoderDecoderConfig(
        1009, d_model=12, d_ff=20, encoder_layers=4, decoder_layers=3, encoder_heads=3,
        decoder_heads=2, max_positions=19, tied_output=True,
    )  # fmt: skip
    save_pretrained(EncoderDecoder(config), tmp_path, dtype=torch.bfloat16)
    (tmp_path / "README.md").write_text(
        '---\nlanguage: ["en", "de"]\nlicense: "cc-by-4.0"\ncommand: "regard train x"\n'
        'dev: {"bleu": 33.25}\n---\n# en → de\n'
    )
    return tmp_path


# The table; attention's four matrices with biases; two norms or three; the feed-forward network.
PARAMETERS = 1009 * 12 + 4 * (624 + 2 * 24 + 512) + 3 * (2 * 624 + 3 * 24 + 512)


def test_the_card_is_shown(regard, folder):
    outcome = regard("info", folder)
    shown = dict(line.split("  ", 1) for line in outcome.out.splitlines())
    shown = {name: value.strip() for name, value in shown.items()}
    assert shown["language"] == "en, de"
    assert shown["license"] == "cc-by-4.0"
    assert shown["command"] == "regard train x"
    assert shown["dev"] == "bleu 33.25"
    assert shown["vocabulary"] == "1,009"
    assert shown["parameters"] == f"{PARAMETERS:,}"
    assert (shown["layers"], shown["heads"]) == ("4, 3", "3, 2")


def test_json_gives_the_same(regard, folder):
    facts = json.loads(regard("info", folder, "--json").out)
    assert (facts["parameters"], facts["layers"]) == (PARAMETERS, [4, 3])
    assert facts["weights"] == "bfloat16"
    assert facts["dev"] == {"bleu": 33.25}


@pytest.mark.parametrize(
    ("model", "result"),
    [
        (
            Encoder(EncoderConfig(31, d_model=12, num_layers=2, num_heads=3, d_ff=20)),
            dict(architecture="bert", layers=2, heads=3, positions=512, head="none"),
        ),
        (
            Decoder(
                DecoderConfig(
                    31, d_model=14, num_layers=2, num_heads=7, num_key_heads=1, head_dim=6, d_ff=22,
                    norm_kind="rms", gated=True, feed_forward_bias=False, attention_bias=False,
                    attention_output_bias=False, positions="rotary", window=3,
                )
            ),
            dict(architecture="mistral", layers=2, heads=7, key_heads=1, window=3),
        ),
        (
            VisionTransformer(
                VisionConfig(
                    (6, 10), (3, 2), d_model=12, num_layers=2, num_heads=3, d_ff=22,
                    head="classification", labels=tuple(f"kind {k}" for k in range(23)),
                )
            ),
            dict(architecture="vit", image=[6, 10], patch=[3, 2], head="classification"),
        ),
    ],
    ids=["encoder", "decoder", "vision"],
)  # fmt: skip
def test_every_family_is_described(regard, tmp_path, model, result):
    save_pretrained(model, tmp_path)
    facts = json.loads(regard("info", tmp_path, "--json").out)
    assert facts | result == facts
    assert facts["parameters"] == sum(weight.numel() for weight in model.parameters())
    if "labels" in facts:
        assert len(facts["labels"]) == 23
        assert "kind 19, and 3 more" in regard("info", tmp_path).out


def test_weights_in_shards_or_in_a_bin_are_counted_too(regard, folder, tmp_path):
    model = from_pretrained(folder)
    save_pretrained(model, tmp_path / "shards", shard_bytes=10_000)
    assert len([*(tmp_path / "shards").glob("model-*.safetensors")]) > 1
    save_pretrained(model, tmp_path / "bin")
    file = tmp_path / "bin" / "model.safetensors"
    torch.save(load_file(file), tmp_path / "bin" / "pytorch_model.bin")
    file.unlink()
    for kind in ("shards", "bin"):
        facts = json.loads(regard("info", tmp_path / kind, "--json").out)
        assert (facts["parameters"], facts["weights"]) == (PARAMETERS, "float32")


def test_a_folder_that_is_no_model_is_one_line(regard, folder):
    (folder / "model.safetensors").write_bytes(b"")
    outcome = regard("info", folder)
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "model.safetensors is damaged: it is empty" in outcome.err
    (folder / "config.json").write_text('{"model_type": "rwkv"}')
    assert "says 'rwkv'" in regard("info", folder).err


def test_an_unknown_model_lists_the_known(regard):
    outcome = regard("info", "en-dee")
    assert outcome.code == 2
    assert "en-de, en-hi" in outcome.err


def test_without_a_model_it_tells_versions_threads_and_models(regard):
    facts = json.loads(regard("info", "--json").out)
    assert facts["regard"] == __version__
    assert torch.__version__.startswith(facts["torch"])  # without a build such as +cu130
    assert facts["threads"] == torch.get_num_threads()
    assert list(facts["shipped models"]) == list(shipped.SHIPPED)
    assert facts["shipped models"]["en-hi"]["what"] == "a translator from English to Hindi"
    assert "words near" in facts["shipped models"]["words-en"]["used_with"]
    shown = regard("info").out
    for name, each in shipped.SHIPPED.items():
        assert f"\n{name}: {each.what}\n  regard " in shown


def test_shipped_word_vectors_have_a_card_too(regard):
    facts = json.loads(regard("info", "words-en", "--json").out)
    assert (facts["words"], facts["dim"], facts["license"]) == (8849, 40, "CC BY 2.0 FR")
    assert facts["what"] == "a set of vectors of English words"
    assert "used with " in regard("info", "words-en").out


def test_your_own_word_vectors_are_described(regard, tmp_path):
    WordVectors(["king", "queen"], np.eye(2, 3, dtype=np.float32)).save(tmp_path / "mine")
    facts = json.loads(regard("info", tmp_path / "mine", "--json").out)
    assert (facts["what"], facts["words"], facts["dim"]) == ("a set of word vectors", 2, 3)


def test_a_model_says_which_commands_use_it(regard, folder):
    facts = json.loads(regard("info", folder, "--json").out)
    assert facts["what"] == "a translator (marian)"
    assert facts["used_with"][:2] == ["translate", "evaluate"]


def test_control_characters_of_a_card_do_not_reach_the_terminal(regard, folder):
    (folder / "README.md").write_text('---\nlicense: "a\\nb\\tc\\u001b]0;x\\u0007"\n---\n')
    shown = regard("info", folder).out
    assert shown.splitlines()[-1].split(maxsplit=1) == ["license", "a b c\\x1b]0;x\\x07"]


def test_taps_are_the_names_that_a_trace_has_with_their_sizes(regard):
    from regard.tasks.loading import load

    taps = json.loads(regard("info", "en-de", "--taps", "--json").out)
    trace = load("en-de").trace("a")
    assert sorted(tap["tap"] for tap in taps) == sorted(trace)
    assert {(tap["heads"], tap["key_heads"], tap["head_dim"]) for tap in taps} == {(4, 4, 64)}


def test_taps_need_no_weights(regard, tmp_path):
    from regard.checkpoints.shipped import FOLDER

    for name in ("config.json", "tokenizer.json"):
        shutil.copy(FOLDER / "en-de" / name, tmp_path)
    lines = regard("info", tmp_path, "--taps").out.splitlines()
    assert lines[0].split() == ["tap", "heads", "key", "heads", "head", "dim"]
    assert lines[1].split() == ["encoder.layers.0.self", "4", "4", "64"]
    assert len(lines) == 1 + 6 + 2 * 2


def test_taps_count_the_keys_that_heads_share(regard, monkeypatch):
    from regard.models.configs.decoder import decoder_preset
    from regard.models.configs.facts import facts_of
    from regard.tasks import looking

    config = decoder_preset("tiny", 9, d_model=12, num_layers=1, num_heads=6, num_key_heads=2)
    monkeypatch.setattr(looking, "facts_of", lambda *model: facts_of("Decoder", config))
    (tap,) = json.loads(regard("info", "en-de", "--taps", "--json").out)
    expected = {"tap": "decoder.layers.0.self", "heads": 6, "key_heads": 2, "head_dim": 2}
    assert tap == expected


def test_taps_of_nothing_is_a_sentence(regard):
    outcome = regard("info", "--taps")
    assert (outcome.code, "name one" in outcome.err) == (2, True)


@pytest.mark.parametrize("attention", ["bahdanau", "luong", "none"])
def test_a_recurrent_model_is_described(regard, tmp_path, attention):
    from regard.checkpoints import save_pretrained
    from regard.models import RecurrentConfig, RecurrentEncoderDecoder
    from regard.tasks.looking import describe

    config = RecurrentConfig(31, d_model=10, hidden_size=14, attention=attention)
    model = RecurrentEncoderDecoder(config)
    save_pretrained(model, tmp_path)
    facts = json.loads(regard("info", tmp_path, "--json").out)
    assert (facts["architecture"], facts["layers"]) == ("regard-recurrent", [1, 1])
    assert facts["parameters"] == sum(p.numel() for p in model.parameters())
    described = describe(str(tmp_path), lambda name: pytest.fail("it is regard's own"))
    assert described.description == (
        f"regard-recurrent, 1 + 1 layers, recurrent, attention {attention}"
    )
    taps = regard("info", tmp_path, "--taps", "--json")
    if attention == "none":
        assert taps.code == 2
        assert "has no attention layers: it sees one fixed context" in taps.err
    else:
        tap = {"tap": "decoder.cross", "heads": 1, "key_heads": 1, "head_dim": 14}
        assert json.loads(taps.out) == [tap]
