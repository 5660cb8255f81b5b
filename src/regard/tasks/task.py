"""What all tasks have in common: a model that can be loaded, called and moved."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import torch
from torch import nn

from regard.checkpoints import CheckpointLike
from regard.errors import BadArgumentError
from regard.inspection import Trace


class Task(ABC):
    """A model with everything it needs for one use: what `regard.load` gives."""

    model: nn.Module
    name: str  # what messages call it

    @classmethod
    @abstractmethod
    def load(cls, folder: CheckpointLike, *, name: str | None = None) -> Self:
        """The model of a folder, of a shipped name or of "hub:org/name"."""

    @property
    def device(self) -> torch.device:
        """Where the model computes; `.model.to(device)` moves it."""
        return next(self.model.parameters()).device

    @abstractmethod
    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """The bare answer to one input; a list of them to a list."""

    @abstractmethod
    def run(self, *inputs: Any, **options: Any) -> Any:
        """A result for each input, with everything that is known of it."""

    @abstractmethod
    def trace(self, *inputs: Any, **options: Any) -> Trace:
        """What every attention layer was given for one input."""


def check_text(ids: Sequence[int], room: int, name: str) -> None:
    """Raises BadArgumentError for a text of no tokens, or of more than a model has positions."""
    if not ids:
        raise BadArgumentError("there is no text to look at; give a sentence.")
    if len(ids) > room:
        raise BadArgumentError(
            f"a text may have {room} tokens with {name}; got {len(ids)}. Look at a part of it."
        )
