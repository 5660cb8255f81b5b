"""The options of training and evaluating it, and the columns of its data."""

from typing import ClassVar

from regard.training.options.encoders import FoldedOptions
from regard.training.options.evaluation import BatchedOptions, LineOptions, WorstOptions, column
from regard.training.options.run import data_option


class WordColumns(LineOptions):
    """Columns of sentences with labeled words."""

    word: str | None = column(
        "The column of the words; of JSON, the field of the words or the text.",
        shown="the first; tokens, words, text",
    )
    label: str | None = column(
        "The column of the labels; of JSON, the field of the labels or the spans.",
        shown="the last; labels, tags, spans, …",
    )


class WordEvaluationOptions(WordColumns, WorstOptions, BatchedOptions):
    """Options of evaluating a model that labels words."""


class TokenClassificationOptions(WordColumns, FoldedOptions):
    """The options of `regard train token-classification`."""

    evaluation: ClassVar = WordEvaluationOptions

    output: str = data_option("runs/token-classification", "The run's folder.", free=True)
