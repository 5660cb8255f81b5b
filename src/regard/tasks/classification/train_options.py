"""The options of training and evaluating it, and the columns of its data."""

from typing import ClassVar

from regard.training.options.encoders import FoldedOptions
from regard.training.options.evaluation import LabelOptions, LineOptions, column
from regard.training.options.run import data_option, training_option


class LabelColumns(LineOptions):
    """Columns of texts with labels."""

    text: str | None = column("The column of the texts.", shown="text, sentence, …")
    pair: str | None = column("The column of second texts, for a model of pairs.", shown="none")
    label: str | None = column("The column of the labels.", shown="label, labels, …")
    separator: str | None = column(
        "Between the labels of one text; JSON has lists.", shown="one label a text"
    )


class LabelEvaluationOptions(LabelColumns, LabelOptions):
    """Options of evaluating a classifier of texts."""


class ClassificationOptions(LabelColumns, FoldedOptions):
    """The options of `regard train classification`."""

    evaluation: ClassVar = LabelEvaluationOptions

    output: str = data_option("runs/classification", "Folder of the run.", free=True)
    class_weights: bool = training_option(
        False, "Weigh each label by the inverse of how often it occurs."
    )
