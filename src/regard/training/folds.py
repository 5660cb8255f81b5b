"""Cross-validation: each fold of a file is held out once, and the last model learns from all rows.

folds/1/, …     a run for each fold, which trains on the others
data/, model/   as of any run: the model on all rows

No checkpoint is chosen by a held-out fold: the newest model of every run is the one that is kept.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from regard.training import Progress, RunFolder
from regard.training.card import CardText
from regard.training.examples import Fold
from regard.training.processes import Processes
from regard.training.resampling import mean_interval

if TYPE_CHECKING:
    from regard.training.recipe import Recipe

    Train = Callable[[Recipe[Any, Any], RunFolder, Any], Progress]


@dataclass(frozen=True)
class CrossValidation:
    """The figures of the folds, each on the rows that its model was not trained on.

    Args:
        shown: as `Recipe.shown` has it.
    """

    folds: Sequence[Mapping[str, float]]
    shown: Mapping[str, str]

    @cached_property
    def bounds(self) -> dict[str, tuple[float, float, float]]:
        """The mean of each figure, and the ends of its 95 % interval over folds."""
        names = [name for name in self.folds[0] if all(name in figures for figures in self.folds)]
        return {name: mean_interval([figures[name] for figures in self.folds]) for name in names}

    @property
    def means(self) -> dict[str, float]:
        return {name: mean for name, (mean, _, _) in self.bounds.items()}

    def line(self) -> str:
        """Return the means and intervals of the figures that are shown."""
        parts = []
        for name, text in self.shown.items():
            if name in self.bounds:
                mean, *ends = self.bounds[name]
                [spelled] = re.findall(r"\{.*\}", text)
                low, high = (spelled.format(end).strip() for end in ends)
                parts.append(f"{text.format(mean).removeprefix('dev ')} ({low} to {high})")
        count = len(self.folds)
        return f"{count} folds, mean and 95 % interval over folds: {', '.join(parts)}"

    def facts(self) -> dict[str, Any]:
        """Return the figures for programs."""
        figures, intervals = {}, {}
        for name in filter(self.bounds.__contains__, self.shown):
            figures[name], *intervals[name] = (
                None if math.isnan(bound) else round(bound, 4) for bound in self.bounds[name]
            )
        return {"folds": len(self.folds), "figures": figures, "intervals": intervals}

    def on_card(self, text: CardText) -> CardText:
        """Return the card of the model on all rows."""
        results = [self.line(), "No row was held out from these weights"]
        return text._replace(
            results=results, facts={**text.facts, "cross_validation": self.facts()}
        )


def cross_validate(
    recipe: Recipe[Any, Any],
    run: RunFolder,
    train: Train,
    begin: Callable[[int], None],
    processes: Processes,
) -> Progress:
    """Train a model for each fold, then one on all rows, or resume where that was interrupted."""
    count: int = recipe.options.folds
    recipe.fold = Fold(0, count)
    parts = [_part(recipe, run, Fold(number, count)) for number in range(1, count + 1)]

    def prepare() -> list[Any]:
        """All data before the first step: what is refused should cost no training."""
        return [part.prepare(run.path / "data") for part, run in [(recipe, run), *parts]]

    on_all_rows, *data = processes.in_turn(prepare)
    figures = []
    for number, ((part, folder), rows) in enumerate(zip(parts, data, strict=True), 1):
        begin(number)
        recipe.say(f"fold {number} of {count}")
        part.say = recipe.say
        progress = train(part, folder, rows)
        figures.append(progress.figures)
    recipe.validated = CrossValidation(figures, recipe.shown_figures())
    recipe.say(recipe.validated.line())
    begin(0)
    recipe.say("all rows")
    return train(recipe, run, on_all_rows)


def _part(
    recipe: Recipe[Any, Any], run: RunFolder, fold: Fold
) -> tuple[Recipe[Any, Any], RunFolder]:
    """Return the recipe of a fold, which is silent until it is trained, and its folder."""
    path = run.path / "folds" / str(fold.number)
    options = replace(recipe.options, output=str(path))
    part = type(recipe)(recipe.source, options, say=_silent, command=recipe.command)
    part.fold = fold
    return part, RunFolder(path, warn=recipe.say)


def _silent(sentence: str) -> None:
    """Nothing: what is said of the folds' rows was said of all."""
