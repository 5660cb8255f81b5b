"""`regard ladder`: from a recurrent network without attention to the Transformer, on your pairs."""

import json
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from regard.cli.options import Threads
from regard.cli.training_display import TrainingDisplay
from regard.cli.training_options import (
    Average,
    Cell,
    Cooldown,
    Dev,
    DevSentences,
    Dropout,
    EvaluateEvery,
    MaxMinutes,
    MaxSteps,
    MaxTokens,
    Patience,
    Precision,
    Seed,
    Test,
    Text,
    VocabSize,
    options_from,
    training_option,
    use_threads,
)
from regard.errors import BadArgumentError, RegardError
from regard.translation.options import LadderOptions


def ladder(
    context: typer.Context,
    data: Annotated[
        Text,
        typer.Option("--data", help="Sentence pairs: TSV, CSV, JSON lines, Parquet; also .gz."),
    ] = None,
    dev: Dev = None,
    test: Test = None,
    output: Annotated[
        Text,
        typer.Option(
            "--output",
            "-o",
            help="The folder of runs, table and picture.",
            show_default=LadderOptions.output,
        ),
    ] = None,
    max_minutes: MaxMinutes = None,
    max_steps: MaxSteps = None,
    cooldown: Cooldown = None,
    preset: Annotated[Text, training_option("preset", "Size.", metavar="tiny|small|base")] = None,
    cell: Cell = None,
    vocab_size: VocabSize = None,
    max_tokens: MaxTokens = None,
    patience: Patience = None,
    evaluate_every: EvaluateEvery = None,
    average: Average = None,
    dropout: Dropout = None,
    dev_sentences: DevSentences = None,
    precision: Precision = None,
    seed: Seed = None,
    threads: Threads = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write one JSON object instead of the table.")
    ] = False,
) -> None:
    """Climb from a recurrent network to the Transformer.

    The same pairs, subwords, trainer and limits for three models: a recurrent encoder–decoder with
    one fixed context, one with Bahdanau's attention, and the Transformer. Limits are of each model.
    The table, and with matplotlib the picture, are in OUTPUT too. The same command again resumes.
    """
    if data is None:
        raise BadArgumentError("the ladder is climbed on sentence pairs: give --data FILE.")
    from regard.translation.ladder import climb, rungs

    cell = context.params.pop("cell") or LadderOptions.cell  # of two rungs, not of all
    options = options_from(LadderOptions, context.params)
    folder = Path(options.output)
    use_threads(threads, folder / rungs(cell)[0].name)
    with TrainingDisplay(options.max_steps, options.max_minutes) as display:
        result = climb(
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


def _draw(result: Any, path: Path) -> None:
    from regard.figures.curves import curves
    from regard.figures.style import save
    from regard.translation.ladder import words

    try:
        figure = curves(
            {rung.title: rung.bleu_by_length for rung in result.rungs},
            [words(bucket) for bucket in result.buckets],
            x_name="words in the source",
            y_name="BLEU",
        )
    except RegardError as error:  # no matplotlib: the table has the same numbers
        print(f"No picture: {error}", file=sys.stderr)
        return
    save(figure, path)
    print(f"The table and the picture are in {path.parent}.", file=sys.stderr)
