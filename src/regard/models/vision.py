"""The Transformer for images: its tokens are patches, and heads read a class token, or all states.

Dosovitskiy et al. 2021, An Image is Worth 16x16 Words.
"""

import torch
from torch import Tensor, nn

from regard.models.configs.facts import ImageFacts
from regard.models.configs.vision import VisionConfig
from regard.models.heads import EmbeddingHead, LinearHead, Pooler
from regard.models.layers import PatchEmbedding, Stack
from regard.models.model import Model, init_weights, make_layer, norm_of


class VisionTransformer(ImageFacts, Model):
    """Pixels → the output of the config's head.

    "none":           hidden states, (batch, 1 + patches, d_model), the class token first
    "pooler":         the class token's state, projected, (batch, d_model)
    "embedding":      a vector beside those of texts, (batch, width)
    "classification": logits of the labels, (batch, labels)

    >>> from regard.models import vision_preset
    >>> config = vision_preset("mini", image_size=(28, 28), patch_size=(7, 7), channels=1)
    >>> VisionTransformer(config).eval()(torch.zeros(2, 1, 28, 28)).shape
    torch.Size([2, 17, 96])
    """

    def __init__(self, config: VisionConfig):
        super().__init__()
        self.config = config
        self.embed = PatchEmbedding(
            config.image_size,
            config.patch_size,
            config.channels,
            config.d_model,
            class_token=config.class_token,
            positions=config.positions,
            bias=config.patch_bias,
            norm=norm_of(config) if config.embedding_norm else None,
            dropout=config.dropout,
        )
        self.encoder = Stack(
            (make_layer(config, config.num_heads) for _ in range(config.num_layers)),
            norm=norm_of(config),
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

    def hidden(self, pixels: Tensor) -> Tensor:
        """(batch, channels, height, width) → the last states, (batch, length, d_model), the class
        token's first where there is one."""
        return self.encoder(self.embed(pixels))

    def patches(self, pixels: Tensor) -> Tensor:
        """Return the head's output of each patch as if it were all that the head reads, of a model
        with the head "embedding": (batch, channels, height, width) → (batch, patches, width)."""
        states = self.hidden(pixels)[:, self.config.class_token :]
        return self.head(states.flatten(0, 1)[:, None]).unflatten(0, states.shape[:2])


def _head(config: VisionConfig) -> nn.Module:
    if config.head == "pooler":
        return Pooler(config.d_model)
    if config.head == "classification":
        return LinearHead(config.d_model, len(config.labels))
    if config.head == "embedding":
        return EmbeddingHead(config)
    return nn.Identity()
