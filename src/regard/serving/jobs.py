"""The queue of a model: the jobs of requests, which take turns, and its limit."""

import asyncio
import threading
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Generic, Self, TypeVar

from regard.errors import RegardError, UnavailableError
from regard.http.guard import Room
from regard.http.refusals import TooLate

RECENT = 200  # jobs whose rate says how long a full queue takes


class Job:
    """A text for a model, or a part of one. To cancel the future takes it out, whether it waits or
    runs.

    Args:
        deadline: when it is too late, by time.monotonic.
    """

    def __init__(self, deadline: float):
        self.deadline = deadline
        self.line: Any = None  # of its request, where the engine has the queue
        self.future: Future[Any] = Future()

    @property
    def is_wanted(self) -> bool:
        """True while someone waits for it; one whose time is over is refused here."""
        if not self.future.done() and time.monotonic() > self.deadline:
            self.fail(TooLate())
        return not self.future.done()

    def on_cancel(self, call: Callable[[], None]) -> None:
        """Have a function called, now or later, if no one waits for it any more."""
        self.future.add_done_callback(lambda future: call() if future.cancelled() else None)

    def finish(self, result: object) -> None:
        """Give the caller the result, if it still waits."""
        with suppress(InvalidStateError):
            self.future.set_result(result)

    def fail(self, error: BaseException) -> None:
        """Give the caller an error, if it still waits."""
        with suppress(InvalidStateError):
            self.future.set_exception(error)


Kind = TypeVar("Kind", bound=Job)


class Line(Generic[Kind]):
    """The place of a request in a queue, for as long as the block lasts: at its end, its jobs are
    no longer wanted, whether they wait or run."""

    def __init__(self, waiting: "Waiting[Kind]", texts: int):
        self._waiting, self.texts = waiting, texts  # those of which nothing has been taken yet
        self.number = 0
        self.ready: deque[Kind] = deque()
        self._jobs: list[Kind] = []

    def put(self, jobs: Sequence[Kind]) -> None:
        """More of its jobs.

        Raises:
            UnavailableError: the server is ending.
        """
        self._jobs += jobs
        self._waiting.put(self, jobs)

    def leave(self) -> None:
        """End the jobs, and give the place to others."""
        self._waiting.remove(self)
        for job in self._jobs:
            job.future.cancel()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.leave()


class Waiting(ABC, Generic[Kind]):
    """The requests that wait for a model. They take turns, a job each.

    Args:
        most: texts that may wait.
        name: of the model, for messages.
    """

    def __init__(self, most: int, name: str):
        self.room = Room(most, f"texts waiting for {name}", self._seconds)
        self._changed = threading.Condition()
        self._closed = False
        self._taken: deque[float] = deque(maxlen=RECENT)

    def __len__(self) -> int:
        return self.room.used

    def join(self, texts: int) -> Line[Kind]:
        """Return a place for a request of this many texts, before anything is done for it.

        Raises:
            Busy: there is no room.
            UnavailableError: the server is ending.
        """
        with self._changed:
            self.check_open()
            self.room.take(texts)
            return Line(self, texts)

    def check_open(self) -> None:
        """Raise UnavailableError if the server is ending."""
        if self._closed:
            raise UnavailableError("the server is ending; ask another one.")

    @abstractmethod
    def put(self, line: Line[Kind], jobs: Sequence[Kind]) -> None:
        """See `Line.put`."""

    def remove(self, line: Line[Kind]) -> None:
        """See `Line.leave`."""
        with self._changed:
            self.room.used -= line.texts
            line.texts = 0

    def took(self, line: Line[Kind]) -> None:
        """Count a job of a line that no longer waits."""
        with self._changed:
            self._taken.append(time.monotonic())
            if line.texts:
                line.texts -= 1
                self.room.used -= 1

    def close(self) -> None:
        """Take no more jobs; those that wait are still done."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _seconds(self) -> int:
        """Seconds until all that waits is done, by the rate so far."""
        if len(self._taken) < 2:
            return 1
        seconds = (time.monotonic() - self._taken[0]) / len(self._taken)
        return max(1, min(60, round(len(self) * seconds)))


class Queue(Waiting[Kind]):
    """A queue from which threads of ours take jobs."""

    def __init__(self, most: int, name: str):
        super().__init__(most, name)
        self._lines: dict[Line[Kind], None] = {}  # those that have jobs, in their order

    def put(self, line: Line[Kind], jobs: Sequence[Kind]) -> None:
        with self._changed:
            self.check_open()
            line.ready += jobs
            if line.ready:
                self._lines[line] = None
                self._changed.notify_all()

    def remove(self, line: Line[Kind]) -> None:
        super().remove(line)
        with self._changed:
            line.ready.clear()
            self._lines.pop(line, None)

    def take(self, fits: Callable[[Kind], bool], *, wait: float | None) -> list[Kind] | None:
        """Return the jobs that fit, of which each request is asked for one in turn; None once the
        queue is closed and empty.

        Args:
            wait: seconds to wait for a first one; None: until there is one.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._lines or self._closed, wait)
            if not self._lines:
                return None if self._closed else []
            taken, turns = list[Kind](), deque(self._lines)
            while turns:
                line = turns.popleft()
                job = line.ready[0]
                is_wanted = job.is_wanted
                if is_wanted and not fits(job):
                    continue
                line.ready.popleft()
                self.took(line)
                del self._lines[line]
                if line.ready:  # behind the others
                    self._lines[line] = None
                    turns.append(line)
                if is_wanted:
                    taken.append(job)
            return taken


class _Said(threading.local):
    calls: dict[asyncio.AbstractEventLoop, list[Callable[[], None]]] | None = None


_said = _Said()


@contextmanager
def together() -> Iterator[None]:
    """Wake each loop once, at the end of the block, for all that this thread says to it inside."""
    calls = _said.calls = {}
    try:
        yield
    finally:
        _said.calls = None
        for loop, those in calls.items():
            with suppress(RuntimeError):  # it has ended
                loop.call_soon_threadsafe(_call, those)


def say(loop: asyncio.AbstractEventLoop, call: Callable[..., None], *arguments: object) -> None:
    """Have a loop call a function; see `together`."""
    if _said.calls is None:
        loop.call_soon_threadsafe(call, *arguments)
    else:
        _said.calls.setdefault(loop, []).append(partial(call, *arguments))


def _call(calls: list[Callable[[], None]]) -> None:
    for call in calls:
        call()


def as_refusal(error: BaseException) -> BaseException:
    """Return the error for a caller, of one in a model's thread: ours speak for themselves."""
    if isinstance(error, RegardError):
        return error
    failure = RuntimeError("the model failed; the server's log says why.")
    failure.__cause__ = error
    return failure
