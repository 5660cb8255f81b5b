"""`regard ladder`: what is asked arrives, and the result is shown, drawn and kept."""

import json
from pathlib import Path

import pytest

from regard.course import ladder as task
from regard.course.ladder import Ladder, RungResult
from regard.tasks.translation.train_options import LadderOptions


@pytest.fixture
def asked(monkeypatch):
    """Calls of `climb`, which comes to something without training."""
    calls = []

    def record(pairs, options, *, watch, say, command, cell):
        calls.append((pairs, options, command, cell))
        Path(options.output).mkdir(parents=True)
        say("3 pairs read.")
        rungs = [
            RungResult(
                name="x", title=title, bleu=bleu, greedy_bleu=bleu, bleu_by_length=[bleu, bleu / 2],
                bleu_signature="sig", loss=1.0, parameters=5, training_tokens_per_second=7.0,
                decoding_tokens_per_second=3.0, path="n", step=1, steps=2, minutes=0.5,
            )
            for title, bleu in (("GRU", 11.0), ("Transformer", 33.0))
        ]  # fmt: skip
        return Ladder("9 test pairs", [(2, 5), (6, 9)], rungs, [0.001], [0.002])

    monkeypatch.setattr(task, "climb", record)
    return calls


def test_table_and_picture(regard, asked, tmp_path):
    output = tmp_path / "out"
    outcome = regard("ladder", "--data", "pairs.tsv", "--output", output)
    assert outcome.code == 0
    assert outcome.out.startswith("|             |  loss | BLEU |")
    assert "9 test pairs" in outcome.out
    assert "3 pairs read." in outcome.err
    if (output / "ladder.svg").exists():
        assert "words in the source" in (output / "ladder.svg").read_text()
    else:
        assert "No picture: figures need the package matplotlib" in outcome.err


def test_one_json_object(regard, asked, tmp_path):
    outcome = regard("ladder", "--data", "pairs.tsv", "--output", tmp_path / "out", "--json")
    found = json.loads(outcome.out)
    assert [rung["bleu"] for rung in found["rungs"]] == [11.0, 33.0]
    assert found["chances"] == [0.001]
    assert found["buckets"] == [[2, 5], [6, 9]]


def test_what_is_not_given_is_trainings_default(regard, asked, tmp_path):
    regard("ladder", "--data", "pairs.tsv", "--output", tmp_path / "out")
    pairs, options, command, cell = asked[0]
    assert (pairs, cell) == ("pairs.tsv", "gru")
    assert options == LadderOptions(output=str(tmp_path / "out"))
    assert command == f"regard ladder --data pairs.tsv --output {tmp_path / 'out'}"


def test_what_is_given_arrives(regard, asked, tmp_path):
    regard(
        "ladder", "--data", "a/pairs.tsv", "--dev", "d", "--test", "t", "--output", tmp_path / "x",
        "--max-minutes", 7, "--max-steps", 600, "--cooldown", 100, "--preset", "small", "--cell",
        "lstm", "--vocab-size", 500, "--max-tokens", 900, "--patience", 3, "--eval-every", 50,
        "--dev-sentences", 60, "--precision", "fp32", "--seed", 5, "--dropout", 0.25,
        "--average", 2,
    )  # fmt: skip
    _, options, _, cell = asked[0]
    assert cell == "lstm"
    assert options == LadderOptions(
        output=str(tmp_path / "x"), dev="d", test="t", max_minutes=7, max_steps=600, cooldown=100,
        preset="small", vocab_size=500, max_tokens=900, patience=3, evaluate_every=50,
        dev_sentences=60, precision="fp32", seed=5, dropout=0.25, average=2,
    )  # fmt: skip


def test_without_data_it_says_what_to_give(regard, asked):
    outcome = regard("ladder")
    assert outcome.code == 2
    assert "give --data FILE" in outcome.err
    assert not asked
