"""What waits for a model: texts with the results that their callers wait for, and a full queue."""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Any, Generic, TypeVar

from regard.errors import BadArgumentError, RegardError, UnavailableError

LOOKS = 0.02  # seconds between two looks for jobs in a full queue that are no longer wanted
RECENT = 200  # jobs whose rate says how long a full queue takes


class Busy(UnavailableError):
    """The queue is full; `seconds` later it may not be."""

    def __init__(self, sentence: str, seconds: int):
        super().__init__(sentence)
        self.seconds = seconds


class TooLate(UnavailableError):
    """A request took longer than it may."""


class Job:
    """One text for a model. To cancel the future takes it out, whether it waits or runs.

    Args:
        deadline: when it is too late, by time.monotonic.
    """

    width = 1  # rows that it takes

    def __init__(self, deadline: float):
        self.deadline = deadline
        self.future: Future[Any] = Future()

    @property
    def is_wanted(self) -> bool:
        """Whether it should go on; one whose time is over is refused here."""
        if not self.future.done() and time.monotonic() > self.deadline:
            self.fail(TooLate("the request took longer than it may; send less, or try again."))
        return not self.future.done()

    def finish(self, result: Any) -> None:
        """Gives the caller the result, if it still waits."""
        with suppress(InvalidStateError):
            self.future.set_result(result)

    def fail(self, error: BaseException) -> None:
        """Gives the caller an error, if it still waits."""
        with suppress(InvalidStateError):
            self.future.set_exception(error)


Kind = TypeVar("Kind", bound=Job)


class Waiting(Generic[Kind]):
    """The jobs that wait for a model, first come, first served; several threads may take them.

    Args:
        most: jobs that may wait.
        name: of the model, for messages.
    """

    def __init__(self, most: int, name: str):
        self.most, self.name = most, name
        self._jobs: deque[Kind] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._looked = 0.0
        self._taken: deque[float] = deque(maxlen=RECENT)

    def __len__(self) -> int:
        return len(self._jobs)

    def put(self, jobs: Sequence[Kind]) -> None:
        """All of them, or none.

        Raises:
            Busy: there is no room; says when to try again.
            UnavailableError: the server is ending.
        """
        with self._changed:
            if self._closed:
                raise UnavailableError("the server is ending; ask another one.")
            check_number(len(jobs), self.most)
            self._check_room(len(jobs))
            self._jobs += jobs
            self._changed.notify_all()

    def check_room(self) -> None:
        """Raises Busy where there is no room for a single job: before anything is done for it."""
        if len(self._jobs) >= self.most:
            with self._changed:
                self._check_room(1)

    def full(self) -> int | None:
        """Seconds after which there may be room; None where there is."""
        try:
            self.check_room()
        except Busy as busy:
            return busy.seconds
        return None

    def _check_room(self, jobs: int) -> None:
        if len(self._jobs) + jobs > self.most and time.monotonic() > self._looked + LOOKS:
            self._jobs = deque(job for job in self._jobs if job.is_wanted)
            self._looked = time.monotonic()
        if len(self._jobs) + jobs > self.most:
            seconds = self._seconds(len(self._jobs))
            raise Busy(
                f"{self.name} has {len(self._jobs)} texts waiting, of {self.most} that may;"
                f" try again in {seconds} s.",
                seconds,
            )

    def take(self, fits: Callable[[Kind], bool], *, wait: float | None) -> list[Kind] | None:
        """The jobs at the head of the queue that fit, asked one by one; None once it is closed and
        empty.

        Args:
            wait: seconds to wait for a first one; None: until there is one.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._jobs or self._closed, wait)
            if not self._jobs:
                return None if self._closed else []
            taken = []
            while self._jobs and (not self._jobs[0].is_wanted or fits(self._jobs[0])):
                job = self._jobs.popleft()
                if job.is_wanted:
                    taken.append(job)
                    self._taken.append(time.monotonic())
            return taken

    def close(self) -> None:
        """Takes no more jobs; those that wait are still done."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _seconds(self, jobs: int) -> int:
        """How long so many jobs will take, by the rate so far."""
        if len(self._taken) < 2:
            return 1
        each = (time.monotonic() - self._taken[0]) / len(self._taken)
        return max(1, min(60, round(jobs * each)))


def check_number(texts: int, most: int) -> None:
    """Raises BadArgumentError for more texts than may ever wait."""
    if texts > most:
        raise BadArgumentError(
            f"a request may have {most} texts here; got {texts}. Send fewer at a time."
        )


def as_refusal(error: BaseException) -> BaseException:
    """What a caller gets of an exception in a model's thread: ours speak for themselves."""
    if isinstance(error, RegardError):
        return error
    failure = RuntimeError("the model failed; the server's log says why.")
    failure.__cause__ = error
    return failure
