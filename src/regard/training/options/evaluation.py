"""Options of evaluating a model, and columns of data, which training has too.

The commands are made from these classes, so nothing here imports torch.
"""

from pathlib import Path
from typing import Any

from regard.engine.engines import check_engine
from regard.engine.options import EngineOptions
from regard.errors import BadArgumentError
from regard.generation.config import decoding_of, with_decoding
from regard.options import Options, option

PICTURES = (".svg", ".pdf", ".png")


def column(help: str, **more: Any) -> str | None:
    """Return a field of a class of options: how the data is read."""
    return option(None, help, panel="Data", **more)


class EvaluationOptions(EngineOptions):
    """Options of every evaluation."""

    compare: str | None = option(
        None, "Another model of the task, compared by a paired bootstrap test."
    )

    def check(self) -> None:
        check_engine(self.engine or "auto", precision=self.precision)


class BatchedOptions(EvaluationOptions):
    """Options of an evaluation that computes several examples together."""

    batch_size: int = option(32, "Examples in a batch.", shown="by the task", min=1)


@with_decoding(("Decoding",), but=("alternatives",))
class DecodingOptions(BatchedOptions):
    """Options of evaluating a model that writes an answer to each text."""

    output: str | None = option(
        None, "File for the translations or summaries, one per line.", flag="--output -o"
    )

    def decoding(self) -> dict[str, Any]:
        """Return those arguments of `TextToText.run` that are not left to it."""
        chosen = {name: value for name, value in vars(self).items() if value is not None}
        return {"batch_size": self.batch_size} | decoding_of(chosen)


class WorstOptions(EvaluationOptions):
    """Options of an evaluation that shows examples."""

    worst: int = option(5, "How many of the worst examples to show.", min=0)


class LabelOptions(WorstOptions, BatchedOptions):
    """Options of evaluating a classifier."""

    batch_size: int = option(64, "Examples in a batch.", shown="by the task", min=1)
    figure: str | None = option(None, "Draw a classifier's confusions: .svg, .pdf or .png.")

    def check(self) -> None:
        super().check()
        if self.figure is not None and Path(self.figure).suffix.lower() not in PICTURES:
            raise BadArgumentError(
                f"figure must end in {', '.join(PICTURES)}; got {Path(self.figure).name!r}."
            )


class LineOptions(Options):
    """Reading of files of lines."""

    strict: bool = option(
        False,
        "Stop at the first line that cannot be used, which else is left out.",
        panel="Data",
        free=True,
    )

    def columns(self) -> dict[str, Any]:
        """Return the options of the class that says which columns there are."""
        kind = next(base for base in type(self).__mro__ if LineOptions in base.__bases__)
        return self.values(*kind.__annotations__)
