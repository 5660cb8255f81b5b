"""The scripts of benchmarks/ ask for what they lack."""

import runpy
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def call(monkeypatch, capsys):
    """Runs a script with arguments; gives its exit code, stdout and stderr."""
    monkeypatch.syspath_prepend(str(FOLDER))  # as it is when Python is given the script

    def run(script: str, *arguments: str) -> tuple[object, str, str]:
        monkeypatch.setattr(sys, "argv", [script, *arguments])
        with pytest.raises(SystemExit) as stop:
            runpy.run_path(str(FOLDER / script), run_name="__main__")
        return stop.value.code, *capsys.readouterr()

    return run


@pytest.mark.parametrize(
    ("script", "arguments"),
    [
        ("language_model.py", ["nowhere.txt"]),
        ("training_speed.py", ["nowhere.tsv"]),
        ("resume.py", ["nowhere.tsv"]),
        ("decoding.py", ["nowhere.tsv"]),
        ("multi30k.py", ["--data", "nowhere"]),
        ("senses.py", ["nowhere"]),
        ("shipped.py", ["--data", "nowhere"]),
        ("quality.py", ["--data", "nowhere"]),
        ("names.py", ["--dev", "nowhere"]),
        ("glossary.py", ["nowhere.tsv"]),
        ("gguf_tokens.py", ["--peers", "nowhere"]),
        ("real.py", ["--peers", "nowhere"]),
        ("ct2_int8.py", ["--peers", "nowhere"]),
        ("idioms.py", ["--train", "nowhere.tsv"]),
        ("idioms.py", ["--file", "nowhere.tsv"]),
        ("typed.py", ["--dev", "nowhere"]),
        ("sentences.py", ["en-de", "nowhere.tsv"]),
        ("paragraphs.py", ["nowhere.tsv"]),
        ("summarization.py", ["--data", "nowhere"]),
    ],
)
def test_missing_data_is_one_sentence_and_no_result(script, arguments, call):
    code, out, err = call(script, *arguments)
    assert code == 0  # the other benchmarks of `make bench` go on
    assert out == ""  # and the result that is there stays
    assert err.count("\n") == 1
    assert "nowhere" in err
