"""Losses of pairs of vectors: contrastive with in-batch negatives, and the error of a cosine.

Henderson et al. 2017, section 4; van den Oord et al. 2018; Reimers and Gurevych 2019, section 3.
"""

import torch
from torch import Tensor
from torch.nn import functional


def contrastive_loss(
    first: Tensor, second: Tensor, same: Tensor, *, temperature: float, symmetric: bool = False
) -> Tensor:
    """The summed cross-entropy of finding each text's own pair among those of the batch.

    Args:
        first, second: vectors of length one, (batch, d_model) each.
        same: (batch, batch), True where the pairs i and j share a text: j is no negative of i.
        temperature: what the cosines are divided by.
        symmetric: the mean of looking in both directions.
    """
    own = torch.arange(len(first), device=first.device)
    hidden = same & (own[:, None] != own)
    scores = (first @ second.T / temperature).masked_fill(hidden, -torch.inf)
    forth = functional.cross_entropy(scores, own, reduction="sum")
    if not symmetric:
        return forth
    return (forth + functional.cross_entropy(scores.T, own, reduction="sum")) / 2


def cosine_loss(first: Tensor, second: Tensor, scores: Tensor) -> Tensor:
    """The summed squared error of the cosines.

    Args:
        first, second: vectors of length one, (batch, d_model) each.
        scores: (batch,), from -1 to 1.
    """
    return ((first * second).sum(-1) - scores).square().sum()
