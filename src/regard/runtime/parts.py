"""A batch decoded in parts, each in a thread of its own: generation's Decoder again.

For a small model this is faster than threads that share each product, because they would wait for
each other at every operator. A part's results are those of the whole batch, to the bit.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from regard.runtime.states import DecodingState

T = TypeVar("T")


class Parts:
    """States of neighboring rows, stepped at the same time.

    Args:
        states: of the parts, in the order of their rows.
        rows: of each part.
        pool: with a thread for each part but the first.
    """

    def __init__(
        self, states: Sequence[DecodingState], rows: Sequence[int], pool: ThreadPoolExecutor
    ):
        self._states, self._pool = list(states), pool
        self._ends = np.cumsum(rows)

    def step(self, tokens: NDArray[np.int64]) -> NDArray[np.float32]:
        """Appends tokens, (rows,) or (rows, new), and returns the next logits, (rows, vocab)."""
        parts = zip(self._states, np.split(tokens, self._ends[:-1]), strict=True)
        return np.concatenate(at_once(self._pool, lambda part: part[0].step(part[1]), list(parts)))

    def likeliest(
        self, tokens: NDArray[np.int64], count: int
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """As `DecodingState.likeliest`."""
        parts = list(zip(self._states, np.split(tokens, self._ends[:-1]), strict=True))
        found = at_once(self._pool, lambda part: part[0].likeliest(part[1], count), parts)
        log_probs, best = zip(*found, strict=True)
        return np.concatenate(log_probs), np.concatenate(best)

    def select(self, rows: NDArray[np.int64]) -> None:
        """Keeps, repeats or reorders rows, (new rows,); those of a part stay together, in the order
        of the parts, as the rows of a search do."""
        part = np.searchsorted(self._ends, rows, side="right")
        assert (np.diff(part) >= 0).all(), "rows of different parts changed places"
        starts = np.concatenate([[0], self._ends[:-1]])
        kept = np.unique(part)
        for index in kept:
            self._states[index].select(rows[part == index] - starts[index])
        self._states = [self._states[index] for index in kept]
        self._ends = np.cumsum([int((part == index).sum()) for index in kept])


def at_once(pool: ThreadPoolExecutor, call: Callable[[Any], T], items: Sequence[Any]) -> list[T]:
    """`call` of every item: of the first in this thread, of the others in the pool's."""
    others = [pool.submit(call, item) for item in items[1:]]
    return [call(items[0]), *(each.result() for each in others)]
