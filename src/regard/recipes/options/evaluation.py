"""Options of evaluating a model, and columns of data, which training has too.

The commands are made from these classes, so nothing here imports torch.
"""

from pathlib import Path
from typing import Any

from regard.errors import BadArgumentError
from regard.options import Options, decoding_of, option, with_decoding
from regard.tasks.options import EngineOptions

PICTURES = (".svg", ".pdf", ".png")


def column(help: str, **more: Any) -> Any:
    """A field of a class of options: how the data is read."""
    return option(None, help, panel="Data", **more)


class EvaluationOptions(EngineOptions):
    """Options of every evaluation."""

    compare: str | None = option(
        None, "Another model of the task, compared by a paired bootstrap test."
    )

    def check(self) -> None:
        from regard.tasks.engine import check_engine  # slow to import

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


class LabelColumns(LineOptions):
    """Columns of texts with labels."""

    text: str | None = column("The column of the texts.", shown="text, sentence, …")
    pair: str | None = column("The column of second texts, for a model of pairs.", shown="none")
    label: str | None = column("The column of the labels.", shown="label, labels, …")
    separator: str | None = column(
        "Between the labels of one text; JSON has lists.", shown="one label a text"
    )


class PairColumns(LineOptions):
    """Columns of pairs of texts."""

    text: str | None = column("The column of the texts.", shown="text, sentence1, …")
    pair: str | None = column(
        "The column of the texts that belong to them.", shown="pair, sentence2, …"
    )
    score: str | None = column(
        "The column of how similar the two are; then cosines are trained to be the scores.",
        shown="score, similarity",
    )


class DocumentColumns(LineOptions):
    """Columns of documents with summaries."""

    document: str | None = column(
        "The column of the documents.", shown="document, article, text, …"
    )
    summary: str | None = column(
        "The column of the summaries; JSON has lists.", shown="summary, highlights, …"
    )


class SoundColumns(LineOptions):
    """Columns of sounds with what is said in them."""

    sound: str | None = column("The column of the sound files.", shown="sound, audio, file, …")
    text: str | None = column("The column of the texts.", shown="text, sentence, …")


class ImageColumns(LineOptions):
    """Columns of images with texts."""

    image: str | None = column("The column of the image files.", shown="image, file, …")
    text: str | None = column("The column of the texts.", shown="text, caption, …")


class TextColumn(LineOptions):
    """Column of running text."""

    text: str | None = column("The column of the texts, in records.", shown="text, …")


class LabelEvaluationOptions(LabelColumns, LabelOptions):
    """Options of evaluating a classifier of texts."""


class PairEvaluationOptions(PairColumns, WorstOptions, BatchedOptions):
    """Options of evaluating an encoder of texts."""

    batch_size: int = option(64, "Examples in a batch.", shown="by the task", min=1)


class SummaryEvaluationOptions(DocumentColumns, WorstOptions, DecodingOptions):
    """Options of evaluating a summarizer."""

    batch_size: int = option(8, "Examples in a batch.", shown="by the task", min=1)


class TextEvaluationOptions(TextColumn, BatchedOptions):
    """Options of evaluating a language model."""


class MaskedEvaluationOptions(TextColumn, EvaluationOptions):
    """Options of evaluating a masked language model."""


class TranscriptionEvaluationOptions(SoundColumns, WorstOptions, DecodingOptions):
    """Options of evaluating a model that writes what is said."""

    batch_size: int = option(8, "Examples in a batch.", shown="by the task", min=1)
    language: str | None = option(None, "That is spoken in sounds.", shown="the model's own")
    task: str | None = option(
        None,
        "What is written of sounds.",
        shown="the model's own",
        metavar="transcribe|translate",
    )


class MatchingEvaluationOptions(ImageColumns, WorstOptions, BatchedOptions):
    """Options of evaluating a model of images and texts."""
