"""The options of training and evaluating it, and the columns of its data."""

from typing import ClassVar

from regard.training.options.evaluation import BatchedOptions, LineOptions, WorstOptions, column
from regard.training.options.files import FileOptions
from regard.training.options.run import data_option, training_option


class ImageColumns(LineOptions):
    """Columns of images with texts."""

    image: str | None = column("The column of the image files.", shown="image, file, …")
    text: str | None = column("The column of the texts.", shown="text, caption, …")


class MatchingEvaluationOptions(ImageColumns, WorstOptions, BatchedOptions):
    """Options of evaluating a model of images and texts."""


class MatchingOptions(ImageColumns, FileOptions):
    """The options of `regard train matching`."""

    evaluation: ClassVar = MatchingEvaluationOptions

    output: str = data_option("runs/matching", "Folder of the run.", free=True)
    batch_size: int = training_option(
        32, "Pairs in a batch, whose texts the model tells apart.", min=2
    )

    @classmethod
    def not_used(cls) -> frozenset[str]:
        return super().not_used() | {"dropout"}
