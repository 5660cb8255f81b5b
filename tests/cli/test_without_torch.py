"""Commands that import none of the large libraries, each in a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("torch", "onnx", "onnxruntime", "transformers")
SLOW = ("typer", "pydantic", "rich")


def imported(*arguments: str, text: bytes = b"", modules: tuple[str, ...] = HEAVY) -> list[str]:
    """Those of the modules that a call of the command has imported."""
    program = (
        "import atexit, json, sys\n"
        f"atexit.register(lambda: print(json.dumps([n for n in {modules} if n in sys.modules])))\n"
        "from regard.__main__ import main\n"
        "main()\n"
    )
    run = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(run, input=text, capture_output=True, check=True)
    names: list[str] = eval(done.stdout.splitlines()[-1])
    return names


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--help",),
        ("translate", "--help"),
        ("translate", "Good morning."),
        ("translate", "Good morning.", "--model", "en-hi", "--num-beams", "2", "--json"),
        ("classify", "I love it."),
        ("encode", "I love it."),
        ("generate", "ROMEO:", "--max-new-tokens", "2"),
        ("look", "en-de", "Good morning.", "--terminal"),
        ("look", "en-hi", "Good morning.", "--json", "--head", "1"),
        ("look", "shakespeare", "ROMEO:", "--terminal", "--generate", "3"),
        ("look", "emotions", "I love it.", "--terminal"),
        ("look", "minilm", "I love it.", "--terminal", "--looks", "love:it"),
        ("look", "en-de", "Good morning.", "--terminal", "--without", "0", "--num-beams", "2"),
        ("info", "en-de", "--taps"),
    ],
    ids=" ".join,
)
def test_a_command_that_runs_a_model_imports_no_large_library(arguments: tuple[str, ...]) -> None:
    assert imported(*arguments) == []


def test_neither_does_one_that_writes_what_a_model_looks_at(tmp_path: Path) -> None:
    files = ("--html", str(tmp_path / "page.html"), "--save", str(tmp_path / "a.safetensors"))
    assert imported("look", "en-de", "Good morning.", *files) == []


def test_neither_does_one_that_reads_a_pipe_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("Good morning.\n")
    assert imported("translate", text=b"Good morning.\n") == []
    files = (str(tmp_path / "in.txt"), "--output", str(tmp_path / "out.txt"))
    assert imported("translate", "--input", *files) == []


def test_a_call_that_cannot_be_wrong_is_read_without_typer() -> None:
    assert imported("translate", "Good morning.", modules=SLOW) == []
    assert imported("look", "en-de", "Good morning.", "--json", modules=SLOW) == []
