"""Evaluation from Python gives the command's figures, and its sentences for mistakes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import regard
from regard import RegardError
from regard.tasks.evaluation import RECIPES
from regard.tasks.translation.task import Translator
from regard.training.evaluation import Report


@pytest.fixture
def pairs(tmp_path: Path, made_up: Callable[[int], list[tuple[str, str]]]) -> Path:
    file = tmp_path / "pairs.tsv"
    file.write_text("".join(f"{source}\t{target}\n" for source, target in made_up(5)))
    return file


def test_a_loaded_model_is_scored_and_compared(
    run_folder: Path, pairs: Path, tmp_path: Path
) -> None:
    translator = Translator.load(run_folder / "model")
    output = tmp_path / "out.txt"
    report = regard.evaluate(
        translator,
        pairs,
        num_beams=1,
        max_new_tokens=9,
        compare=run_folder / "model",
        output=output,
    )
    assert isinstance(report, Report)
    assert (report.count, report.unit, report.result.num_beams) == (5, "sentences", 1)
    assert report.compared is not None
    assert report.compared["p"] == 1.0  # the two are one
    assert output.read_text().splitlines() == report.result.translations
    content = json.loads(report.as_json())
    assert content["bleu"] == report.figures["bleu"]
    assert content["loss"] == report.result.loss
    low, high = report.intervals["chrf"]
    assert f"{low:.2f} to {high:.2f}" in report.lines()[1]


def test_the_task_that_was_given_is_left_as_it_is(translator: Translator, pairs: Path) -> None:
    before = translator.prefix
    regard.evaluate(translator, pairs, num_beams=1, max_new_tokens=3, prefix="x: ")
    assert translator.prefix == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"label": "a"}, r"`label` cannot be used with a translator \(en-de\)\. Leave them out"),
        ({"beams": 3}, "an option of evaluation must be one of .*; got 'beams'"),
        ({"batch_size": 0}, "batch_size must be at least 1; got 0"),
        ({"engine": "torch", "precision": "int8"}, "`precision` needs `engine` native"),
        ({}, "expected the data at nothing.tsv; there is no such file"),
    ],
)
def test_a_mistake_is_named_before_anything_is_read(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RegardError, match=message):
        regard.evaluate("en-de", "nothing.tsv", **options)


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(RegardError, match="evaluating needs the name or the folder of a model"):
        regard.evaluate(3, "pairs.tsv")  # type: ignore[arg-type]


def test_every_kind_of_model_has_an_evaluator_whose_options_are_its_own() -> None:
    for recipe in RECIPES.values():
        evaluator = recipe.recipe_class().evaluator
        assert evaluator(recipe.options_class().evaluation()).unit
