"""How well vectors find what belongs together: recall, mean reciprocal rank, rank correlation."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_AT_ONCE = 1024  # texts whose similarities to all candidates are held at a time


@dataclass(frozen=True)
class Ranking:
    """The rank of the right candidate for each text, from 1."""

    ranks: NDArray[np.int64]  # (texts,)

    def recall(self, k: int) -> float:
        """The share of texts whose right candidate is among the first k."""
        return float((self.ranks <= k).mean())

    @property
    def mrr(self) -> float:
        """The mean of 1 / rank."""
        return float((1 / self.ranks).mean())


def rank_pairs(
    firsts: Sequence[str],
    seconds: Sequence[str],
    first: NDArray[np.float32],
    second: NDArray[np.float32],
) -> Ranking:
    """Ranks the different second texts of all pairs for each different first text, by cosine.

    Where a text has several second texts, the best placed one counts. Of equal cosines the right
    one comes last. A second text that equals the first is passed over, unless the two are a pair.

    Args:
        first, second: the texts' vectors, of length one, (pairs, d_model) each.
    """
    places, others = _first_places(firsts), _first_places(seconds)
    queries, candidates = list(places), {text: number for number, text in enumerate(others)}
    right: dict[str, list[int]] = {text: [] for text in queries}
    for one, other in zip(firsts, seconds, strict=True):
        right[one].append(candidates[other])
    rows, vectors = first[list(places.values())], second[list(others.values())]
    ranks = np.empty(len(queries), np.int64)
    for start in range(0, len(queries), _AT_ONCE):
        cosines = rows[start : start + _AT_ONCE] @ vectors.T
        for row, text in enumerate(queries[start : start + _AT_ONCE]):
            best = cosines[row, right[text]].max()
            wrong = np.ones(len(candidates), np.bool_)
            wrong[right[text]] = False
            if text in candidates:
                wrong[candidates[text]] = False
            ranks[start + row] = 1 + (cosines[row, wrong] >= best).sum()
    return Ranking(ranks)


def _first_places(texts: Sequence[str]) -> dict[str, int]:
    """Each different text, with the place of its first vector."""
    places: dict[str, int] = {}
    for place, text in enumerate(texts):
        places.setdefault(text, place)
    return places


def spearman(first: Sequence[float] | NDArray, second: Sequence[float] | NDArray) -> float:
    """Spearman's rank correlation; equal values share their mean rank. 0.0 if one side is constant,
    for which it is not defined."""
    ranks = np.stack([_ranks(np.asarray(each)) for each in (first, second)])
    centered = ranks - ranks.mean(1, keepdims=True)
    scale = np.sqrt((centered**2).sum(1).prod())
    return float((centered[0] * centered[1]).sum() / scale) if scale else 0.0


def _ranks(values: NDArray) -> NDArray[np.float64]:
    """From 1, (values,)."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = counts.cumsum()
    return (last - (counts - 1) / 2)[place]
