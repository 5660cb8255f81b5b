"""`regard run`: its summary, its exit codes, and what it refuses."""

import json
import sys
from pathlib import Path

import pytest

from regard.bulk.job import Summary
from regard.cli.commands.run import _bar, _show


@pytest.fixture
def lines(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.txt").write_bytes(b"What a lovely surprise!\nA cat.\nI hate this.\n")
    return tmp_path


def test_a_bad_line_is_counted_and_the_exit_code_is_2(regard, lines):
    texts = ['{"text": "What a lovely surprise!"}', '{"text": 5}', '{"text": "I hate this."}']
    (lines / "in.jsonl").write_text("".join(f"{text}\n" for text in texts))
    outcome = regard(
        "run", "classify", "in.jsonl", "out.jsonl", "--top-k", 2, "--json", "--threads", 1
    )
    summary = json.loads(outcome.out)
    assert outcome.code == 2
    assert (summary["in"], summary["out"], summary["bad"], summary["resumed"]) == (3, 2, 1, 0)
    assert summary["output"] == str(lines / "out.jsonl")
    rows = [json.loads(line) for line in (lines / "out.jsonl").read_text().splitlines()]
    assert [len(row["labels"]) for row in rows] == [2, 2]
    (bad,) = map(json.loads, (lines / "out.jsonl.bad.jsonl").read_text().splitlines())
    assert (bad["line"], "text" in bad["reason"]) == (2, True)
    outcome = regard(*["run", "classify", "in.jsonl", "out.jsonl"])
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "out.jsonl exists" in outcome.err


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (
            1,
            ["1 of 1 line is done already.", "1 line in, 1 out, 1 bad;", "names the bad line, and"],
        ),
        (
            2000,
            ["2,000 of 2,000 lines are done", "2,000 lines in, 2,000 out,", "names the bad lines,"],
        ),
    ],
)
def test_one_line_is_not_lines(number, said, capsys):
    summary = Summary(number, number, number, 0, 1.5, Path("out"), Path("bad"))
    with _bar(number, number):
        _show(summary, as_json=False)
    lines = capsys.readouterr().err.splitlines()
    assert [wanted in line for wanted, line in zip(said, lines, strict=True)] == [True] * 3


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("run translat in.txt out.txt", "Did you mean 'translate'?"),
        ("run translate in.txt out.txt --engine ray", "--engine ray is now --runner ray"),
        ("run translate in.txt out.txt --address auto", "--address is of a Ray cluster"),
        ("run translate in.txt out.txt --context c", "--context belongs to answer"),
        ("run translate in.txt out.txt --text-pair c", "--text-pair belongs to classify"),
        ("run translate in.txt out.txt --seed 1", "--seed belongs to generate"),
        ("run translate in.txt out.txt --text de", "has no columns"),
        ("run generate in.txt out.txt --system be", "--system belongs to a chat"),
        ("run label in.txt out.txt", "label needs --model"),
        ("run encode in.txt out.txt", "numbers, not text"),
        ("run translate in.txt out.txt --num-beams 0", "--num-beams"),
        ("run translate in.txt out.txt --model emotions", "emotions is a classifier"),
        ("run translate in.txt out.txt --engine torch --precision int8", "--precision"),
        ("run translate in.txt out.txt --computed-by torch", "--computed-by is now --engine"),
        ("run translate no.txt out.txt", "there is no file"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(command, sentence, regard, lines):
    outcome = regard(*command.split())
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.count("\n") == 1
    assert (
        sentence in outcome.err.replace("number of beams", "num_beams")
        or "--num-beams" in outcome.err
    )
    assert [path.name for path in lines.iterdir()] == ["in.txt"]


def test_without_ray_the_command_says_what_to_install(regard, lines, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    outcome = regard(*["run", "encode", "in.txt", "out.jsonl", "--runner", "ray"])
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "--runner ray needs the package ray[data] (in regard's extra 'ray'): " in outcome.err
