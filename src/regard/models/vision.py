"""The Transformer for images: its tokens are patches, and heads read a class token.

Dosovitskiy et al. 2021, An Image is Worth 16x16 Words.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from regard.layers import ACTIVATIONS, PatchEmbedding, Stack
from regard.models.configs import ModelConfig, from_preset, one_of
from regard.models.heads import VISION_HEADS, LinearHead, Pooler
from regard.models.model import Model, init_weights


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
    head: str = one_of("none", VISION_HEADS)  # decides on the output
    labels: tuple[str, ...] = ()  # of "classification"

    norm_first = True
    attention_output_bias = True


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


def vision_preset(name: str, **changes: Any) -> VisionConfig:
    """The named preset with any changes.

    >>> vision_preset("mini", image_size=(28, 28), patch_size=(7, 7), channels=1).d_model
    96
    """
    return from_preset(VisionConfig, VISION_PRESETS, name, **changes)


class VisionTransformer(Model):
    """Pixels → the output of the config's head.

    "none":           hidden states, (batch, 1 + patches, d_model), the class token first
    "pooler":         the class token's state, projected, (batch, d_model)
    "classification": logits of the labels, (batch, labels)

    >>> config = vision_preset("mini", image_size=(28, 28), patch_size=(7, 7), channels=1)
    >>> VisionTransformer(config).eval()(torch.zeros(2, 1, 28, 28)).shape
    torch.Size([2, 17, 96])
    """

    axes = ("patches",)
    reads = "image"

    def __init__(self, config: VisionConfig):
        super().__init__()
        self.config = config
        self.embed = PatchEmbedding(
            config.image_size,
            config.patch_size,
            config.channels,
            config.d_model,
            positions=config.positions,
            dropout=config.dropout,
        )
        self.grid = self.embed.grid
        self.encoder = Stack(
            (config.layer(config.num_heads) for _ in range(config.num_layers)),
            norm=config.norm_module(),
        )
        self.head = _head(config)
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Initialize as BERT does; PatchEmbedding initializes itself."""
        init_weights(self)

    def forward(self, pixels: Tensor) -> Tensor:
        """(batch, channels, height, width) → the head's output, whose shape is in the class's
        docstring."""
        return self.head(self.hidden(pixels))

    def ids(self, inputs: Mapping[str, Tensor]) -> dict[str, Tensor]:
        return {}

    def hidden(self, pixels: Tensor) -> Tensor:
        """(batch, channels, height, width) → the last states, (batch, 1 + patches, d_model)."""
        return self.encoder(self.embed(pixels))


def _head(config: VisionConfig) -> nn.Module:
    if config.head == "pooler":
        return Pooler(config.d_model)
    if config.head == "classification":
        return LinearHead(config.d_model, len(config.labels))
    return nn.Identity()
