"""The options of training models that read files: of sounds, and of images with texts."""

from regard.errors import BadArgumentError
from regard.training.options.run import TunedOptions, limit_option


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
