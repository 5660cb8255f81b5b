"""Options of the commands that train. Their defaults are those of `TrainingOptions`."""

import os
import sys
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from regard.translation.options import DEFAULTS, TrainingOptions

Text = str | None
Whole = int | None
Number = float | None

Options = TypeVar("Options", bound=TrainingOptions)


def training_option(field: str, help: str, *, default: str | None = None, **more: Any) -> Any:
    """The option of a field of `TrainingOptions`, whose default --help shows.

    Args:
        default: what --help shows where the default is computed: "split off".
    """
    flag = more.pop("flag", f"--{field.replace('_', '-')}")
    known = DEFAULTS[field]
    shown = default or (False if known is None or known is False else str(known))
    return typer.Option(flag, help=help, show_default=shown, **more)


Dev = Annotated[
    Text, training_option("dev", "Pairs to choose the best model by.", default="split off")
]
Test = Annotated[
    Text, training_option("test", "Pairs to score the finished model on.", default="split off")
]
Cell = Annotated[Text, training_option("cell", "Of a recurrent model.", metavar="gru|lstm")]
Dropout = Annotated[Number, training_option("dropout", "On every sub-layer.", default="preset's")]
VocabSize = Annotated[
    Whole, training_option("vocab_size", "Subwords.", default="from the amount of text", min=1)
]
MaxTokens = Annotated[Whole, training_option("max_tokens", "Target tokens in a batch.", min=1)]
Cooldown = Annotated[
    Whole, training_option("cooldown", "Last steps of --max-steps, down to a rate of 0.", min=0)
]
MaxSteps = Annotated[Whole, training_option("max_steps", "Stop after this many steps.", min=1)]
MaxMinutes = Annotated[
    Number, training_option("max_minutes", "Stop after this many minutes.", min=0)
]
Patience = Annotated[
    Whole,
    training_option("patience", "Stop after so many evaluations without a better one.", min=0),
]
EvaluateEvery = Annotated[
    Whole,
    training_option(
        "evaluate_every", "Steps from one evaluation to the next.", flag="--eval-every", min=1
    ),
]
DevSentences = Annotated[
    Whole, training_option("dev_sentences", "Translated at each evaluation.", min=1)
]
Average = Annotated[
    Whole,
    training_option(
        "average", "Newest checkpoints whose mean is the model; in a cooldown, only its own.", min=1
    ),
]
Precision = Annotated[
    Text, training_option("precision", "Of the computation.", metavar="auto|fp32|bf16")
]
Seed = Annotated[Whole, training_option("seed", "The same seed gives the same run.")]


def options_from(kind: type[Options], parameters: dict[str, Any]) -> Options:
    """The options that a command was given; those it was not given keep their defaults."""
    names = {field.name for field in fields(kind)}
    return kind(**{name: v for name, v in parameters.items() if name in names and v is not None})


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
