"""Pairs of texts as batches, which of a batch share a text, and the losses of their vectors.

Henderson et al. 2017, section 4; van den Oord et al. 2018; Reimers and Gurevych 2019, section 3.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from regard.data import TokenStore
from regard.data.batches import Tensors
from regard.data.store import Ids
from regard.engine.reading import Batch
from regard.training.encoded import StoredBatches, padded

if TYPE_CHECKING:
    from regard.models.configs.config import ModelConfig


@dataclass(frozen=True)
class PairBatch(Tensors):
    """Pairs of texts: each side as an encoder takes it."""

    first: Batch
    second: Batch
    same: Tensor  # (batch, batch): the pairs i and j share a text, or i is j
    scores: Tensor | None  # (batch,)
    num_tokens: int  # of both sides, without padding


class PairBatches(StoredBatches[PairBatch]):
    """The batches of a token store of pairs."""

    def __init__(
        self,
        store: TokenStore,
        scores: NDArray[np.float32] | None,
        config: "ModelConfig",
        **plan: int,
    ) -> None:
        super().__init__(store, config, **plan)
        self.scores = scores

    def batch(self, rows: Ids) -> PairBatch:
        pairs = [self.store[int(row)] for row in rows]
        first, second = zip(*pairs, strict=True)
        return PairBatch(
            padded(first, self.config),
            padded(second, self.config),
            shared_texts(first, second),
            None if self.scores is None else torch.from_numpy(self.scores[rows]),
            sum(len(ids) for both in pairs for ids in both),
        )


def shared_texts(first: Sequence[Any], second: Sequence[Any]) -> Tensor:
    """Return True for pairs with a text in common, on either side, (batch, batch).

    Args:
        first, second: the texts of each pair, as strings or token ids.
    """
    numbers: dict[Any, int] = {}
    pairs = [
        {
            numbers.setdefault(
                text.tobytes() if isinstance(text, np.ndarray) else text, len(numbers)
            )
            for text in both
        }
        for both in zip(first, second, strict=True)
    ]
    holds = torch.zeros(len(pairs), len(numbers))
    for row, texts in enumerate(pairs):
        holds[row, list(texts)] = 1
    return (holds @ holds.T) > 0


def contrastive_loss(
    first: Tensor, second: Tensor, same: Tensor, *, temperature: float, symmetric: bool = False
) -> Tensor:
    """Return the summed cross-entropy of finding each text's own pair among those of the batch.

    Args:
        same: (batch, batch), True where the pairs i and j share a text: j is no negative of i.
        temperature: what the cosines are divided by.
        symmetric: the mean of looking in both directions.
    """
    numbers = torch.arange(len(first), device=first.device)
    hidden = same & (numbers[:, None] != numbers)
    scores = (first @ second.T / temperature).masked_fill(hidden, -torch.inf)
    forth = functional.cross_entropy(scores, numbers, reduction="sum")
    if not symmetric:
        return forth
    return (forth + functional.cross_entropy(scores.T, numbers, reduction="sum")) / 2


def cosine_loss(first: Tensor, second: Tensor, scores: Tensor) -> Tensor:
    """Return the summed squared error of the cosines."""
    return ((first * second).sum(-1) - scores).square().sum()
