"""The options of training models that read files: of sounds, and of images with texts."""

from typing import ClassVar

from regard.errors import BadArgumentError
from regard.recipes.options.evaluation import (
    ImageColumns,
    MatchingEvaluationOptions,
    SoundColumns,
    TranscriptionEvaluationOptions,
)
from regard.recipes.options.run import TunedOptions, data_option, limit_option, model_option, option


class FileOptions(TunedOptions):
    """Options of continuing the training of a model that reads files."""

    max_epochs: float | None = limit_option(
        None, "Stop after this many epochs.", shown="3", above=0
    )

    def check(self) -> None:
        super().check()
        if self.base_model is None:
            raise BadArgumentError(
                "base_model must name the model to begin with, a folder or hub:org/name: such a"
                " model is not trained from random weights."
            )

    def usual_rate(self) -> float:
        return 1e-5

    @classmethod
    def not_used(cls) -> frozenset[str]:
        return frozenset({"max_tokens", "train_layers", "layer_decay"})


class TranscriptionOptions(SoundColumns, FileOptions):
    """The options of `regard train transcription`."""

    evaluation: ClassVar = TranscriptionEvaluationOptions

    output: str = data_option("runs/transcription", "Folder of the run.", free=True)
    language: str | None = model_option(
        None, "That is spoken, such as en; of a model of several.", shown="the model's own"
    )
    translate: bool = model_option(False, "The texts are English translations of what is said.")
    batch_size: int = option(8, "Sounds in a batch.", min=1)
    dev_sounds: int = limit_option(100, "Dev sounds transcribed at each evaluation.", min=1)


class MatchingOptions(ImageColumns, FileOptions):
    """The options of `regard train matching`."""

    evaluation: ClassVar = MatchingEvaluationOptions

    output: str = data_option("runs/matching", "Folder of the run.", free=True)
    batch_size: int = option(32, "Pairs in a batch, whose texts the model tells apart.", min=2)

    @classmethod
    def not_used(cls) -> frozenset[str]:
        return super().not_used() | {"dropout"}
