"""The options of training and evaluating it, and the columns of its data."""

from typing import ClassVar

from regard.errors import BadArgumentError, check_choice
from regard.options import option
from regard.tasks.embedding import task
from regard.training.options.encoders import FoldedOptions
from regard.training.options.evaluation import BatchedOptions, LineOptions, WorstOptions, column
from regard.training.options.run import data_option, model_option, training_option


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


class PairEvaluationOptions(PairColumns, WorstOptions, BatchedOptions):
    """Options of evaluating an encoder of texts."""

    batch_size: int = option(64, "Examples in a batch.", shown="by the task", min=1)


class EmbeddingOptions(PairColumns, FoldedOptions):
    """The options of `regard train embedding`."""

    evaluation: ClassVar = PairEvaluationOptions

    output: str = data_option("runs/embedding", "Folder of the run.", free=True)
    score_scale: float | None = data_option(
        None, "The score of two equal texts.", shown="1, or the highest if above 1", above=0
    )
    pooling: str | None = model_option(
        None,
        "Pooling of the tokens' states into one vector.",
        shown="the model's, else mean",
        metavar="mean|cls|max",
    )
    batch_size: int = training_option(
        64, "Most pairs in a batch: each has all others as negatives.", min=2
    )
    temperature: float = training_option(
        0.05, "Divisor of the cosines before the softmax.", above=0
    )
    symmetric: bool = training_option(
        False, "Also look for each first text among those of the second."
    )

    def check(self) -> None:
        super().check()
        if self.pooling is not None:
            check_choice("pooling", self.pooling, task.POOLING)
        if self.train_layers == 0:
            raise BadArgumentError(
                "train_layers must be at least 1, for an embedding model has no head; got 0."
            )
