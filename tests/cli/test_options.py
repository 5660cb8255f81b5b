"""Options that several commands have: the flag, the default and the settings that they become."""

from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from regard.cli import options
from regard.errors import BadArgumentError

app = typer.Typer()


@app.command()
def command(
    context: typer.Context,
    texts: Annotated[options.Texts, options.texts_to("sing")] = None,
    head_dim: Annotated[int | None, options.option("Of a head.", default="all", min=1)] = None,
    number: Annotated[int, options.option("Which.", "--which", "-w")] = 3,
    num_beams: Annotated[int | None, options.option("Beams.")] = None,
) -> None:
    print(options.specified(context, ("num_beams", "number", "head_dim")))


def output(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    return result.output


def test_a_flag_is_its_parameters_name_unless_another_is_named():
    assert "'head_dim': 7" in output("--head-dim", "7")
    assert "'number': 5" in output("-w", "5")
    assert "--number" not in output("--help")


def test_help_shows_where_a_default_comes_from():
    text = output("--help")
    assert "[default: (all)]" in text
    assert "[default: 3]" in text
    assert "What to sing, each in quotes" in text


def test_only_what_was_specified_is_a_setting():
    assert output().splitlines() == ["{'number': 3}"]
    assert output("--num-beams", "2").splitlines()[0] == "{'num_beams': 2, 'number': 3}"


def test_parameters_are_named_as_flags():
    assert options.flags(["head_dim", "mask"]) == "--head-dim, --mask"
    assert options.flags([]) == ""


def test_a_file_of_another_ending_is_refused():
    options.check_ending("--figure", None, options.FIGURES)
    options.check_ending("--figure", Path("map.PNG"), options.FIGURES)
    with pytest.raises(BadArgumentError, match=r"--figure must end in .svg, .pdf, .png; got 'a.x'"):
        options.check_ending("--figure", Path("a.x"), options.FIGURES)
