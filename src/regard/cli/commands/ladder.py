"""`regard ladder`: from a recurrent network without attention to the Transformer, on your pairs."""

import json
import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from regard.cli.commands.train import use_threads
from regard.cli.options import Threads
from regard.cli.training_display import TrainingDisplay
from regard.errors import BadArgumentError, RegardError


def ladder(
    data: Annotated[
        Path | None,
        typer.Option("--data", help="Sentence pairs: TSV, CSV, JSON lines, Parquet; also .gz."),
    ] = None,
    dev: Annotated[
        Path | None,
        typer.Option("--dev", help="Pairs to choose each best model by.", show_default="split off"),
    ] = None,
    test: Annotated[
        Path | None, typer.Option("--test", help="Pairs to score.", show_default="split off")
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder of runs, table and picture.")
    ] = Path("runs/ladder"),
    max_minutes: Annotated[
        float | None, typer.Option("--max-minutes", min=0, help="Of training, for each model.")
    ] = None,
    max_steps: Annotated[
        int | None, typer.Option("--max-steps", min=1, help="Of training, for each model.")
    ] = None,
    cooldown: Annotated[
        int,
        typer.Option("--cooldown", min=0, help="Last steps of --max-steps, down to a rate of 0."),
    ] = 0,
    preset: Annotated[
        str, typer.Option("--preset", help="Size.", metavar="tiny|small|base")
    ] = "tiny",
    cell: Annotated[
        str, typer.Option("--cell", help="Of the recurrent models.", metavar="gru|lstm")
    ] = "gru",
    vocab_size: Annotated[
        int | None,
        typer.Option(
            "--vocab-size", min=1, help="Subwords.", show_default="from the amount of text"
        ),
    ] = None,
    max_tokens: Annotated[
        int, typer.Option("--max-tokens", min=1, help="Target tokens in a batch.")
    ] = 4096,
    patience: Annotated[
        int,
        typer.Option(
            "--patience", min=0, help="Stop after so many evaluations without a better one."
        ),
    ] = 10,
    evaluate_every: Annotated[
        int, typer.Option("--eval-every", min=1, help="Steps from one evaluation to the next.")
    ] = 250,
    average: Annotated[
        int | None,
        typer.Option(
            "--average",
            min=1,
            help="Newest checkpoints whose mean is the model; in a cooldown, only its own.",
            show_default="5",
        ),
    ] = None,
    dropout: Annotated[
        float | None,
        typer.Option(
            "--dropout", min=0, max=1, help="Of every model.", show_default="each preset's"
        ),
    ] = None,
    dev_sentences: Annotated[
        int, typer.Option("--dev-sentences", min=1, help="Translated at each evaluation.")
    ] = 500,
    precision: Annotated[
        str, typer.Option("--precision", help="Of the computation.", metavar="auto|fp32|bf16")
    ] = "auto",
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same runs.")] = 1,
    threads: Threads = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write one JSON object instead of the table.")
    ] = False,
) -> None:
    """Climb from a recurrent network to the Transformer.

    The same pairs, subwords, trainer and limits for a recurrent encoder–decoder with one fixed
    context, for one with Bahdanau's attention, and for the Transformer. The table, and with
    matplotlib the picture, are in OUTPUT too. The same command again resumes.
    """
    if data is None:
        raise BadArgumentError("the ladder is climbed on sentence pairs: give --data FILE.")
    from regard.translation.ladder import climb, rungs
    from regard.translation.training import TrainingOptions

    use_threads(threads, output / rungs(cell)[0].name)
    shared: dict[str, Any] = dict(
        max_minutes=max_minutes, max_steps=max_steps, cooldown=cooldown, preset=preset,
        vocab_size=vocab_size, max_tokens=max_tokens, patience=patience,
        evaluate_every=evaluate_every, dev_sentences=dev_sentences, precision=precision, seed=seed,
        data_note=data.name, dropout=dropout,
    )  # fmt: skip
    if average is not None:
        shared["average"] = average
    options = TrainingOptions(
        output=str(output),
        dev=str(dev) if dev else None,
        test=str(test) if test else None,
        **shared,
    )
    with TrainingDisplay(max_steps, max_minutes) as display:
        result = climb(
            str(data),
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
    _draw(result, output / "ladder.svg")


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
