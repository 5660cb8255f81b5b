"""`regard ladder`: from a recurrent network without attention to the Transformer, on your pairs."""

import json
import shlex
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard import course, figures
from regard.cli.command_group import LazyCommand
from regard.cli.options import Threads
from regard.cli.training_display import TrainingDisplay
from regard.cli.training_options import options_from, takes, use_run_threads
from regard.errors import BadArgumentError, RegardError
from regard.tasks.translation import train, train_options

if TYPE_CHECKING:
    from regard.course.ladder import Ladder

# What the rungs differ in, and what would make no difference to the comparison.
_LEFT_OUT = frozenset(
    {"architecture", "norm", "attention", "source_language", "target_language", "license"}
    | {"data_note", "separate_vocabularies", "max_length", "max_epochs", "accumulate"}
    | {
        "learning_rate",
        "warmup",
        "optimizer",
        "schedule",
        "label_smoothing",
        "weight_decay",
        "device",
    }
    | {
        "tensorboard",
        "base_model",
        "temperature",
        "joined",
        "names",
        "typed",
        "new_subwords",
        "shard",
    }
    | {"fold_quotes", "encoder_layers", "decoder_layers"}
)


ladder = typer.Typer(add_completion=False)


@ladder.command("ladder", cls=LazyCommand)
def _made() -> Callable[..., None]:
    """Climb from a recurrent network to the Transformer.

    The same pairs, subwords, trainer and limits for three models: a recurrent encoder–decoder with
    one fixed context, one with Bahdanau's attention, and the Transformer. Limits hold for each
    model. The table, and with matplotlib the picture, are in OUTPUT too. The same command again
    resumes.
    """
    return takes(train_options.LadderOptions, but=_LEFT_OUT)(_climb)


def _climb(
    data: Annotated[
        str | None,
        typer.Option("--data", help="Sentence pairs: TSV, CSV, JSON lines, Parquet; also .gz."),
    ] = None,
    threads: Threads = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write one JSON object instead of the table.")
    ] = False,
    **arguments: Any,
) -> None:
    if data is None:
        raise BadArgumentError("the ladder is climbed on sentence pairs: give --data FILE.")
    cell = arguments.pop("cell") or train_options.LadderOptions.cell  # of two rungs, not of all
    options = options_from(train_options.LadderOptions, arguments)
    folder = Path(options.output)
    use_run_threads(threads, folder / course.ladder.rungs(cell)[0].name)
    with TrainingDisplay(
        options.max_steps, options.max_minutes, shown=train.TranslationRecipe.shown
    ) as display:
        result = course.ladder.climb(
            data,
            options,
            watch=display.watch,
            say=display.say,
            command=shlex.join(["regard", *sys.argv[1:]]),
            cell=cell,
        )
    if as_json:
        print(json.dumps(asdict(result), ensure_ascii=False))
    else:
        print(f"{result.table()}\n\n{result.caption()}")
    _draw(result, folder / "ladder.svg")


def _draw(result: "Ladder", path: Path) -> None:
    try:
        lengths = [course.ladder.words(bucket) for bucket in result.buckets]
        lines = {rung.title: (lengths, rung.bleu_by_length) for rung in result.rungs}
        panel = figures.plots.Plot("", "words in the source", "BLEU", lines)
        figure = figures.plots.plots([panel], width_mm=figures.style.COLUMN_MM)
    except RegardError as error:  # no matplotlib: the table has the same numbers
        print(f"No picture: {error}", file=sys.stderr)
        return
    figures.style.save(figure, path)
    print(f"The table and the picture are in {path.parent}.", file=sys.stderr)
