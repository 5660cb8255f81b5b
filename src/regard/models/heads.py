"""Heads: what a model makes of its last states, such as labels of the text.

`HEADS` is the one list of them, with what they give; which of them a kind of model may have is
below it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from regard.layers import Dropout


@dataclass(frozen=True)
class Head:
    """The output of models with a head: states, or logits of `entries`."""

    entries: str = ""  # "token", "label", or "position" of the text; empty: it gives states
    steps: Callable[[Tensor], Tensor] = lambda output: output  # as (batch, steps, entries)
    writers: bool = False  # models that write may have it


HEADS = {
    # Hidden states, (batch, length, d_model).
    "none": Head(),
    # The first token's state, projected, (batch, d_model).
    "pooler": Head(),
    # Logits of the next token at every position of the text or target, (batch, length, vocab).
    "language_model": Head("token", writers=True),
    # Logits of the token at each position, (batch, length, vocab).
    "masked_lm": Head("token"),
    # Logits of the labels, (batch, labels): of an encoder from the first token's state, of others
    # from that of the text's last token.
    "classification": Head("label", lambda output: output[:, None], writers=True),
    # Logits of the labels of each token, (batch, length, labels).
    "token_classification": Head("label"),
    # Logits of the answer's first and last token, (batch, length, 2).
    "question_answering": Head("position", lambda output: output.mT, writers=True),
}
ENCODER_HEADS = tuple(name for name in HEADS if name != "language_model")
WRITER_HEADS = tuple(name for name, head in HEADS.items() if head.writers)
VISION_HEADS = ("none", "pooler", "classification")
POOLER_ACTIVATIONS = {"tanh": torch.tanh, "relu": torch.relu}

ModelT = TypeVar("ModelT", bound=nn.Module)


class Pooler(nn.Module):
    """Pooling to one vector for the whole text or image: f(W · first token's state + b)."""

    def __init__(self, d_model: int, activation: str = "tanh"):
        super().__init__()
        self.dense = nn.Linear(d_model, d_model)
        self.activation = POOLER_ACTIVATIONS[activation]

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
    """The state at the last chosen position of each row, (batch, 1, d_model).

    Args:
        states: (batch, length, d_model).
        chosen: (batch, length), True for the positions to choose among; of a row without any, the
            first position is taken.
    """
    last = (torch.arange(chosen.shape[1], device=chosen.device) * chosen).argmax(1)
    return states[torch.arange(len(states), device=states.device), last][:, None]


def replace_head(model: ModelT, head: str, *, labels: Sequence[str] = (), **changes: Any) -> ModelT:
    """A model with the same body, another head, and other changes to its config.

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
