"""What the rules of decoding need of arrays, for torch and for numpy.

Filters, choosers and the loop are written once, on the operations below, which each library has in
a module of its own, and on what a Tensor and an ndarray have in common: arithmetic, comparisons,
indexing, reshape, any, all, sum. Torch is imported only where a model of torch decodes.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, cast

import numpy as np

from regard.generation.arrays import numpy_arrays

Array = Any  # a torch.Tensor or a numpy.ndarray, as the prompt is


class Arrays(Protocol):
    """The operations; `like` is any array of the library and the device of the result."""

    def no_gradients(self) -> AbstractContextManager[object]:
        """Where a model runs."""

    def random_seed(self) -> int:
        """A number from the library's global generator."""

    def array(self, values: Sequence[Any], like: Array) -> Array:
        """A list as an array; integers are int64."""

    def count(self, length: int, like: Array) -> Array:
        """0, 1, …, (length,)."""

    def zeros(self, rows: int, columns: int, like: Array) -> Array:
        """(rows, columns) of float32."""

    def moved(self, array: Array, like: Array) -> Array:
        """An array of either library."""

    def floats(self, x: Array) -> Array:
        """(…) as float32."""

    def softmax(self, x: Array) -> Array:
        """Over the last axis, of (…, vocab)."""

    def log_softmax(self, x: Array) -> Array:
        """Over the last axis, of (…, vocab), in float32."""

    def filled(self, x: Array, where: Array, value: float) -> Array:
        """x (…) with a number where the second, (…), is True."""

    def where(self, condition: Array, yes: Array, no: Array) -> Array:
        """Of (…) each."""

    def largest(self, x: Array) -> Array:
        """Over the last axis: (…, n) → (…)."""

    def top(self, x: Array, count: int, ordered: bool = True) -> tuple[Array, Array]:
        """The `count` largest of each row, (rows, n), and their places, (rows, count) each."""

    def sorted(self, x: Array) -> tuple[Array, Array]:
        """Each row, (rows, n), in ascending order, and the places; of equals the first first."""

    def sums(self, x: Array, *, double: bool = False) -> Array:
        """Cumulative, over the last axis."""

    def take(self, x: Array, places: Array) -> Array:
        """Of each row, (rows, n, …), what is at its places, (rows, m)."""

    def put(self, x: Array, places: Array) -> Array:
        """The inverse for a permutation: (rows, n) at the places (rows, n)."""

    def nonzero(self, x: Array) -> tuple[Array, ...]:
        """The places of what is True, an array for each axis."""

    def join(self, parts: Sequence[Array]) -> Array:
        """Side by side: (rows, n) and (rows, m) → (rows, n + m)."""

    def padded(self, x: Array, columns: int, value: float) -> Array:
        """(rows, n) with so many columns behind it."""

    def windows(self, x: Array, size: int) -> Array:
        """Every `size` neighbors: (rows, n) → (rows, n − size + 1, size)."""

    def present(self, tokens: Array, vocab: int) -> Array:
        """Which ids are among each row's tokens, (rows, n) → (rows, vocab); ids outside the
        vocabulary are passed over."""


def arrays_of(array: Array) -> Arrays:
    """The operations of the array's library."""
    if isinstance(array, np.ndarray):
        return cast(Arrays, numpy_arrays)
    from regard.generation.arrays import torch_arrays

    return cast(Arrays, torch_arrays)
