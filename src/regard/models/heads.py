"""What a model makes of its last states: labels of the text, or the ends of an answer."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from regard.errors import BadArgumentError
from regard.layers import Dropout

# What a decoder, or an encoder–decoder, may have: the next token's logits, or a head.
WRITER_HEADS = ("language_model", "classification", "question_answering")
POOLER_ACTIVATIONS = {"tanh": torch.tanh, "relu": torch.relu}

ModelT = TypeVar("ModelT", bound=nn.Module)


class Pooler(nn.Module):
    """One vector for the whole text or image: f(W · first token's state + b)."""

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


class QuestionAnsweringHead(nn.Module):
    """For each token, logits of being the first and the last one of the answer."""

    def __init__(self, d_model: int, dropout: float):
        super().__init__()
        self.dropout = Dropout(dropout)
        self.output = nn.Linear(d_model, 2)

    def forward(self, states: Tensor) -> Tensor:
        """(batch, length, d_model) → logits, (batch, length, 2)."""
        return self.output(self.dropout(states))


def last_state(states: Tensor, chosen: Tensor) -> Tensor:
    """The state at the last chosen position of each row, (batch, 1, d_model).

    Args:
        states: (batch, length, d_model).
        chosen: (batch, length), True for the positions to choose among; of a row without any, the
            first position is taken.
    """
    positions = torch.arange(chosen.shape[1], device=chosen.device)
    last = (positions * chosen).argmax(1)
    return states[torch.arange(len(states), device=states.device), last][:, None]


def replace_head(model: ModelT, head: str, *, labels: Sequence[str] = (), **changes: Any) -> ModelT:
    """A model with the same body, another head, and other changes to its config.

    A head of the same shape keeps its weights, and so does a pooler that becomes part of a
    classification; any other head is new, with random weights from torch's generator.

    Raises:
        BadArgumentError: a head, or a change, that the model's config does not have.
    """
    before: Any = model.config
    config = replace(before, head=head, labels=tuple(labels), **changes)
    other = type(model)(config)
    known = model.state_dict()
    if before.head == "pooler" and head == "classification":
        known = {name.replace("head.", "head.pooler."): value for name, value in known.items()}
    wanted = other.state_dict()
    fits = {n: v for n, v in known.items() if n in wanted and wanted[n].shape == v.shape}
    other.load_state_dict(fits, strict=False)
    return other


def check_labels(head: str, labels: tuple[str, ...]) -> None:
    """Raises BadArgumentError unless there are labels exactly if the head is a classification."""
    if (head == "classification") != bool(labels):
        raise BadArgumentError(
            "labels must be given for head='classification' and for no other head;"
            f" got head={head!r} and {len(labels)} labels."
        )
