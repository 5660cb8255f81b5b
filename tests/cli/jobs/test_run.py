"""Files that a command answers: the summary, the exit codes, and what is refused."""

import json
import sys
from pathlib import Path

import pytest

from regard.cli.jobs.job import Summary
from regard.cli.jobs.run import _bar, _show

FILES = "-i in.txt -o out.txt"


@pytest.fixture
def lines(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.txt").write_bytes(b"What a lovely surprise!\nA cat.\nI hate this.\n")
    return tmp_path


def test_a_bad_line_is_counted_and_the_exit_code_is_2(regard, lines):
    texts = ['{"text": "What a lovely surprise!"}', '{"text": 5}', '{"text": "I hate this."}']
    (lines / "in.jsonl").write_text("".join(f"{text}\n" for text in texts))
    files = ("-i", "in.jsonl", "-o", "out.jsonl")
    outcome = regard("classify", *files, "--top-k", 2, "--summary", "--threads", 1)
    summary = json.loads(outcome.out)
    assert outcome.code == 2
    assert (summary["in"], summary["out"], summary["bad"], summary["resumed"]) == (3, 2, 1, 0)
    assert summary["output"] == str(lines / "out.jsonl")
    rows = [json.loads(line) for line in (lines / "out.jsonl").read_text().splitlines()]
    assert [len(row["labels"]) for row in rows] == [2, 2]
    (bad,) = map(json.loads, (lines / "out.jsonl.bad.jsonl").read_text().splitlines())
    assert (bad["line"], "text" in bad["reason"]) == (2, True)
    outcome = regard("classify", *files)
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "out.jsonl exists" in outcome.err


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (
            1,
            ["1 of 1 line is done already.", "1 line in, 0 out, 1 bad;", "names the bad line, and"],
        ),
        (
            2000,
            ["2,000 of 2,000 lines are done", "2,000 lines in, 1,999 out,", "names the bad line,"],
        ),
    ],
)
def test_one_line_is_not_lines(number, said, capsys):
    summary = Summary(number, 1, 0, 1.5, Path("out"), Path("bad"))
    with _bar(number, number):
        _show(summary)
    lines = capsys.readouterr().err.splitlines()
    assert [wanted in line for wanted, line in zip(said, lines, strict=True)] == [True] * 3


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (f"translate {FILES} --runner here", "runner must be one of local, ray; got 'here'"),
        (f"translate {FILES} --address auto", "--address is of a Ray cluster"),
        (f"translate {FILES} --context-column c", "No such option: --context-column"),
        (f"translate {FILES} --text-column de", "has no columns"),
        (f"translate {FILES} --workers 0", "--workers must be at least 1"),
        (f"generate {FILES} --system be", "--system belongs to a chat"),
        (f"translate {FILES} --num-beams 0", "--num-beams must be"),
        (f"translate {FILES} --model emotions", "emotions is a classifier"),
        (f"translate {FILES} --engine torch --precision int8", "--precision needs --engine"),
        ("translate -i no.txt -o out.txt", "there is no such file"),
        ("translate -i in.txt -o out.csv", "the output must be JSON lines"),
        ("translate -i in.txt -o in.txt", "is the input"),
        ("translate -i . -o out.txt", "in the folder that is read"),
        ("translate a -o out.txt -i in.txt", "give either a sentence or --input; got both"),
        ("translate a --workers 2", "--workers needs both --input and --output"),
        ("translate a --overwrite", "--overwrite needs --output"),
        ("translate a --id n", "--id needs --input"),
        ("translate a -o out.parquet", "Parquet is written of files alone"),
        ("translate -i in.txt -o /dev/null --no-resume", "--resume needs both --input and"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(command, sentence, regard, lines):
    outcome = regard(*command.split())
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.count("\n") == 1
    assert sentence in outcome.err
    assert [path.name for path in lines.iterdir()] == ["in.txt"]


def test_without_ray_the_command_says_what_to_install(regard, lines, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    outcome = regard(*["encode", "-i", "in.txt", "-o", "out.jsonl", "--runner", "ray"])
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "--runner ray needs the package ray[data] (in regard's extra 'ray'): " in outcome.err
