"""docs/commands.py: the command lines of the documents, and how one that cannot work is found."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
try:
    import commands
finally:
    sys.path.pop(0)

FOUND = [
    command for page in commands.documents() for block in commands.blocks(page) for command in block
] + [*commands.from_help()]


def test_the_documents_have_commands():
    assert {"README.md", "docs/howto/train.md"} <= {command.document for command in FOUND}
    assert len(FOUND) > 80


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("regard translate --no-such-option", "No such option"),
        ("regard train nothing", "No such command"),
        ("echo 1 | regard words near king --count many", "valid integer"),
        ("echo regard nonsense", None),
        ("regard info en-de >card.md", None),
    ],
)
def test_a_command_that_cannot_work_is_refused(text, why):
    found = commands.refusal(commands.Command("page.md", 1, text, ""))
    assert found is None if why is None else why in found


def test_a_continued_line_is_one_command_and_its_line_is_given(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("Text.\n\n```console own\n$ regard info \\\n    en-de\nprinted\n$ ls\n```\n")
    ((first, second),) = commands.blocks(page, tmp_path)
    assert (first.line, first.text, first.kind) == (4, "regard info \\\n    en-de", "own")
    assert (second.line, second.text) == (7, "ls")


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        ("true", True),
        ("false", False),
        ("false | true", False),
        ("regard studio", True),  # serves, and is stopped
        ("regard info", False),  # prints an address, and does not end
    ],
)
def test_a_command_passes_if_it_ends_well_or_serves(text, passed, tmp_path, monkeypatch):
    program = tmp_path / "regard"
    program.write_text("#!/bin/sh\necho http://127.0.0.1:8765/\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setattr(commands, "LIMIT", 1)
    environment = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    assert commands.run(text, tmp_path, environment).passed is passed


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        ("make check      # what CI runs", True),
        ("make no-such-target", False),
        ("source README.md", True),
        ("source no-such-file", False),
        ("pip install typer", True),
        ("python docs/commands.py --run", True),
        ("python docs/commands.py --no-such-option", False),
        ("python docs/no_such_script.py", False),
    ],
)
def test_a_command_that_is_not_run_is_rehearsed(text, passed, tmp_path):
    rehearsed = commands.Command("page.md", 1, text, "shown").rehearsed
    assert rehearsed is not None
    assert commands.run(rehearsed, ROOT, dict(os.environ)).passed is passed
