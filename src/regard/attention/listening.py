"""Listening to `attend` from outside: tracing, ablation and alignment are listeners."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from torch import Tensor

from regard.attention.record import Attention


class Call(NamedTuple):
    """One attention that has just been computed."""

    inputs: Attention
    output: Tensor  # (batch, heads, queries, value_dim)
    lse: Tensor | None  # (batch, heads, queries), where the kernel gave it anyway


Listener = Callable[[Call], Tensor | None]
"""Called after each attention; a tensor that it returns replaces the output."""

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Within it, `listener` gets every call of `attend`; of nested ones, the innermost does."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def tell(call: Call) -> Tensor:
    """Tells the listener, if there is one, and returns the output that is to be used."""
    listener = _listener.get()
    replaced = None if listener is None else listener(call)
    return call.output if replaced is None else replaced
