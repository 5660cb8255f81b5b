"""Parts of a batch behave as the whole batch: rows in order, and a part that is done leaves."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import numpy as np
import pytest

from regard.runtime.parts import Parts, at_once
from regard.runtime.states import DecodingState


class Sums:
    """A decoder whose logits are the sum of what a row has read, and ten times that."""

    def __init__(self, rows: int):
        self.sums = np.zeros(rows, np.int64)

    def step(self, tokens: np.ndarray) -> np.ndarray:
        self.sums = self.sums + tokens
        return np.stack([self.sums, 10 * self.sums], 1).astype(np.float32)

    def likeliest(self, tokens: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        logits = self.step(tokens)[:, ::-1]
        return logits[:, :count], np.tile([1, 0], (len(tokens), 1))[:, :count]

    def select(self, rows: np.ndarray) -> None:
        self.sums = self.sums[rows]


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


def test_parts_are_the_whole(pool: ThreadPoolExecutor) -> None:
    rows = [3, 2, 4]
    parts = Parts(cast(list[DecodingState], [Sums(each) for each in rows]), rows, pool)
    whole: Any = Sums(9)
    random = np.random.default_rng(3)
    chosen = [
        np.array([0, 0, 1, 2, 3, 3, 4, 7, 8]),  # beams
        np.array([1, 4, 5, 8]),
        np.array([0, 3]),  # the second part is done
        np.array([1, 1]),  # and the first
    ]
    for select in chosen:
        tokens = random.integers(1, 9, len(whole.sums))
        assert (parts.step(tokens) == whole.step(tokens)).all()
        for ours, theirs in zip(
            parts.likeliest(tokens, 1), whole.likeliest(tokens, 1), strict=True
        ):
            assert (ours == theirs).all()
        parts.select(select)
        whole.select(select)
    assert (parts.step(np.array([1, 2])) == whole.step(np.array([1, 2]))).all()


def test_calls_at_once_keep_their_order(pool: ThreadPoolExecutor) -> None:
    assert at_once(pool, lambda item: item**2, [3, 1, 2]) == [9, 1, 4]
