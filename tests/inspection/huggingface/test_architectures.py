"""Architectures of each kind, as benchmarks/architectures.py examines them."""

import os

import pytest

from regard.inspection.tap import Tap

OUTCOMES = {
    "bert": "equal",
    "diffllama": "equal",  # two softmaxes
    "gpt_oss": "equal",  # learned sinks
    "granite_swa": "equal",  # sinks that are applied to the output
    "inkling2_text": "equal",  # a sink for each query
    "mimo_v2_flash": "equal",  # sinks in some layers
    "t5gemma2": "equal",  # self- and cross-attention in one softmax
    "segformer": "equal",  # keys are means of patches
    "bigbird_pegasus": "given",
    "bloom": "given",
    "funnel": "given",  # positions are pooled
    "led": "given",  # one side by distance, the other as a map
    "wavlm": "given",
    "longt5": "part",
    "yoso": "refused",
    "convnext": "no attention",
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_an_architecture_is_shown_as_its_own_eager_attention_is(architectures, name):
    outcome = architectures.examine(name)
    assert outcome["outcome"] == OUTCOMES[name], outcome
    assert outcome.get("worst", 0) <= 1e-5


def test_a_weight_that_is_off_is_found(architectures, monkeypatch):
    right = Tap.weights

    def wrong(self, *arguments, **named):
        weights = right(self, *arguments, **named)
        weights[..., 0, 0] += 2e-5
        return weights

    monkeypatch.setattr(Tap, "weights", wrong)
    assert architectures.examine("bert")["outcome"] == "wrong"


def test_what_is_finished_is_not_done_again(architectures, monkeypatch, tmp_path, capsys):
    record = tmp_path / "record.jsonl"
    record.write_text('{"name": "bert", "reads": "text", "outcome": "equal", "why": "before"}\n')
    monkeypatch.setattr("sys.argv", ["", "--only", "bert", "gpt2", "--record", str(record)])
    architectures.main()
    printed = capsys.readouterr().out
    assert "before" in printed
    assert "2 equal" in printed
    assert record.read_text().count("\n") == 2


def test_a_process_that_ends_is_told(architectures, monkeypatch):
    monkeypatch.setattr(architectures, "examine", lambda name: os._exit(3))
    outcome = architectures.examined("bert")
    assert outcome["outcome"] == "not built"
    assert "its process ended" in outcome["why"]
