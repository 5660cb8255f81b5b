"""The native engine's library, opened, and what its callers share."""

import ctypes
import platform
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import c_int32, c_void_p
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from regard.engine.native.interface import (
    ACTIVATION,
    ATTENTION,
    FUNCTIONS,
    INTERFACE,
    LATE,
    MEMORY,
    PRECISION,
    STOPPED,
    TOO_LONG,
    Attention,
    Floats,
    Int32s,
    Listener,
)
from regard.errors import BadArgumentError, UnavailableError
from regard.progress import Stopped

FOLDER = Path(__file__).parent / "libraries"
PRECISIONS = PRECISION  # of weights
_SAME = {"gelu_new": "gelu_tanh", "gelu_pytorch_tanh": "gelu_tanh", "swish": "silu"}
DTYPES = (np.float32, np.uint16, np.int8)  # of NUMBERS; those of 16 bits are bfloat16's


class Late(UnavailableError):
    """A text whose time is over before it is written."""


class Captured(Attention):
    """regard_attention: arrays by their addresses."""

    __slots__ = ()

    @classmethod
    def at(cls, address: int) -> "Captured":
        """Return the struct at an address, read at once: its fields one by one would take
        longer."""
        return cls._make(ATTENTION.unpack(ctypes.string_at(address, ATTENTION.size)))


def kind_at(address: int) -> int:
    """Return the kind of the struct at an address."""
    return c_int32.from_address(address).value


NOBODY = Listener()
# Functions that keep Python's lock, since they take less time than to give it up and get it again.
_QUICK = (
    *("jobs_add", "jobs_answer", "jobs_cancel", "jobs_counts", "search_read"),
    "listen",
)


@cache
def library() -> ctypes.CDLL:
    """Return the library for this machine.

    Raises:
        UnavailableError: the package has no library for this machine, or one of another version.
    """
    machine = {"AMD64": "x86_64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    name = f"{platform.system().lower()}-{machine}"
    try:
        loaded, quick = (kind(str(FOLDER / f"{name}.so")) for kind in (ctypes.CDLL, ctypes.PyDLL))
        for function in _QUICK:
            setattr(loaded, f"regard_{function}", getattr(quick, f"regard_{function}"))
        for function, (result, arguments) in FUNCTIONS.items():
            pointer = getattr(loaded, f"regard_{function}")
            pointer.restype, pointer.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        raise UnavailableError(
            f"the native engine has no library that fits this machine, {name}; use the engine"
            " torch."
        ) from error
    if (version := loaded.regard_interface()) != INTERFACE:
        raise UnavailableError(
            f"{FOLDER / name}.so must have the interface {INTERFACE}, and has {version}; run"
            " `make engine`, or install the package again."
        )
    return loaded


def kernels() -> list[str]:
    """Names of the kernels that this processor can run, best first."""
    names = list[str]()
    while (name := library().regard_kernels(len(names))) is not None:
        names.append(name.decode())
    return names


def activation(name: str) -> int:
    """Return the library's number of an activation, by its name in configs."""
    return ACTIVATION.index(_SAME.get(name, name))


class Threads:
    """Threads of a model's calls.

    Args:
        threads: of each call.
        shared: whether calls at the same time share them; each has at least one.
    """

    def __init__(self, threads: int, *, shared: bool = False):
        if threads < 1:
            raise BadArgumentError(f"threads must be at least 1; got {threads}.")
        self.threads, self._shared = threads, shared
        self._calls: list[None] = []

    @contextmanager
    def of_call(self) -> Iterator[int]:
        """Return the number for a call, while it computes."""
        try:
            yield self.take()
        finally:
            self.give()

    def take(self) -> int:
        """Return the number for a call that begins now and ends with `give`."""
        self._calls.append(None)
        return max(1, self.threads // (len(self._calls) if self._shared else 1))

    def give(self) -> None:
        """End a call."""
        self._calls.pop()


class _Here(threading.local):
    """Things of a thread."""

    listener: Any = NOBODY

    def __init__(self) -> None:
        self.spare = list[Any]()  # memory that was kept in

    @cached_property
    def room(self) -> c_void_p:
        """The place of the address of the engine's room."""
        return library().regard_keep().contents


here = _Here()


def listen(listener: object, room: int | None = None) -> tuple[Any, int | None]:
    """Let a `Listener` get what this thread computes, or a room, by its address; returns those
    before."""
    before = here.listener, here.room.value
    here.listener, here.room.value = listener, room
    library().regard_listen(listener)
    return before


def is_listened_to() -> bool:
    """Return True if a listener gets what this thread computes."""
    return here.listener is not NOBODY and here.room.value is None


def freeing(owner: object, free: Callable[..., object], *arguments: object) -> "weakref.finalize":
    """Free what the library has made when its owner goes, but not when Python ends: another thread
    may still compute with it, and of a child that was forked the engine's threads are not there."""
    finalizer = weakref.finalize(owner, free, *arguments)
    finalizer.atexit = False
    return finalizer


def int32(numbers: NDArray[Any]) -> NDArray[np.int32]:
    """Numbers as the library reads them."""
    return np.ascontiguousarray(numbers, np.int32)


def address_of(struct: ctypes.Structure) -> int:
    """Return the address of a struct, which must outlive it."""
    return ctypes.addressof(struct)


def pointer_to(array: NDArray[Any]) -> object:
    """Return a pointer to an array's numbers, which must outlive it."""
    return array.ctypes.data_as(Floats if array.dtype == np.float32 else Int32s)


def check(
    status: int,
    too_long: Callable[[int], None] = lambda length: None,
    reason: str | None = None,
) -> None:
    """Raise the error that a function of the library reports.

    Args:
        too_long: raises the error for a sequence of more tokens than the model has positions.
        reason: the engine's words; None: those for the last call of this thread.
    """
    if status:
        refuse(status, too_long, reason)


def refuse(
    status: int,
    too_long: Callable[[int], None] = lambda length: None,
    reason: str | None = None,
) -> NoReturn:
    """Raise the error of a status; the arguments are those of `check`."""
    reason = library().regard_error().decode() if reason is None else reason
    if status == TOO_LONG:
        too_long(int(reason))
    if status == MEMORY:
        raise UnavailableError(
            "the native engine has not enough memory; give fewer or shorter texts, or a smaller"
            " model."
        )
    if status == STOPPED:
        raise Stopped("this work is no longer wanted.")
    if status == LATE:
        raise Late("the time for this text is over.")
    raise BadArgumentError(f"the native engine cannot compute this: {reason}.")
