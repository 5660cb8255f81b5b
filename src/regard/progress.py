"""Progress of long work, and its end: between steps and layers, not within one."""

from collections.abc import Callable
from contextvars import ContextVar
from threading import Event
from time import monotonic
from typing import TypeVar

Result = TypeVar("Result")


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
