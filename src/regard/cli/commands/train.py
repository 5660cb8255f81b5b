"""`regard train`: one subcommand for each task; the same command again resumes the run.

torchrun in front of it starts several processes, all of which come this way.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.cli.command_group import LazyCommand
from regard.cli.options import Threads
from regard.cli.progress import progress_bar
from regard.cli.streams import is_first_process
from regard.cli.training_display import TrainingDisplay
from regard.cli.training_options import command_line, options_from, takes, use_run_threads
from regard.errors import BadArgumentError, RegardError
from regard.tasks import evaluation, loading
from regard.tasks.catalog import TRAINED
from regard.tasks.declaration import Training

if TYPE_CHECKING:
    from regard.tasks.translation.read import Pairs

ONE_LABEL = " A model that gives one label to everything is named in the last line; exit code 3."


class NothingLearnedError(RegardError):
    """A training has ended, but its model gives one label to everything."""

    exit_code = 3


train = typer.Typer(name="train", add_completion=False, no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Write each evaluation as a JSON line.")]


@train.callback()
def _tasks() -> None:
    """Train a model on your own data."""


def _one_file(name: str, task: Training) -> Callable[..., None]:
    """Return the command of a task whose data is one file or folder."""

    def command(
        data: Annotated[str, typer.Argument(help=task.data)],
        threads: Threads = None,
        as_json: AsJson = False,
        **arguments: object,
    ) -> None:
        _learn(name, data, arguments, threads, as_json)

    return command


def _pairs(name: str, task: Training) -> Callable[..., None]:
    """Return the command of a task whose data is files of pairs, or two files."""

    def command(
        pairs: Annotated[list[str] | None, typer.Argument(help=task.data)] = None,
        source: Annotated[
            str | None,
            typer.Option(help="Instead of PAIRS: sentences, one a line,", rich_help_panel="Data"),
        ] = None,
        target: Annotated[
            str | None,
            typer.Option(help="and their translations, line by line.", rich_help_panel="Data"),
        ] = None,
        threads: Threads = None,
        as_json: AsJson = False,
        **arguments: object,
    ) -> None:
        _learn(name, _files(pairs, source, target), arguments, threads, as_json)

    return command


def _files(pairs: list[str] | None, source: str | None, target: str | None) -> "Pairs":
    if pairs and source is None and target is None:
        return pairs if len(pairs) > 1 else pairs[0]
    if not pairs and source is not None and target is not None:
        return source, target
    raise BadArgumentError(
        "training needs either files of sentence pairs, or both --source and --target files; a dev"
        " or test set in two files is --dev dev.en,dev.de."
    )


def _learn(
    name: str, data: "Pairs", arguments: dict[str, Any], threads: int | None, as_json: bool
) -> None:
    """Trains by the task's recipe, showing how it goes, and scores the best model."""
    from regard.training.baselines import read_baselines
    from regard.training.recipe import learn
    from regard.training.verdict import beside, held_out, nothing_learned

    kind = TRAINED[name]
    options = options_from(kind.training.options_class(), arguments)
    run = Path(options.output)
    use_run_threads(threads, run)
    with TrainingDisplay(options.max_steps, options.max_minutes, as_json=as_json) as display:
        recipe = kind.training.recipe_class()(
            data, options, say=display.say, command=command_line()
        )
        display.shown = recipe.shown_figures()
        learn(recipe, watch=display.watch, begin=display.begin)
    if not is_first_process():
        return  # the first one has the rest to do
    validated = recipe.validated
    if validated is not None and as_json:
        print(json.dumps(validated.facts()))
    best = "best " if validated is None else ""
    model = str(run / "model")
    evaluator = evaluation.evaluator_of(kind.name, model, {})
    judged: dict[str, Any] = {}  # part of the data → result
    last = ""
    for language, examples in recipe.test_sets(run):
        task: Any = loading.load(model, kind.name)
        if language:
            print(f"Test set, {language}:", file=sys.stderr)
            task = task.between(target=language)
        report = evaluator.report(task, examples, bar=progress_bar)
        baselines = read_baselines(run, "test")
        report = replace(report, baselines={**report.baselines, **baselines})
        print(report.as_json() if as_json else "\n".join(report.lines()), flush=True)
        judged["test"], last = report.result, beside(report.figures, baselines, "test")
    part, examples = held_out(recipe, run)
    if part and part not in judged:
        judged[part] = evaluator.score(loading.load(model, kind.name), examples)
        last = beside(judged[part].figures, read_baselines(run, part), part)
    print(f"The {best}model is in {run / 'model'}.{last}", file=sys.stderr)
    if sentence := nothing_learned(evaluator, judged.get(part)):
        raise NothingLearnedError(sentence)


def _add(name: str, task: Training) -> None:
    help = (
        f"{task.summary}\n\nThe best model is in OUTPUT/model, in {task.layout} layout. The"
        " same command again resumes."
        f"{ONE_LABEL if 'confusions' in task.figures else ''}"
    )

    @train.command(name, help=help, cls=LazyCommand)
    def make() -> Callable[..., None]:
        command = _pairs if name == "translation" else _one_file
        options = task.options_class()
        return takes(options, but=options.not_used())(command(name, task))


for _name, _kind in TRAINED.items():
    _add(_name, _kind.training)
