"""The operations of `Arrays` in torch."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

where = torch.where


def no_gradients() -> AbstractContextManager[object]:
    return torch.no_grad()


def random_seed() -> int:
    return int(torch.randint(2**62, ()))


def array(values: Sequence[Any], like: Tensor) -> Tensor:
    """A list, nested or not → (…) of its shape."""
    if not len(values):
        return torch.zeros(0, dtype=torch.long, device=like.device)
    return torch.tensor(values, device=like.device)


def count(length: int, like: Tensor) -> Tensor:
    """0, 1, …, (length,)."""
    return torch.arange(length, device=like.device)


def zeros(rows: int, columns: int, like: Tensor) -> Tensor:
    """(rows, length): of so many rows and columns."""
    return torch.zeros(rows, columns, device=like.device)


def moved(array: Any, like: Tensor) -> Tensor:
    """(…) → (…)."""
    return torch.as_tensor(array, device=like.device)


def floats(x: Tensor) -> Tensor:
    """(…) → (…)."""
    return x.float()


def softmax(x: Tensor) -> Tensor:
    """(…, vocab) → (…, vocab)."""
    return x.softmax(-1)


def log_softmax(x: Tensor) -> Tensor:
    """(…, vocab) → (…, vocab)."""
    return x.log_softmax(-1, dtype=torch.float32)


def filled(x: Tensor, where: Tensor, value: float) -> Tensor:
    """(…) and (…) → (…)."""
    return x.masked_fill(where, value)


def largest(x: Tensor) -> Tensor:
    """(…, length) → (…)."""
    return x.amax(-1)


def top(x: Tensor, count: int, ordered: bool = True) -> tuple[Tensor, Tensor]:
    """(rows, length) → (rows, candidates) each."""
    values, places = x.topk(count, sorted=ordered)
    return values, places


def sorted(x: Tensor) -> tuple[Tensor, Tensor]:
    """(rows, length) → (rows, length) each."""
    values, places = x.sort(dim=-1, stable=True)
    return values, places


def sums(x: Tensor, *, double: bool = False) -> Tensor:
    """(…, length) → (…, length)."""
    return x.cumsum(-1, dtype=torch.float64 if double else None)


def take(x: Tensor, places: Tensor) -> Tensor:
    """(rows, length, …) and (rows, candidates) → (rows, candidates, …)."""
    if x.ndim == 3:
        places = places[:, :, None].expand(-1, -1, x.shape[2])
    return x.gather(1, places)


def put(x: Tensor, places: Tensor) -> Tensor:
    """(rows, length) and (rows, length) → (rows, length)."""
    return x.scatter(1, places, x)


def nonzero(x: Tensor) -> tuple[Tensor, ...]:
    """(…) → (places,) for each axis."""
    return x.nonzero(as_tuple=True)


def join(parts: Sequence[Tensor]) -> Tensor:
    """(rows, length) and (rows, steps) → (rows, length + steps)."""
    return torch.cat(list(parts), dim=1)


def padded(x: Tensor, columns: int, value: float) -> Tensor:
    """(rows, length) → (rows, length + steps)."""
    return functional.pad(x, (0, columns), value=value)


def windows(x: Tensor, size: int) -> Tensor:
    """(rows, length) → (rows, length − size + 1, size)."""
    return x.unfold(1, size, 1)


def present(tokens: Tensor, vocab: int) -> Tensor:
    """(rows, n) → (rows, vocab)."""
    found = torch.zeros(len(tokens), vocab + 1, dtype=torch.bool, device=tokens.device)
    inside = (tokens >= 0) & (tokens < vocab)
    return found.scatter_(1, tokens.where(inside, vocab), True)[:, :vocab]
