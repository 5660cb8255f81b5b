"""`regard info`: a model's card and the installation."""

import json

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
