"""The options of training and evaluating it, and the columns of its data."""

from typing import TYPE_CHECKING, ClassVar

from regard.options import option
from regard.training.options.evaluation import DecodingOptions, LineOptions, WorstOptions, column
from regard.training.options.run import (
    data_option,
    evaluation_option,
    limit_option,
    training_option,
)
from regard.training.options.sequences import SequenceOptions

if TYPE_CHECKING:
    from regard.models.configs.encoder_decoder import EncoderDecoderConfig
    from regard.models.configs.recurrent import RecurrentConfig


class DocumentColumns(LineOptions):
    """Columns of documents with summaries."""

    document: str | None = column(
        "The column of the documents.", shown="document, article, text, …"
    )
    summary: str | None = column(
        "The column of the summaries; JSON has lists.", shown="summary, highlights, …"
    )


class SummaryEvaluationOptions(DocumentColumns, WorstOptions, DecodingOptions):
    """Options of evaluating a summarizer."""

    batch_size: int = option(8, "Examples in a batch.", shown="by the task", min=1)


class SummarizationOptions(DocumentColumns, SequenceOptions):
    """The options of `regard train summarization`."""

    evaluation: ClassVar = SummaryEvaluationOptions

    output: str = data_option("runs/summarization", "Folder of the run.", free=True)
    max_source_length: int = data_option(
        1024, "Longer documents, in tokens, are cut, as the finished model will cut them.", min=8
    )
    max_length: int = data_option(128, "Longer summaries, in tokens, are not trained on.", min=1)
    warmup: int | None = training_option(
        None, "Steps up to the peak rate.", shown="1000; 6 % of all with --from", min=0
    )
    max_epochs: float | None = limit_option(
        None, "Stop after this many epochs.", shown="3 with --from, at least 60 steps", above=0
    )
    evaluate_every: int | None = evaluation_option("half an epoch")
    dev_documents: int = limit_option(200, "Dev documents summarized at each evaluation.", min=1)

    def epochs(self) -> float | None:
        if self.max_epochs is not None or self.max_steps is not None or self.base_model is None:
            return self.max_epochs
        return 3

    def warmup_steps(self, last: int) -> int:
        new = self.base_model is None
        return 1000 if self.warmup is None and new else super().warmup_steps(last)

    def model_config(
        self, vocab_size: int, **changes: object
    ) -> "EncoderDecoderConfig | RecurrentConfig":
        longest = max(self.max_source_length, self.max_length + 1)
        return super().model_config(vocab_size, **({"max_positions": longest} | changes))
