"""`regard train`: one subcommand for each task; the same command again resumes the run."""

import os
import shlex
import sys
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.cli.commands.evaluate import measure, read_references, show
from regard.cli.options import Threads
from regard.cli.training_display import TrainingDisplay
from regard.errors import BadArgumentError

if TYPE_CHECKING:
    from regard.translation.training import TrainingOptions

train = typer.Typer(name="train", no_args_is_help=True)


@train.callback()
def _tasks() -> None:
    """Train a model on your own data."""


def _option(name: str, help: str, default: str | bool = False, **more: Any) -> Any:
    """An option whose default stands in TrainingOptions; `default` is what --help shows of it."""
    return typer.Option(name, help=help, show_default=default, **more)


# A parameter that is a field of TrainingOptions has the field's name, and None leaves the field's
# default, so that defaults live in one place; a test holds what --help shows against them.
Text = str | None
Whole = int | None
Number = float | None


@train.command()
def translation(
    context: typer.Context,
    pairs: Annotated[
        Text, typer.Argument(help="Sentence pairs: TSV, CSV, JSON lines, Parquet; also .gz.")
    ] = None,
    source: Annotated[Text, _option("--source", "Instead of PAIRS: sentences, one a line,")] = None,
    target: Annotated[Text, _option("--target", "and their translations, line by line.")] = None,
    dev: Annotated[
        Text, _option("--dev", "Pairs to choose the best model by.", "split off")
    ] = None,
    test: Annotated[
        Text, _option("--test", "Pairs to score the finished model on.", "split off")
    ] = None,
    output: Annotated[Text, _option("--output", "The run's folder.", "runs/translation")] = None,
    source_language: Annotated[
        Text, _option("--source-language", "For the model card.", "source")
    ] = None,
    target_language: Annotated[
        Text, _option("--target-language", "For the model card.", "target")
    ] = None,
    license: Annotated[
        Text, _option("--license", "The weights' licence, for the model card.", "unknown")
    ] = None,
    data_note: Annotated[
        Text, _option("--data-note", "What the data is, for the model card.", "the file")
    ] = None,
    architecture: Annotated[
        Text,
        _option("--architecture", "Kind of model.", "transformer", metavar="transformer|recurrent"),
    ] = None,
    preset: Annotated[
        Text, _option("--preset", "Size.", "tiny", metavar="tiny|small|base|big")
    ] = None,
    norm: Annotated[
        Text,
        _option("--norm", "Before or after each sub-layer (the paper).", "pre", metavar="pre|post"),
    ] = None,
    cell: Annotated[
        Text, _option("--cell", "Of a recurrent model.", "gru", metavar="gru|lstm")
    ] = None,
    attention: Annotated[
        Text,
        _option("--attention", "Of a recurrent model.", "bahdanau", metavar="none|bahdanau|luong"),
    ] = None,
    dropout: Annotated[Number, _option("--dropout", "On every sub-layer.", "preset's")] = None,
    vocab_size: Annotated[
        Whole, _option("--vocab-size", "Subwords.", "from the amount of text", min=1)
    ] = None,
    separate_vocabularies: Annotated[
        bool, _option("--separate-vocabularies", "One for each side, for unlike scripts.")
    ] = False,
    max_length: Annotated[
        Whole, _option("--max-length", "Longer pairs, in tokens, are left out.", "256", min=1)
    ] = None,
    max_tokens: Annotated[
        Whole, _option("--max-tokens", "Target tokens in a batch.", "4096", min=1)
    ] = None,
    accumulate: Annotated[Whole, _option("--accumulate", "Batches in a step.", "1", min=1)] = None,
    learning_rate: Annotated[Number, _option("--learning-rate", "At its peak.", "preset's")] = None,
    warmup: Annotated[Whole, _option("--warmup", "Steps up to the peak.", "1000", min=0)] = None,
    cooldown: Annotated[
        Whole, _option("--cooldown", "Last steps of --max-steps, down to a rate of 0.", "0", min=0)
    ] = None,
    label_smoothing: Annotated[
        Number, _option("--label-smoothing", "Share taken from the target.", "0.1", min=0, max=1)
    ] = None,
    weight_decay: Annotated[
        Number, _option("--weight-decay", "AdamW's, on matrices.", "0.0", min=0)
    ] = None,
    max_steps: Annotated[Whole, _option("--max-steps", "Stop after so many.", min=1)] = None,
    max_epochs: Annotated[Number, _option("--max-epochs", "Stop after so many.", min=0)] = None,
    max_minutes: Annotated[Number, _option("--max-minutes", "Stop after so many.", min=0)] = None,
    patience: Annotated[
        Whole,
        _option("--patience", "Stop after so many evaluations without a better one.", "10", min=0),
    ] = None,
    evaluate_every: Annotated[
        Whole, _option("--eval-every", "Steps from one evaluation to the next.", "250", min=1)
    ] = None,
    dev_sentences: Annotated[
        Whole, _option("--dev-sentences", "Translated at each evaluation.", "500", min=1)
    ] = None,
    average: Annotated[
        Whole,
        _option(
            "--average",
            "Newest checkpoints whose mean is the model; in a cooldown, only its own.",
            "5",
            min=1,
        ),
    ] = None,
    device: Annotated[
        Text, _option("--device", "Where to compute.", "auto", metavar="auto|cpu|cuda")
    ] = None,
    precision: Annotated[
        Text, _option("--precision", "Of the computation.", "auto", metavar="auto|fp32|bf16")
    ] = None,
    seed: Annotated[Whole, _option("--seed", "The same seed gives the same run.", "1")] = None,
    tensorboard: Annotated[
        bool, _option("--tensorboard", "Also write TensorBoard's event files.")
    ] = False,
    threads: Threads = None,
    as_json: Annotated[bool, _option("--json", "Write each evaluation as a JSON line.")] = False,
) -> None:
    """Train a translator on a file of sentence pairs.

    The best model is in OUTPUT/model, in Hugging Face's layout. The same command again resumes.
    """
    data = _data(pairs, source, target)
    from regard.translation.training import TrainingOptions, train_translation

    options = _options(TrainingOptions, context.params)
    use_threads(threads, Path(options.output))
    references = read_references(Path(test)) if test else []
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
    if not references and split_off.stat().st_size:
        references = read_references(split_off)
    if references:
        from regard.api.loading import load

        _, figures = measure(load(str(best), "translation"), references)
        show(figures, as_json=as_json)


def use_threads(threads: int | None, run: Path) -> None:
    """Computes with `threads`; by default with as many as the run in the folder began with, if this
    machine has them, so that the same command gives the same bits."""
    import torch

    from regard.training import RunFolder

    if threads is None:
        threads = RunFolder(run).threads or torch.get_num_threads()
        if threads == torch.get_num_threads() or threads > (os.cpu_count() or 1):
            return
        print(f"Using --threads {threads}, as this run did when it began.", file=sys.stderr)
    torch.set_num_threads(threads)


def _data(pairs: str | None, source: str | None, target: str | None) -> str | tuple[str, str]:
    if pairs is not None and source is None and target is None:
        return pairs
    if pairs is None and source is not None and target is not None:
        return source, target
    raise BadArgumentError(
        "training needs either one file of sentence pairs, or both --source and --target files."
    )


def _options(kind: "type[TrainingOptions]", given: dict[str, Any]) -> "TrainingOptions":
    names = {field.name for field in fields(kind)}
    return kind(**{name: v for name, v in given.items() if name in names and v is not None})
