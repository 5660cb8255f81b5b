"""`regard train`: one subcommand for each task; the same command again resumes the run."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from regard.cli.commands.evaluate import score, show
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
    Number,
    Patience,
    Precision,
    Seed,
    Test,
    Text,
    VocabSize,
    Whole,
    options_from,
    training_option,
    use_threads,
)
from regard.errors import BadArgumentError
from regard.translation.options import TrainingOptions

train = typer.Typer(name="train", no_args_is_help=True)


@train.callback()
def _tasks() -> None:
    """Train a model on your own data."""


# A parameter that is a field of TrainingOptions has the field's name.
@train.command()
def translation(
    context: typer.Context,
    pairs: Annotated[
        Text, typer.Argument(help="Sentence pairs: TSV, CSV, JSON lines, Parquet; also .gz.")
    ] = None,
    source: Annotated[
        Text, typer.Option("--source", help="Instead of PAIRS: sentences, one a line,")
    ] = None,
    target: Annotated[
        Text, typer.Option("--target", help="and their translations, line by line.")
    ] = None,
    dev: Dev = None,
    test: Test = None,
    output: Annotated[Text, training_option("output", "The run's folder.")] = None,
    source_language: Annotated[
        Text, training_option("source_language", "For the model card.")
    ] = None,
    target_language: Annotated[
        Text, training_option("target_language", "For the model card.")
    ] = None,
    license: Annotated[
        Text, training_option("license", "The weights' license, for the model card.")
    ] = None,
    data_note: Annotated[
        Text,
        training_option("data_note", "What the data is, for the model card.", default="the file"),
    ] = None,
    architecture: Annotated[
        Text,
        training_option("architecture", "Kind of model.", metavar="transformer|recurrent"),
    ] = None,
    preset: Annotated[
        Text, training_option("preset", "Size.", metavar="tiny|small|base|big")
    ] = None,
    norm: Annotated[
        Text,
        training_option("norm", "Before or after each sub-layer (the paper).", metavar="pre|post"),
    ] = None,
    cell: Cell = None,
    attention: Annotated[
        Text,
        training_option("attention", "Of a recurrent model.", metavar="none|bahdanau|luong"),
    ] = None,
    dropout: Dropout = None,
    vocab_size: VocabSize = None,
    separate_vocabularies: Annotated[
        bool, training_option("separate_vocabularies", "One for each side, for unlike scripts.")
    ] = False,
    max_length: Annotated[
        Whole, training_option("max_length", "Longer pairs, in tokens, are left out.", min=1)
    ] = None,
    max_tokens: MaxTokens = None,
    accumulate: Annotated[Whole, training_option("accumulate", "Batches in a step.", min=1)] = None,
    learning_rate: Annotated[
        Number, training_option("learning_rate", "At its peak.", default="preset's")
    ] = None,
    warmup: Annotated[Whole, training_option("warmup", "Steps up to the peak.", min=0)] = None,
    cooldown: Cooldown = None,
    label_smoothing: Annotated[
        Number, training_option("label_smoothing", "Share taken from the target.", min=0, max=1)
    ] = None,
    weight_decay: Annotated[
        Number, training_option("weight_decay", "AdamW's, on matrices.", min=0)
    ] = None,
    max_steps: MaxSteps = None,
    max_epochs: Annotated[
        Number, training_option("max_epochs", "Stop after this many epochs.", min=0)
    ] = None,
    max_minutes: MaxMinutes = None,
    patience: Patience = None,
    evaluate_every: EvaluateEvery = None,
    dev_sentences: DevSentences = None,
    average: Average = None,
    device: Annotated[
        Text, training_option("device", "Where to compute.", metavar="auto|cpu|cuda")
    ] = None,
    precision: Precision = None,
    seed: Seed = None,
    tensorboard: Annotated[
        bool, training_option("tensorboard", "Also write TensorBoard's event files.")
    ] = False,
    threads: Threads = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Write each evaluation as a JSON line.")
    ] = False,
) -> None:
    """Train a translator on a file of sentence pairs.

    The best model is in OUTPUT/model, in Hugging Face's layout. The same command again resumes.
    """
    data = _data(pairs, source, target)
    from regard.translation.training import train_translation

    options = options_from(TrainingOptions, context.params)
    use_threads(threads, Path(options.output))
    from regard.translation.evaluation import read_test_set

    tested = read_test_set(test) if test else []
    with TrainingDisplay(options.max_steps, options.max_minutes, as_json=as_json) as display:
        train_translation(
            data,
            options,
            watch=display.watch,
            say=display.say,
            command=shlex.join(["regard", *sys.argv[1:]]),
        )
    best = Path(options.output) / "model"
    print(f"The best model is in {best}.", file=sys.stderr)
    split_off = Path(options.output) / "data" / "test.tsv"
    if not tested and split_off.stat().st_size:
        tested = read_test_set(split_off)
    if tested:
        from regard.api.loading import load

        show(score(load(str(best), "translation"), tested), as_json=as_json)


def _data(pairs: str | None, source: str | None, target: str | None) -> str | tuple[str, str]:
    if pairs is not None and source is None and target is None:
        return pairs
    if pairs is None and source is not None and target is not None:
        return source, target
    raise BadArgumentError(
        "training needs either one file of sentence pairs, or both --source and --target files."
    )
