"""The options of training and evaluating it, and the columns of its data."""

from typing import ClassVar

from regard.tasks.summarization.train_options import DocumentColumns, SummaryEvaluationOptions
from regard.training.options.encoders import FoldedOptions
from regard.training.options.run import data_option


class ExtractionOptions(DocumentColumns, FoldedOptions):
    """The options of `regard train extractive-summarization`."""

    evaluation: ClassVar = SummaryEvaluationOptions

    output: str = data_option("runs/extractive-summarization", "Folder of the run.", free=True)
    max_length: int = data_option(
        384, "Tokens that are read of a document at a time; more are not trained on.", min=8
    )
