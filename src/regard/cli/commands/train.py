"""`regard train`: one subcommand for each task; the same command again resumes the run."""

import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.api.taught import TAUGHT, Taught
from regard.cli.lazy import LazyCommand
from regard.cli.options import Threads
from regard.cli.training_display import TrainingDisplay
from regard.cli.training_options import options_from, takes, use_run_threads
from regard.errors import BadArgumentError

if TYPE_CHECKING:
    from regard.recipes.options.run import RunOptions
    from regard.translation.files import Pairs

train = typer.Typer(name="train", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Write each evaluation as a JSON line.")]


@train.callback()
def _tasks() -> None:
    """Train a model on your own data."""


def _one_file(taught: Taught) -> Callable[..., None]:
    """The command of a task whose data is one file or folder."""

    def command(
        data: Annotated[str, typer.Argument(help=taught.data)],
        threads: Threads = None,
        as_json: AsJson = False,
        **arguments: Any,
    ) -> None:
        from regard.cli.run_scores import score_run

        options = options_from(taught.options_class(), arguments)
        _learn(taught, data, options, threads, as_json)
        score_run(taught.task, Path(options.output), as_json=as_json)

    return command


def _pairs(taught: Taught) -> Callable[..., None]:
    """The command of a task whose data is files of pairs, or a source and a target file."""

    def command(
        pairs: Annotated[list[str] | None, typer.Argument(help=taught.data)] = None,
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
        **arguments: Any,
    ) -> None:
        data = _files(pairs, source, target)
        from regard.cli.run_scores import score_translator
        from regard.translation.evaluation import read_test_set
        from regard.translation.files import languages_of, pair_files

        options = options_from(taught.options_class(), arguments)
        languages = languages_of(pair_files(data, options.weights))
        tested = read_test_set(options.test) if options.test and not languages else []
        shown = {f"bleu_{each}": f"{each} {{:.2f}}" for each in languages}
        _learn(taught, data, options, threads, as_json, shown)
        score_translator(Path(options.output), languages, tested, as_json=as_json)

    return command


def _files(pairs: list[str] | None, source: str | None, target: str | None) -> "Pairs":
    if pairs and source is None and target is None:
        return pairs if len(pairs) > 1 else pairs[0]
    if not pairs and source is not None and target is not None:
        return source, target
    raise BadArgumentError(
        "training needs either files of sentence pairs, or both --source and --target files."
    )


def _learn(
    taught: Taught,
    data: Any,
    options: "RunOptions",
    threads: int | None,
    as_json: bool,
    shown: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Trains by the task's recipe, showing how it goes, and `shown` with it."""
    from regard.recipes.recipe import learn

    recipe = taught.recipe_class()
    run = Path(options.output)
    use_run_threads(threads, run)
    with TrainingDisplay(
        options.max_steps, options.max_minutes, shown={**recipe.shown, **shown}, as_json=as_json
    ) as display:
        command = shlex.join(["regard", *sys.argv[1:]])
        learn(recipe(data, options, say=display.say, command=command), watch=display.watch)
    print(f"The best model is in {run / 'model'}.", file=sys.stderr)


def _add(name: str, taught: Taught) -> None:
    help = (
        f"{taught.summary}\n\nThe best model is in OUTPUT/model, in {taught.layout} layout. The"
        " same command again resumes."
    )

    @train.command(name, help=help, cls=LazyCommand)
    def make() -> Callable[..., None]:
        command = _pairs if name == "translation" else _one_file
        return takes(taught.options_class())(command(taught))


for _name, _taught in TAUGHT.items():
    _add(_name, _taught)
