"""The table of shipped models: it says what is there, and its commands exist."""

import subprocess
import sys
from pathlib import Path

import pytest
import typer

from regard.checkpoints import shipped
from regard.cli.app import app
from regard.tasks import catalog


def test_every_shipped_folder_is_in_the_table_and_no_other() -> None:
    assert {path.name for path in shipped.FOLDER.iterdir() if path.is_dir()} == set(shipped.SHIPPED)


def test_the_commands_of_every_kind_are_there() -> None:
    for words in (words for kind in catalog.KINDS.values() for words in kind.commands):
        command = typer.main.get_command(app)
        names = [word for word in words.split() if not word.startswith("--")]
        for name in [name for name in names if name != "static"]:
            command = command.commands[name]
        options = {
            option
            for parameter in command.get_params(typer.Context(command))
            for option in parameter.opts
        }
        assert {word for word in words.split() if word.startswith("--")} <= options


def test_your_own_files_come_before_a_shipped_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert shipped.find("en-de") is shipped.SHIPPED["en-de"]
    (tmp_path / "en-de").mkdir()
    (tmp_path / "words-en").touch()
    assert shipped.find("en-de") is shipped.find("words-en") is shipped.find("en-fr") is None


def test_a_declaration_imports_its_classes_when_they_are_needed() -> None:
    program = (
        "import sys\n"
        "from regard.tasks import catalog\n"
        "files = [n for n in sys.modules if n.startswith('regard.tasks.') and n.count('.') > 2]\n"
        "print(files)\n"
        "kind = catalog.KINDS['question-answering']\n"
        "print(kind.task_class().__module__, kind.options_class().__module__)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "[]",
        "regard.tasks.question_answering.task regard.tasks.question_answering.options",
    ]
