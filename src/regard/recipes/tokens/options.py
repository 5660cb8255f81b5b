"""The options of training and evaluating a model that labels words."""

from dataclasses import dataclass
from typing import ClassVar

from regard.recipes.options.encoders import EncoderOptions
from regard.recipes.options.evaluation import BatchedOptions, LineOptions, WorstOptions, column
from regard.recipes.options.run import data_option


@dataclass(frozen=True, repr=False)
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


@dataclass(frozen=True, repr=False)
class WordEvaluationOptions(WordColumns, WorstOptions, BatchedOptions):
    """Options of evaluating a model that labels words."""


@dataclass(frozen=True, repr=False)
class TokenClassificationOptions(WordColumns, EncoderOptions):
    """The options of `regard train token-classification`."""

    evaluation: ClassVar = WordEvaluationOptions

    output: str = data_option("runs/token-classification", "The run's folder.", free=True)
