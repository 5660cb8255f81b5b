"""Evaluation of a model by its task's recipe."""

import copy
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from regard.checkpoints import open_checkpoint
from regard.data.tables import Table, Tables
from regard.engine.engines import computed_by
from regard.engine.task import Task
from regard.errors import BadArgumentError, RegardError, unknown
from regard.tasks import catalog, loading
from regard.tasks.kinds import kind_of
from regard.training.evaluation import AnyEvaluator, Bar, Report, check_exists, no_bar

# By the names of `catalog.LOADED`.
RECIPES = {kind.name: kind.training for kind in catalog.TRAINED.values()}


def evaluate(
    model: "str | os.PathLike[str] | Task", data: str | os.PathLike[str] | Table, **options: object
) -> Report:
    """Score a model on your own data, as `regard evaluate` does.

    >>> report = regard.evaluate("en-de", "pairs.tsv", batch_size=9)
    >>> sorted(report.figures), report.count
    (['bleu', 'chrf', 'mark_precision', 'mark_recall', 'wrong'], 9)
    >>> print(report.lines()[0])
    BLEU         ...   ... to ...   nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:...

    Args:
        model: a name or a folder, as `load` takes it, or a loaded task.
        data: a file of the task's examples, a folder of images or of text, or the examples, as
            `train` takes them.
        options: as those of `regard evaluate`: fields of `regard.training.options.evaluation`.

    Raises:
        BadArgumentError: an unknown option, or one of another kind of model; a model and examples
            that do not fit.
        NotFoundError: no such model or data.
        DamagedFileError: an example that is not of the expected form.
        UnsupportedError: a model of another kind.
    """
    if isinstance(data, str | os.PathLike):
        return Scoring.of(model, data, options).report()
    with TemporaryDirectory(prefix="regard-") as folder:
        columns = RECIPES[kind_of_model(model)].columns
        tables = Tables(Path(folder), columns, options)
        with tables.named():
            path = tables.path("data", data)
            return Scoring.of(model, path, options, say=tables.say).report()


@dataclass(frozen=True)
class Scoring:
    """A model and the examples that it is to be scored on."""

    evaluator: AnyEvaluator
    kind: str  # a name in `catalog.LOADED`
    model: "str | os.PathLike[str] | Task"
    data: Any  # as the evaluator reads it

    @classmethod
    def of(
        cls,
        model: "str | os.PathLike[str] | Task",
        data: str | os.PathLike[str],
        options: dict[str, Any],
        *,
        say: Callable[[str], None] = print,
    ) -> "Scoring":
        """Check the options and read the examples.

        Args:
            say: called with a sentence on what is left out of the data.
        """
        kind = kind_of_model(model)
        evaluator = evaluator_of(kind, str(getattr(model, "name", model)), options, say=say)
        for file in evaluator.files(os.fspath(data)):
            check_exists(Path(file))
        return cls(evaluator, kind, model, evaluator.read(os.fspath(data)))

    def report(self, *, bar: Bar = no_bar) -> Report:
        """Open the model, and another to compare it with, and score them."""
        other = self.evaluator.options.compare
        return self.evaluator.report(
            self._opened(self.model),
            self.data,
            other=None if other is None else self._opened(other),
            name=str(other),
            bar=bar,
        )

    def _opened(self, model: "str | os.PathLike[str] | Task") -> Task:
        options, say = self.evaluator.options, self.evaluator.say
        if isinstance(model, str | os.PathLike):
            task, engine = loading.load(model, self.kind), options.engine or "auto"
        else:
            task, engine = copy.copy(model), options.engine  # it has its own
        if engine is not None:
            settings = options.values("precision", "threads")
            task = computed_by(task, engine, **settings, say=say)
        elif options.threads:
            task.engine.use_threads(options.threads)
        return self.evaluator.configured(task, str(model))


def kind_of_model(model: object) -> str:
    """Return a name in `catalog.LOADED`; "translation" if that is unknown: opening it says why.

    Raises:
        BadArgumentError: an object that is neither a name nor a task that can be scored.
    """
    if isinstance(model, str | os.PathLike):
        try:
            kind = kind_of(open_checkpoint(model))
        except RegardError:
            kind = "translation"
        return kind if kind in RECIPES else "translation"
    for kind in RECIPES:
        if isinstance(model, loading.task_class(kind)):
            return kind
    raise BadArgumentError(
        "evaluating needs the name or the folder of a model, or what regard.load returned; got"
        f" {type(model).__name__}."
    )


def evaluator_of(
    kind: str, model: str, options: dict[str, Any], *, say: Callable[[str], None] = print
) -> AnyEvaluator:
    """Return the evaluator of a kind of model, with these options.

    Args:
        model: its name, for messages.

    Raises:
        BadArgumentError: an option that no evaluation has, or that this one lacks.
    """
    options_class = RECIPES[kind].options_class().evaluation
    every = {
        name
        for training in RECIPES.values()
        for name in training.options_class().evaluation.settings()
    }
    for name in options.keys() - every:
        raise unknown("an option of evaluation", name, options_class.settings())
    if others := [name for name in options if name not in options_class.settings()]:
        raise BadArgumentError(
            f"{', '.join(f'`{name}`' for name in sorted(others))} cannot be used with"
            f" {catalog.KINDS[kind].what} ({model}). Leave them out."
        )
    settings = {
        name: os.fspath(value) if isinstance(value, os.PathLike) else value
        for name, value in options.items()
    }
    return RECIPES[kind].evaluator_class()(options_class(**settings), say=say)
