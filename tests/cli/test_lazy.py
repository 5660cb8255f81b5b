"""Commands that are made when they are needed."""

import subprocess
import sys

import pytest
import typer

from regard.cli.command_group import LazyCommand


@pytest.fixture
def shop():
    """A program with a lazy command, and how often it was made."""
    app, made = typer.Typer(), []

    @app.command()
    def close() -> None:
        """Close it."""

    @app.command("sell", cls=LazyCommand)
    def make():
        """Sell fruit."""
        made.append("sell")

        def sell(fruit: str, count: int = 7) -> None:
            print(f"{count} × {fruit}")

        return sell

    return typer.main.get_command(app), made


def test_it_is_listed_without_being_made(shop, capsys):
    program, made = shop
    program.main(["--help"], standalone_mode=False)
    assert "Sell fruit." in capsys.readouterr().out
    assert made == []


def test_it_is_made_once_when_it_is_called(shop, capsys):
    program, made = shop
    program.main(["sell", "figs", "--count", "3"], standalone_mode=False)
    program.main(["sell", "figs"], standalone_mode=False)
    assert capsys.readouterr().out == "3 × figs\n7 × figs\n"
    assert made == ["sell"]


def test_its_help_lists_its_options(shop, capsys):
    shop[0].main(["sell", "--help"], standalone_mode=False)
    shown = capsys.readouterr().out
    assert "Sell fruit." in shown
    assert "--count" in shown


@pytest.mark.parametrize("arguments", [["--help"], ["train", "--help"], ["info", "--help"]])
def test_no_options_of_training_are_built_before_a_task_is_named(arguments):
    program = (
        "import sys\n"
        "from regard.cli.main import main\n"
        f"try: main({arguments})\n"
        "except SystemExit: pass\n"
        "early = [name for name in sys.modules if name.startswith('regard.training')]\n"
        "early += [name for name in sys.modules if name.startswith('regard.tasks.translation.')]\n"
        "print('EARLY', early)\n"
    )
    shown = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert shown.endswith("EARLY []\n")
