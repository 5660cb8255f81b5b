"""The options of training a classifier of images."""

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from regard import models
from regard.errors import BadArgumentError
from regard.training.options.evaluation import LabelOptions
from regard.training.options.run import (
    TunedOptions,
    between_evaluations,
    data_option,
    evaluation_option,
    model_option,
    training_option,
)

if TYPE_CHECKING:
    from regard.models.configs.vision import VisionConfig
    from regard.training import TrainingConfig

DEFAULT_VISION = "mini"  # the preset of a vision Transformer from random weights

# Peak learning rates of vision Transformers from random weights. That of mini trained well; the
# others fall with the width and are not measured.
VISION_RATES = {
    "mini": 2e-3, "micro": 1e-3, "tiny": 5e-4, "small": 3e-4, "base": 1e-4, "large": 1e-4,
    "huge": 5e-5,
}  # fmt: skip


class ImageClassificationOptions(TunedOptions):
    """Options of training a classifier of images."""

    evaluation: ClassVar = LabelOptions

    output: str = data_option("runs/image-classification", "Folder of the run.", free=True)
    dev: str | None = data_option(
        None, "Images like the data, to choose the best model by.", shown="split off", free=True
    )
    test: str | None = data_option(
        None, "Images like the data, to score the finished model on.", shown="split off", free=True
    )
    image_size: int | None = data_option(
        None,
        "Resize to this height and width, in pixels.",
        shown="the images', or the model's",
        min=4,
    )
    preset: str | None = model_option(
        None,
        "Size of a model from random weights.",
        shown=DEFAULT_VISION,
        metavar="mini|micro|tiny|small|base|large|huge",
    )
    patch_size: int | None = model_option(
        None, "Height and width of a patch, in pixels.", shown="4 to 14 patches a side", min=1
    )
    channels: int | None = model_option(
        None,
        "Of a model from random weights. A model of 1 sees gray; programs that read every picture"
        " in color, such as transformers' pipeline, need 3.",
        shown="3",
        metavar="1|3",
    )
    shift: float = training_option(
        0.07, "Augmentation: move an image by up to this part of its side.", min=0, max=1
    )
    rotate: float = training_option(
        10.0, "Augmentation: rotate it by up to this many degrees.", min=0, max=180
    )
    scale: float = training_option(
        0.1, "Augmentation: enlarge or reduce it by up to this part.", min=0, max=1
    )
    flip: bool = training_option(False, "Augmentation: mirror every second image, left to right.")
    class_weights: bool = training_option(
        False, "Weigh each label by the inverse of how often it occurs."
    )
    batch_size: int = training_option(64, "Most images in a batch.", min=1)
    max_tokens: int = training_option(
        16384, "Most tokens in a batch: a token for each patch and one for the class.", min=1
    )
    weight_decay: float = training_option(0.05, "AdamW's weight decay, on matrices.", min=0)
    evaluate_every: int | None = evaluation_option("an epoch")

    def check(self) -> None:
        for name in ("image_size", "preset", "patch_size", "channels"):
            if self.base_model is not None and getattr(self, name) is not None:
                raise BadArgumentError(
                    f"{name} is that of the trained model; leave it out, or base_model."
                )
        if self.channels not in (None, 1, 3):
            raise BadArgumentError(f"channels must be 1 or 3; got {self.channels}.")
        if self.base_model is None:
            self.model_settings(())
        super().check()

    def usual_rate(self) -> float:
        return 1e-4 if self.base_model else VISION_RATES[self.model_name]

    def training_config(self, *, epoch: int, accumulate: int | None = None) -> "TrainingConfig":
        config = super().training_config(epoch=epoch, accumulate=accumulate)
        return replace(config, evaluate_every=self.evaluate_every or between_evaluations(epoch))

    @property
    def model_name(self) -> str:
        """The preset of a model from random weights."""
        return self.preset or DEFAULT_VISION

    def model_settings(self, labels: tuple[str, ...], **changes: object) -> "VisionConfig":
        """Return the config of a new model for these labels; without any, of one without a head."""
        changes |= self.chosen("dropout")
        head = "classification" if labels else "none"
        return models.vision_preset(self.model_name, head=head, labels=labels, **changes)
