"""Sentences on a model that has just been trained: how it does beside what it must exceed, and
whether it has learned anything at all."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from regard.training.baselines import Figures, read_baselines, spelled
from regard.training.evaluation import AnyEvaluator
from regard.training.recipe import Recipe


def held_out(recipe: Recipe[Any, Any], run: Path) -> tuple[str, Any]:
    """Return the part of the data that a classifier is judged by, and its examples: the test set,
    or else the dev set; ("", ()) for models of other kinds."""
    for part in ("test", "dev"):
        if read_baselines(run, part):
            for _, examples in recipe.test_sets(run, part):
                return part, examples
    return "", ()


def beside(figures: Figures, baselines: Mapping[str, Figures], part: str) -> str:
    """`Accuracy on test 97.1%; the most frequent label, billing: 29.4%.`, or nothing."""
    for first in baselines.values():
        figure = next(iter(first))
        rest = "; ".join(spelled(baselines))
        return f" {figure.capitalize()} on {part} {figures[figure]:.1%}; {rest}."
    return ""


def nothing_learned(evaluator: AnyEvaluator, result: Any) -> str | None:
    """Return the sentence on a model that gives all examples the same answer; None for any
    other."""
    if not getattr(result, "constant", False):
        return None
    return (
        f"The model gives all {len(result):,} {evaluator.unit} the same label, so it has learned"
        " nothing: train longer (`max_epochs`), with another `learning_rate`, with more examples of"
        " the rare labels, or with class_weights."
    )
