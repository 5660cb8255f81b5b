"""The config of the Transformer for images, and its presets."""

from dataclasses import dataclass
from math import prod
from typing import Any

from regard.models.configs.config import (
    ACTIVATIONS,
    ModelConfig,
    Shapes,
    from_preset,
    linear,
    norm,
    one_of,
    projection,
)
from regard.models.configs.heads import VISION_HEADS


@dataclass(frozen=True)
class VisionConfig(ModelConfig):
    """Defaults as the base model for images of 224 × 224 pixels.

    >>> VisionConfig(image_size=(28, 28), patch_size=(7, 7), channels=1).num_layers
    12
    """

    image_size: tuple[int, int] = (224, 224)  # height and width, in pixels
    patch_size: tuple[int, int] = (16, 16)  # likewise, of one patch; divides the image
    channels: int = 3  # of the image: red, green and blue
    d_model: int = 768  # width of every hidden state
    num_layers: int = 12
    num_heads: int = 12
    d_ff: int = 3072  # inner width of the feed-forward networks
    dropout: float = 0.0  # on sub-layer outputs and embedding sums, in 1/256 steps
    activation: str = one_of("gelu", ACTIVATIONS)
    norm_eps: float = 1e-12  # added to the variance before its root is taken
    attention_bias: bool = True  # on the projections of query, key and value
    positions: str = "learned"  # or "grid", sinusoids of row and column
    class_token: bool = True  # whether a learned vector precedes the patches
    patch_bias: bool = True  # on the projection of patches
    embedding_norm: bool = False  # a normalization of the embedding sums
    head: str = one_of("none", VISION_HEADS)  # decides on the output
    labels: tuple[str, ...] = ()  # of "classification"
    # what "embedding" reads: the first state, or all of them by an attention of its own
    pooling: str = one_of("first", ("first", "attention"))
    projection: int | None = None  # numbers of the vector of "embedding"; None: d_model, as it is
    projection_bias: bool = True

    norm_first = True
    attention_output_bias = True

    def shapes(self) -> Shapes:
        shapes = Shapes()
        if self.class_token:
            shapes["embed.class_token"] = (1, 1, self.d_model)
        shapes["embed.positions"] = (1, self.length, self.d_model)
        shapes["embed.patches.weight"] = (self.d_model, self.channels, *self.patch_size)
        if self.patch_bias:
            shapes["embed.patches.bias"] = (self.d_model,)
        if self.embedding_norm:
            shapes |= self._norm("embed.norm")
        shapes |= self._layers("encoder", self.num_layers, self.num_heads)
        shapes |= self._norm("encoder.norm")
        if self.head == "pooler":
            return shapes | linear("head.dense", self.d_model, self.d_model)
        if self.head == "classification":
            return shapes | linear("head.output", self.d_model, len(self.labels))
        if self.head == "embedding" and self.pooling == "attention":
            shapes |= self._pool("head.pool")
        if self.head == "embedding":
            shapes |= projection(self.d_model, self.projection, self.projection_bias)
        return shapes

    def _pool(self, path: str) -> Shapes:
        """Shapes of an `AttentionPooling`."""
        width = self.d_model
        shapes: Shapes = {f"{path}.probe": (1, 1, width)}
        for name in ("query", "key", "value", "output"):
            shapes |= linear(f"{path}.cross_attention.{name}", width, width)
        return (
            shapes
            | norm(f"{path}.norm", width)
            | self._feed_forward(f"{path}.feed_forward", self.d_ff)
        )

    @property
    def length(self) -> int:
        """Places of an image: its patches, and the class token where there is one."""
        sizes = zip(self.image_size, self.patch_size, strict=True)
        return prod(size // side for size, side in sizes) + self.class_token


# The sizes of the paper's Table 1, the two smaller ones of Touvron et al. 2021, DeiT, and two for
# images of few pixels.
VISION_PRESETS: dict[str, dict[str, Any]] = {
    "mini": dict(d_model=96, d_ff=384, num_heads=4, num_layers=4),
    "micro": dict(d_model=128, d_ff=512, num_heads=4, num_layers=6),
    "tiny": dict(d_model=192, d_ff=768, num_heads=3, num_layers=12),
    "small": dict(d_model=384, d_ff=1536, num_heads=6, num_layers=12),
    "base": dict(d_model=768, d_ff=3072, num_heads=12, num_layers=12),
    "large": dict(d_model=1024, d_ff=4096, num_heads=16, num_layers=24),
    "huge": dict(d_model=1280, d_ff=5120, num_heads=16, num_layers=32),
}


def vision_preset(name: str, **changes: object) -> VisionConfig:
    """Return the named preset with any changes.

    >>> vision_preset("mini", image_size=(28, 28), patch_size=(7, 7), channels=1).d_model
    96
    """
    return from_preset(VisionConfig, VISION_PRESETS, name, **changes)
