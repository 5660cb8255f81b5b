"""Modules of the heads that `models.configs.heads` lists."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.models.configs.encoder import EncoderConfig
from regard.models.configs.vision import VisionConfig
from regard.models.layers import Dropout, FeedForward, MultiHeadAttention, make_norm

ModelT = TypeVar("ModelT", bound=nn.Module)
_ACTIVATIONS = {"tanh": torch.tanh, "relu": torch.relu, "gelu": functional.gelu}


class Pooler(nn.Module):
    """Pooling to one vector for the whole text or image: f(W · first token's state + b)."""

    def __init__(self, d_model: int, activation: str = "tanh"):
        super().__init__()
        self.dense = nn.Linear(d_model, d_model)
        self.activation = _ACTIVATIONS[activation]

    def forward(self, states: Tensor) -> Tensor:
        """(batch, length, d_model) → (batch, d_model)."""
        return self.activation(self.dense(states[:, 0]))


class ClassificationHead(nn.Module):
    """The pooled vector, projected to labels."""

    def __init__(self, pooler: Pooler, num_labels: int, dropout: float):
        super().__init__()
        self.pooler = pooler
        self.dropout = Dropout(dropout)
        self.output = nn.Linear(pooler.dense.out_features, num_labels)

    def forward(self, states: Tensor) -> Tensor:
        """(batch, length, d_model) → logits, (batch, labels)."""
        return self.output(self.dropout(self.pooler(states)))


class LinearHead(nn.Module):
    """The first state, projected to labels."""

    def __init__(self, d_model: int, num_labels: int, *, bias: bool = True):
        super().__init__()
        self.output = nn.Linear(d_model, num_labels, bias=bias)

    def forward(self, states: Tensor) -> Tensor:
        """(batch, length, d_model) → logits, (batch, labels)."""
        return self.output(states[:, 0])


class AttentionPooling(nn.Module):
    """Pooling by attention: y + f(norm(y)), where a learned vector attends to all states for y (Lee
    et al. 2019, Set Transformer; Zhai et al. 2022, Scaling Vision Transformers, section 3.3)."""

    def __init__(self, config: VisionConfig):
        super().__init__()
        width = config.d_model
        self.probe = nn.Parameter(torch.empty(1, 1, width))
        self.cross_attention = MultiHeadAttention(width, config.num_heads)
        self.norm = make_norm("layer", width, config.norm_eps)
        self.feed_forward = FeedForward(width, config.d_ff, activation=config.activation)
        if not self.probe.is_meta:
            nn.init.normal_(self.probe, std=0.02)

    def forward(self, states: Tensor) -> Tensor:
        """(batch, length, d_model) → (batch, 1, d_model)."""
        y = self.cross_attention(self.probe.expand(len(states), -1, -1), states)
        return y + self.feed_forward(self.norm(y))


class EmbeddingHead(nn.Module):
    """One vector for a text or an image: the first state, or what `pool` makes of all of them,
    projected where there is a projection."""

    def __init__(self, config: EncoderConfig | VisionConfig):
        super().__init__()
        self.pool: nn.Module = nn.Identity()
        if isinstance(config, VisionConfig) and config.pooling == "attention":
            self.pool = AttentionPooling(config)
        self.output = (
            nn.Identity()
            if config.projection is None
            else nn.Linear(config.d_model, config.projection, bias=config.projection_bias)
        )

    def forward(self, states: Tensor) -> Tensor:
        """(batch, length, d_model) → (batch, width)."""
        return self.output(self.pool(states)[:, 0])


class TokenHead(nn.Module):
    """The state of each token, projected: to its labels, or to logits of being the first and the
    last token of the answer."""

    def __init__(self, d_model: int, labels: Sequence[str], dropout: float):
        super().__init__()
        self.dropout = Dropout(dropout)
        self.output = nn.Linear(d_model, len(labels) or 2)

    def forward(self, states: Tensor) -> Tensor:
        """(batch, length, d_model) → logits, (batch, length, outputs)."""
        return self.output(self.dropout(states))


def last_state(states: Tensor, chosen: Tensor) -> Tensor:
    """Return the state at the last chosen position of each row, (batch, 1, d_model).

    Args:
        states: (batch, length, d_model).
        chosen: (batch, length), True for the positions to choose among; of a row without any, the
            first position is taken.
    """
    last = (torch.arange(chosen.shape[1], device=chosen.device) * chosen).argmax(1)
    return states[torch.arange(len(states), device=states.device), last][:, None]


def mean_state(states: Tensor, chosen: Tensor) -> Tensor:
    """Return the mean of each row's chosen states, (batch, 1, d_model); of (batch, length,
    d_model), by (batch, length)."""
    weights = chosen[..., None].to(states.dtype)
    return (states * weights).sum(1, keepdim=True) / weights.sum(1, keepdim=True)


def replace_head(
    model: ModelT, head: str, *, labels: Sequence[str] = (), **changes: object
) -> ModelT:
    """Return a model with the same body, another head, and other changes to its config.

    A head of the same shape keeps its weights, and so does a pooler that becomes part of a
    classification; any other head is new, with random weights from torch's generator.
    """
    before: Any = model.config
    other = type(model)(replace(before, head=head, labels=tuple(labels), **changes))
    state = model.state_dict()
    if before.head == "pooler" and head == "classification":
        state = {name.replace("head.", "head.pooler."): value for name, value in state.items()}
    shapes = other.state_dict()
    fits = {n: v for n, v in state.items() if n in shapes and shapes[n].shape == v.shape}
    other.load_state_dict(fits, strict=False)
    return other
