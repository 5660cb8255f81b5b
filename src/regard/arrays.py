"""Operations on arrays that decoding and looking need, for torch and for numpy.

Filters, choosers and the loop, the definition of attention and what looks at it are written once,
on the operations below and on what a Tensor and an ndarray have in common: arithmetic, comparisons,
indexing, reshape, any, all, sum. Most functions of the two libraries have the same names and
arguments. Torch is imported only where a tensor comes.
"""

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property, wraps
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from regard.errors import DamagedFileError

Array = Any  # a torch.Tensor or a numpy.ndarray
P = ParamSpec("P")
T = TypeVar("T")


class Arrays:
    """Operations on numpy's arrays; `like` is any array of the library, on the device of the
    result."""

    @cached_property
    def library(self) -> ModuleType:
        return np

    def no_gradients(self) -> AbstractContextManager[object]:
        """Return the context that a model runs in."""
        return nullcontext()

    def random_seed(self) -> int:
        """Return a number from the library's global generator."""
        return int(np.random.randint(2**62, dtype=np.int64))  # noqa: NPY002

    def softmax(self, x: Array) -> Array:
        """Softmax over the last axis, of (…, vocab)."""
        with np.errstate(invalid="ignore"):  # a row where nothing is possible: NaN, as in torch
            powers = np.exp(x - x.max(-1, keepdims=True))
            return powers / powers.sum(-1, keepdims=True)

    def exp(self, x: Array) -> Array:
        """e^x, (…)."""
        return self.library.exp(x)

    def log_softmax(self, x: Array) -> Array:
        """Logarithm of the softmax over the last axis, of (…, vocab), in float32."""
        x = self.floats(x)
        with np.errstate(invalid="ignore"):
            shifted = x - x.max(-1, keepdims=True)
            return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))

    def top(self, x: Array, count: int, ordered: bool = True) -> tuple[Array, Array]:
        """Return the `count` largest of each row, (rows, n), and their places, (rows, count)
        each."""
        if count == 1:
            places = x.argmax(-1)[:, None]
        elif count == x.shape[1]:
            places = np.broadcast_to(np.arange(count), x.shape)
        else:
            places = np.argpartition(x, x.shape[1] - count, axis=-1)[:, -count:]
        values = self.take(x, places)
        if not ordered:
            return values, places
        order = np.argsort(-values, axis=-1, kind="stable")
        return self.take(values, order), self.take(places, order)

    def array(self, values: Sequence[Any] | Array, like: Array) -> Array:
        """Return a list, or an array of either library; integers are int64."""
        empty = self.library.int64 if not len(values) else None
        return self.library.asarray(values, dtype=empty, device=like.device)

    def beside(self, x: Array, other: Array) -> Array:
        """(…) on the device of another array, (…)."""
        return x

    def count(self, length: int, like: Array) -> Array:
        """0, 1, …, (length,)."""
        return self.library.arange(length, device=like.device)

    def converted(self, x: Array, dtype: str) -> Array:
        """(…) in the dtype of that name."""
        return x.astype(dtype, copy=False)

    def select(self, x: Array, places: Array, axis: int) -> Array:
        """Return the entries of one axis at these places, (n,)."""
        return x.take(places, axis)

    def along(self, x: Array, places: Array, axis: int) -> Array:
        """Return the entries of one axis at places of their own, (…); other axes of length 1 stand
        for all."""
        return np.take_along_axis(x, places, axis)

    def repeated(self, x: Array, times: int, axis: int) -> Array:
        """(…) with each entry of one axis so many times."""
        return x.repeat(times, axis)

    def log_sum_exp(self, x: Array) -> Array:
        """log Σ exp over the last axis, of (…, n) finite numbers."""
        top = x.max(-1, keepdims=True)
        return (top + np.log(np.exp(x - top).sum(-1, keepdims=True)))[..., 0]

    def expanded(self, x: Array, shape: Sequence[int]) -> Array:
        """(…) over axes of length 1; none is copied."""
        return np.broadcast_to(x, shape)

    def norms(self, x: Array) -> Array:
        """‖x‖ over the last axis."""
        return np.linalg.norm(x, axis=-1)

    def best(self, x: Array, count: int) -> tuple[Array, Array]:
        """Return the `count` largest of the last axis, (…, n), best first, and their places."""
        if x.ndim == 1 and 0 < count < len(x):  # a few of a vocabulary, which need no order of all
            among = np.flatnonzero(~(x < np.partition(x, -count)[-count]))
            places = among[np.argsort(-x[among], kind="stable")[:count]]
            return x[places], places
        places = np.argsort(-x, axis=-1, kind="stable")[..., :count]
        return np.take_along_axis(x, places, -1), places

    def zeros(self, rows: int, columns: int, like: Array) -> Array:
        """(rows, columns) of float32."""
        return self.library.zeros((rows, columns), dtype=self.library.float32, device=like.device)

    def floats(self, x: Array) -> Array:
        """(…) as float32."""
        return self.library.asarray(x, dtype=self.library.float32)

    def where(self, condition: Array, yes: Array, no: Array) -> Array:
        """One of two arrays, (…) each, or numbers, at each place of the first."""
        return self.library.where(condition, yes, no)

    def filled(self, x: Array, where: Array, value: float) -> Array:
        """x (…) with a number where the second, (…), is True."""
        return self.library.where(where, value, x)

    def largest(self, x: Array) -> Array:
        """Maximum over the last axis: (…, n) → (…)."""
        return self.library.amax(x, -1)

    def sorted(self, x: Array) -> tuple[Array, Array]:
        """Each row, (rows, n), in ascending order, and the places; of equals the first first."""
        places = self.library.argsort(x, axis=-1, stable=True)
        return self.take(x, places), places

    def sums(self, x: Array, *, double: bool = False) -> Array:
        """Cumulative, over the last axis."""
        return self.library.cumsum(x, -1, dtype=self.library.float64 if double else None)

    def take(self, x: Array, places: Array) -> Array:
        """Entries of each row, (rows, n, …), at its places, (rows, m)."""
        return x[self.count(len(x), like=x)[:, None], places]

    def put(self, x: Array, places: Array) -> Array:
        """Return the inverse for a permutation: (rows, n) at the places (rows, n)."""
        whole = self.library.empty_like(x)
        whole[self.count(len(x), like=x)[:, None], places] = x
        return whole

    def nonzero(self, x: Array) -> tuple[Array, ...]:
        """Return the places of what is True, an array for each axis."""
        places: tuple[Array, ...] = self.library.where(x)
        return places

    def join(self, parts: Sequence[Array]) -> Array:
        """Side by side: (rows, n) and (rows, m) → (rows, n + m)."""
        return self.library.concatenate(list(parts), axis=1)

    def padded(self, x: Array, columns: int, value: float) -> Array:
        """(rows, n) with so many columns behind it."""
        shape = (len(x), columns)
        return self.join([x, self.library.full(shape, value, dtype=x.dtype, device=x.device)])

    def windows(self, x: Array, size: int) -> Array:
        """Every `size` neighbors: (rows, n) → (rows, n − size + 1, size)."""
        firsts = self.count(x.shape[1] - size + 1, like=x)
        return x[:, firsts[:, None] + self.count(size, like=x)]

    def present(self, tokens: Array, vocab: int) -> Array:
        """Return True for the ids that are among each row's tokens, (rows, n) → (rows, vocab); ids
        outside the vocabulary are passed over."""
        present = self.zeros(len(tokens), vocab + 1, like=tokens) > 0
        inside = (tokens >= 0) & (tokens < vocab)
        rows = self.count(len(tokens), like=tokens)[:, None]
        present[rows, self.where(inside, tokens, vocab)] = True
        return present[:, :vocab]


class TorchArrays(Arrays):
    """The same on tensors."""

    @cached_property
    def library(self) -> ModuleType:
        import torch

        return torch

    def no_gradients(self) -> AbstractContextManager[object]:
        return self.library.no_grad()

    def random_seed(self) -> int:
        return int(self.library.randint(2**62, ()))

    def softmax(self, x: Array) -> Array:
        return x.softmax(-1)

    def log_softmax(self, x: Array) -> Array:
        return x.log_softmax(-1, dtype=self.library.float32)

    def converted(self, x: Array, dtype: str) -> Array:
        return x.to(getattr(self.library, dtype))

    def floats(self, x: Array) -> Array:
        return x.float()

    def beside(self, x: Array, other: Array) -> Array:
        return x.to(other.device)

    def select(self, x: Array, places: Array, axis: int) -> Array:
        return x.index_select(axis, places)

    def along(self, x: Array, places: Array, axis: int) -> Array:
        return x.take_along_dim(places, axis)

    def repeated(self, x: Array, times: int, axis: int) -> Array:
        return x.repeat_interleave(times, dim=axis)

    def log_sum_exp(self, x: Array) -> Array:
        return x.logsumexp(-1)

    def expanded(self, x: Array, shape: Sequence[int]) -> Array:
        return x.expand(shape)

    def norms(self, x: Array) -> Array:
        return x.norm(dim=-1)

    def best(self, x: Array, count: int) -> tuple[Array, Array]:
        values, places = x.topk(min(count, x.shape[-1]))
        return values, places

    def top(self, x: Array, count: int, ordered: bool = True) -> tuple[Array, Array]:
        values, places = x.topk(count, sorted=ordered)
        return values, places

    def take(self, x: Array, places: Array) -> Array:
        if x.ndim == 3:
            places = places[:, :, None].expand(-1, -1, x.shape[2])
        return x.gather(1, places)  # faster than by indices


NUMPY, TORCH = Arrays(), TorchArrays()


def arrays_of(array: Array) -> Arrays:
    """Return the operations of the array's library."""
    if isinstance(array, np.ndarray):
        return NUMPY
    is_torch = hasattr(array, "requires_grad") or not hasattr(array, "__array__")
    return TORCH if is_torch else NUMPY


def as_numpy(x: Array) -> NDArray[Any]:
    """Return an array (…) as numpy's, on the CPU."""
    return x if isinstance(x, np.ndarray) else x.detach().cpu().numpy()


def kind_of_device(x: Array) -> str:
    """Kind of device that an array (…) is on, such as "cpu" or "cuda"."""
    return str(x.device).partition(":")[0]


def dtype_of(x: Array) -> str:
    """Return the name of an array's (…) dtype, such as "float32"."""
    return str(x.dtype).removeprefix("torch.")


def finite(result: T) -> T:
    """Return a result of a model, which may be an array or a tuple of them, as it is.

    Raises:
        DamagedFileError: it has NaN or infinity, of which no answer can be made.
    """
    for part in result if isinstance(result, tuple) else (result,):
        if hasattr(part, "dtype") and not bool(arrays_of(part).library.isfinite(part).all()):
            raise DamagedFileError(
                "the model computes NaN or infinity from this input, which is no answer; `regard"
                " doctor` says where its weights are damaged. Copy it again, go back to an earlier"
                " checkpoint, or load it in float32."
            )
    return result


def pieces(x: Array, size: int) -> list[Array]:
    """Return an array (n, …) cut into pieces of at most so many entries; an empty one is one
    piece."""
    return [x[first : first + size] for first in range(0, max(len(x), 1), size)]


def torch_if_imported() -> ModuleType | None:
    """Return torch where something has imported it; elsewhere there are no tensors: None."""
    if "torch" not in sys.modules:
        return None
    import torch  # waits for another thread that is still importing it

    return torch


def without_gradients(function: Callable[P, T]) -> Callable[P, T]:
    """Return the function, whose tensors record no gradients."""

    @wraps(function)
    def without(*args: P.args, **kwargs: P.kwargs) -> T:
        torch = torch_if_imported()
        with nullcontext() if torch is None else torch.no_grad():
            return function(*args, **kwargs)

    return without
