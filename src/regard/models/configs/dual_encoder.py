"""The config of two encoders, of texts and of images, whose vectors are compared."""

from dataclasses import dataclass

from regard.errors import BadArgumentError
from regard.models.configs.config import ModelConfig, Shapes
from regard.models.configs.encoder import EncoderConfig
from regard.models.configs.vision import VisionConfig


@dataclass(frozen=True)
class DualEncoderConfig(ModelConfig):
    """Both encoders have the head "embedding", whose vectors have one width.

    >>> text = EncoderConfig(vocab_size=100, head="embedding", projection=64)
    >>> image = VisionConfig(head="embedding", projection=64)
    >>> DualEncoderConfig(text, image).width
    64
    """

    text: EncoderConfig
    image: VisionConfig
    # whether a text and an image fit or not (SigLIP), by a scale and a bias; else one of several
    # texts fits an image, or one of several images a text (CLIP), by a scale
    pairwise: bool = False

    head = "embedding"

    def __post_init__(self) -> None:
        super().__post_init__()
        text, image = (side.projection or side.d_model for side in (self.text, self.image))
        if text != image:
            raise BadArgumentError(
                "the vectors of texts and of images must have one width, to be compared; those of"
                f" texts have {text} numbers, and those of images {image}."
            )

    @property
    def width(self) -> int:
        """Numbers of a vector."""
        return self.text.projection or self.text.d_model

    def shapes(self) -> Shapes:
        shapes: Shapes = {"logit_scale": (1,)}
        if self.pairwise:
            shapes["logit_bias"] = (1,)
        for side, config in (("text", self.text), ("image", self.image)):
            shapes |= {f"{side}.{name}": shape for name, shape in config.shapes().items()}
        return shapes
