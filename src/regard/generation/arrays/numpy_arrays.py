"""The operations of `Arrays` in numpy."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
where = np.where


def no_gradients() -> AbstractContextManager[object]:
    return nullcontext()


def random_seed() -> int:
    # The generator that np.random.seed sets.
    return int(np.random.randint(2**62, dtype=np.int64))  # noqa: NPY002


def array(values: Sequence[Any], like: NDArray[Any]) -> NDArray[Any]:
    return np.array(values) if len(values) else np.zeros(0, np.int64)


def count(length: int, like: NDArray[Any]) -> Ints:
    return np.arange(length)


def zeros(rows: int, columns: int, like: NDArray[Any]) -> Floats:
    return np.zeros((rows, columns), np.float32)


def moved(array: Any, like: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(array)


def floats(x: NDArray[Any]) -> Floats:
    return x.astype(np.float32, copy=False)


@np.errstate(invalid="ignore")  # a row where nothing is possible: NaN, as in torch
def softmax(x: Floats) -> Floats:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


@np.errstate(invalid="ignore")
def log_softmax(x: NDArray[Any]) -> Floats:
    x = floats(x)
    shifted = x - x.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


def filled(x: NDArray[Any], where: NDArray[np.bool_], value: float) -> NDArray[Any]:
    return np.where(where, x.dtype.type(value), x)


def largest(x: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(x.max(-1))


def top(x: Floats, count: int, ordered: bool = True) -> tuple[Floats, Ints]:
    if count == 1:
        places = x.argmax(-1)[:, None]
    elif count == x.shape[1]:
        places = np.broadcast_to(np.arange(count), x.shape)
    else:
        places = np.argpartition(x, x.shape[1] - count, axis=-1)[:, -count:]
    values = np.take_along_axis(x, places, 1)
    if not ordered:
        return values, places
    order = np.argsort(-values, axis=-1, kind="stable")
    return np.take_along_axis(values, order, 1), np.take_along_axis(places, order, 1)


def sorted(x: NDArray[Any]) -> tuple[NDArray[Any], Ints]:
    places = np.argsort(x, axis=-1, kind="stable")
    return np.take_along_axis(x, places, 1), places


def sums(x: NDArray[Any], *, double: bool = False) -> NDArray[Any]:
    return np.cumsum(x, -1, dtype=np.float64 if double else None)


def take(x: NDArray[Any], places: Ints) -> NDArray[Any]:
    return x[np.arange(len(x))[:, None], places]


def put(x: NDArray[Any], places: Ints) -> NDArray[Any]:
    found = np.empty_like(x)
    np.put_along_axis(found, places, x, 1)
    return found


def nonzero(x: NDArray[Any]) -> tuple[Ints, ...]:
    return x.nonzero()


def join(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate(list(parts), axis=1)


def padded(x: NDArray[Any], columns: int, value: float) -> NDArray[Any]:
    return np.pad(x, ((0, 0), (0, columns)), constant_values=value)


def windows(x: NDArray[Any], size: int) -> NDArray[Any]:
    return sliding_window_view(x, size, axis=1)


def present(tokens: Ints, vocab: int) -> NDArray[np.bool_]:
    found = np.zeros((len(tokens), vocab + 1), bool)
    inside = (tokens >= 0) & (tokens < vocab)
    np.put_along_axis(found, np.where(inside, tokens, vocab), True, 1)
    return found[:, :vocab]
