"""What is read without typer is what typer reads."""

from typing import Any

import pytest
import typer

from regard.cli.app import app
from regard.cli.plain_call import plain_call
from regard.cli.task_command import class_of
from regard.tasks import catalog

CALLS = [
    ["translate", "a"],
    ["translate", "a", "", "b c", "--engine", "native", "--precision", "int8"],
    ["translate", "--json", "a", "--strict", "-m", "en-hi", "--model", "en-de", "b"],
    ["classify", "a", "--model", "emotions"],
    ["encode", "a", "--json"],
    ["generate", "a", "--engine", "torch", "-m", "folder"],
    *([verb, "a", "-m", "folder"] for verb in catalog.VERBS),
]
OTHERS = [
    [],
    ["--help"],
    ["info", "en-de"],
    ["translate"],
    ["translate", "--json"],
    ["translate", "a", "--help"],
    ["translate", "a", "--engine"],
    ["translate", "a", "--engine", "--json"],
    ["translate", "a", "--engine=native"],
    ["translate", "a", "--", "--json"],
    ["translate", "a", "-"],
    ["translate", "a", "--num-beams", "3"],
]


@pytest.mark.parametrize("arguments", CALLS, ids=" ".join)
def test_a_plain_call_is_what_typer_makes_of_it(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Any] = []
    monkeypatch.setattr(class_of(arguments[0]), "run", lambda call: made.append(call))
    typer.main.get_command(app).main(arguments, standalone_mode=False)
    plain = plain_call(arguments)
    assert plain is not None
    assert type(plain) is type(made[0])
    assert vars(plain) == vars(made[0])


@pytest.mark.parametrize("arguments", OTHERS, ids=" ".join)
def test_whatever_may_be_a_mistake_is_typers(arguments: list[str]) -> None:
    assert plain_call(arguments) is None


def test_a_task_without_a_shipped_model_needs_one() -> None:
    without = [verb for verb, kind in catalog.VERBS.items() if not catalog.default(kind)]
    for verb in without:
        assert plain_call([verb, "a", "-m", "folder"]) is not None
