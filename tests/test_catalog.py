"""The table of shipped models: it says what is there, and its commands exist."""

from pathlib import Path

import pytest
import typer

from regard import catalog
from regard.cli.app import app


def test_every_shipped_folder_is_in_the_table_and_no_other() -> None:
    assert {path.name for path in catalog.FOLDER.iterdir() if path.is_dir()} == set(catalog.SHIPPED)


@pytest.mark.parametrize("kind", catalog.KINDS)
def test_the_commands_of_a_kind_are_there(kind: str) -> None:
    for words in catalog.KINDS[kind].commands:
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
    assert catalog.find("en-de") is catalog.SHIPPED["en-de"]
    (tmp_path / "en-de").mkdir()
    (tmp_path / "words-en").touch()
    assert catalog.find("en-de") is catalog.find("words-en") is catalog.find("en-fr") is None
