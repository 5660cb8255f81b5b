"""Progress of long work, and its end: between steps and layers, not within one."""

import atexit
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event
from time import monotonic, sleep
from typing import TypeVar

Result = TypeVar("Result")
ENDING_SECONDS = 5.0  # that the end of Python waits for calls that call it back


class Stopped(Exception):
    """The work is no longer wanted."""


class Work:
    """One piece of work: its stage, how much of that stage is done, and the seconds so far."""

    def __init__(self) -> None:
        self.stage, self.done, self.most = "", 0, 0
        self._began: float | None = None
        self._stop = Event()

    @property
    def seconds(self) -> float:
        """Since it began; 0 while it waits for its turn."""
        return 0.0 if self._began is None else monotonic() - self._began

    def run(self, work: Callable[[], Result]) -> Result:
        """Return the result of `work`, whose calls of `report` and `check` speak to this.

        Raises:
            Stopped: `stop` was called; raised by the next `report` or `check`.
        """
        self._began = monotonic()
        token = _current.set(self)
        try:
            check()
            return work()
        finally:
            _current.reset(token)

    def stop(self) -> None:
        """From any thread."""
        self._stop.set()

    def check(self) -> None:
        if self._stop.is_set():
            raise Stopped("this work is no longer wanted.")


_current: ContextVar[Work | None] = ContextVar("work", default=None)


def current() -> Work | None:
    """Return the work that the caller is part of, if it is part of any."""
    return _current.get()


def report(stage: str, done: int = 0, most: int = 0) -> None:
    """Says that the work is in this stage, with `done` of at most `most` steps (0: no steps)."""
    work = _current.get()
    if work is not None:
        work.check()
        work.stage, work.done, work.most = stage, done, most


def check() -> None:
    """Stop the caller here if its work is no longer wanted."""
    work = _current.get()
    if work is not None:
        work.check()


class AtExit:
    """The end of Python beside daemon threads that call it from C++ or Rust.

    Python ends such a thread where it next takes the lock of the interpreter: in a function that
    C++ calls, or while a module written in Rust is imported, that would be below frames through
    which a thread cannot end.
    """

    def __init__(self) -> None:
        self._calls = list[int]()  # the thread of each; a list changes in one step, without a lock
        self._ending: int | None = None  # the thread that ends Python, whose own calls go on
        atexit.register(self._end)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget_others)

    @contextmanager
    def calling_back(self) -> Iterator[None]:
        """Count a call; one that the end has stopped stays here."""
        self.begin()
        try:
            yield
        finally:
            self.finish()

    def begin(self) -> None:
        """Count a call until `finish`; does not return once Python is ending."""
        self._calls.append(threading.get_ident())
        if self._is_ending():
            self.finish()

    def finish(self) -> None:
        """End a call of `begin`; does not return once Python is ending."""
        self._calls.remove(threading.get_ident())
        while self._is_ending():
            sleep(ENDING_SECONDS)

    def check(self) -> None:
        """Stop a call.

        Raises:
            Stopped: Python is ending.
        """
        if self._is_ending():
            raise Stopped

    def _is_ending(self) -> bool:
        return self._ending not in (None, threading.get_ident())

    def _end(self) -> None:
        self._ending, last = threading.get_ident(), monotonic() + ENDING_SECONDS
        while {*self._calls} - {self._ending} and monotonic() < last:
            sleep(0.001)

    def _forget_others(self) -> None:
        """Forget the calls of threads that a forked child does not have."""
        self._calls[:] = [thread for thread in self._calls if thread == threading.get_ident()]


at_exit = AtExit()
