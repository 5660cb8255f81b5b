"""The scripts of benchmarks/ can be called as their docstrings say, and ask for what they lack."""

import runpy
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
SCRIPTS = sorted(path.name for path in FOLDER.glob("*.py"))


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


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_docstring_holds_the_command(script):
    text = (FOLDER / script).read_text(encoding="utf-8")
    assert f"\n    python benchmarks/{script}" in text


@pytest.mark.parametrize("script", SCRIPTS)
def test_help_says_in_one_sentence_what_is_measured(script, call):
    if "from playwright" in (FOLDER / script).read_text(encoding="utf-8"):
        pytest.importorskip("playwright")
    code, out, _ = call(script, "--help")
    first = (FOLDER / script).read_text(encoding="utf-8").splitlines()[0].strip('"')
    assert code == 0
    assert first in " ".join(out.split())


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
        ("summarization.py", ["--data", "nowhere"]),
    ],
)
def test_missing_data_is_one_sentence_and_no_result(script, arguments, call):
    code, out, err = call(script, *arguments)
    assert code == 0  # the other benchmarks of `make bench` go on
    assert out == ""  # and the result that is there stays
    assert err.count("\n") == 1
    assert "nowhere" in err
