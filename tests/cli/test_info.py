"""`regard info`: a model's card and the installation."""

import json
import shutil

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from regard import __version__


@pytest.fixture
def folder(tmp_path):
    config = {
        "model_type": "marian", "vocab_size": 8009, "encoder_layers": 4, "decoder_layers": 3,
        "d_model": 128, "encoder_attention_heads": 4, "max_position_embeddings": 512,
        "dtype": "bfloat16",
    }  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(config))
    weights = {"a": np.zeros((101, 7), np.float16), "b": np.zeros(13, np.float16)}
    save_file(weights, tmp_path / "model.safetensors", metadata={"format": "pt"})
    (tmp_path / "README.md").write_text(
        '---\nlanguage: ["en", "de"]\nlicense: "cc-by-4.0"\ncommand: "regard train x"\n'
        'dev: {"bleu": 33.25}\n---\n# en → de\n'
    )
    return tmp_path


def test_the_card_is_shown(regard, folder):
    outcome = regard("info", folder)
    shown = dict(line.split("  ", 1) for line in outcome.out.splitlines())
    shown = {name: value.strip() for name, value in shown.items()}
    assert shown["language"] == "en, de"
    assert shown["license"] == "cc-by-4.0"
    assert shown["command"] == "regard train x"
    assert shown["dev"] == "bleu 33.25"
    assert shown["vocabulary"] == "8,009"
    assert shown["parameters"] == "720"  # 101 · 7 + 13


def test_json_gives_the_same(regard, folder):
    facts = json.loads(regard("info", folder, "--json").out)
    assert (facts["parameters"], facts["layers"], facts["weights"]) == (720, [4, 3], "bfloat16")
    assert facts["dev"] == {"bleu": 33.25}


def test_an_unknown_model_lists_the_known(regard):
    outcome = regard("info", "en-dee")
    assert outcome.code == 2
    assert "en-de, en-hi" in outcome.err


def test_without_a_model_it_tells_versions_threads_and_models(regard):
    facts = json.loads(regard("info", "--json").out)
    assert facts["regard"] == __version__
    assert facts["torch"] == torch.__version__
    assert facts["threads"] == torch.get_num_threads()
    assert "en-de" in facts["shipped models"]


def test_taps_are_the_names_that_a_trace_has_with_their_sizes(regard):
    from regard.tasks import load

    taps = json.loads(regard("info", "en-de", "--taps", "--json").out)
    trace = load("en-de").trace("a")
    assert sorted(tap["tap"] for tap in taps) == sorted(trace)
    assert {(tap["heads"], tap["key_heads"], tap["head_dim"]) for tap in taps} == {(4, 4, 64)}


def test_taps_need_no_weights(regard, tmp_path):
    from regard.tasks.loading import FOLDER

    for name in ("config.json", "tokenizer.json"):
        shutil.copy(FOLDER / "en-de" / name, tmp_path)
    lines = regard("info", tmp_path, "--taps").out.splitlines()
    assert lines[0].split() == ["tap", "heads", "key", "heads", "head", "dim"]
    assert lines[1].split() == ["encoder.layers.0.self", "4", "4", "64"]
    assert len(lines) == 1 + 3 + 2 * 3


def test_taps_count_the_keys_that_heads_share(regard, monkeypatch):
    from torch import nn

    from regard import checkpoints
    from regard.layers import MultiHeadAttention

    model = nn.ModuleDict({"self_attention": MultiHeadAttention(12, 6, num_key_heads=2)})
    monkeypatch.setattr(checkpoints, "empty_model", lambda folder: model)
    (tap,) = json.loads(regard("info", "en-de", "--taps", "--json").out)
    assert tap == {"tap": "self", "heads": 6, "key_heads": 2, "head_dim": 2}


def test_taps_of_nothing_is_a_sentence(regard):
    outcome = regard("info", "--taps")
    assert (outcome.code, "name one" in outcome.err) == (2, True)


@pytest.mark.parametrize("attention", ["bahdanau", "luong", "none"])
def test_a_recurrent_model_is_described(regard, tmp_path, attention):
    from regard.checkpoints import save_pretrained
    from regard.models import RecurrentConfig, RecurrentEncoderDecoder
    from regard.studio.models import describe

    config = RecurrentConfig(31, d_model=10, hidden_size=14, attention=attention)
    model = RecurrentEncoderDecoder(config)
    save_pretrained(model, tmp_path)
    facts = json.loads(regard("info", tmp_path, "--json").out)
    assert (facts["architecture"], facts["layers"]) == ("regard-recurrent", [1, 1])
    assert facts["parameters"] == sum(p.numel() for p in model.parameters())
    described = describe(str(tmp_path), lambda name: pytest.fail("it is regard's own"))
    assert described.description == f"1 + 1 layers, recurrent, attention {attention}"
    taps = regard("info", tmp_path, "--taps", "--json")
    if attention == "none":
        assert taps.code == 2
        assert "has no attention layers: it sees one fixed context" in taps.err
    else:
        tap = {"tap": "decoder.cross", "heads": 1, "key_heads": 1, "head_dim": 14}
        assert json.loads(taps.out) == [tap]
