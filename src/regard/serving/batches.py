"""Dynamic batches for models that read: what has arrived while one batch was computed is the next,
sorted by length."""

import logging
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from regard.errors import RegardError
from regard.serving.jobs import Job, Queue, as_refusal, together
from regard.serving.metrics import ModelMetrics
from regard.serving.process import give_way

log = logging.getLogger("regard.serving")

CHARACTERS = 32_000  # of the long texts of a batch, but for the first one
SHORT = 1000  # characters; shorter texts do not wait for long ones

Compute = Callable[[Any, list[Any], Callable[[int], None]], Sequence[Any]]


class Reading(Job):
    """A text to be read, or several that belong together.

    Args:
        options: items of equal options, and of as many texts, are read together.
    """

    def __init__(self, item: tuple[str, ...], options: Hashable, deadline: float):
        super().__init__(deadline)
        self.item, self.options, self.alike = item, options, (options, len(item))
        self.characters = sum(map(len, item))


class _UnwantedError(Exception):
    """No one waits for a batch any more."""


class Batches:
    """The thread that reads for one model.

    Args:
        compute: options, items and what to call now and then → a result for each item, which does
            not depend on the others.
        waiting: texts that may wait.
        most: texts of a batch.
    """

    def __init__(
        self, compute: Compute, *, name: str, waiting: int, most: int, metrics: ModelMetrics
    ):
        self._compute, self._most, self._metrics = compute, most, metrics
        self.running = most  # jobs at the same time
        self.waiting: Queue[Reading] = Queue(waiting, name)
        self._running = 0
        metrics.watch(self.waiting.__len__, lambda: self._running)
        self._thread = threading.Thread(target=self._run, name="regard-reading", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread, after what waits."""
        self.waiting.close()
        self._thread.join()

    def _run(self) -> None:
        give_way()
        while (jobs := self._taken()) is not None:
            alike: dict[Hashable, list[Reading]] = {}
            for job in jobs:
                alike.setdefault(job.alike, []).append(job)
            self._running = len(jobs)
            for those in alike.values():
                self._read(those)
            self._running = 0

    def _taken(self) -> list[Reading] | None:
        room, characters = self._most, 0

        def fits(job: Reading) -> bool:
            nonlocal room, characters
            if job.characters > SHORT:
                if characters and characters + job.characters > CHARACTERS:
                    return False
                characters += job.characters
            room -= 1
            return room >= 0

        return self.waiting.take(fits, wait=None)

    def _read(self, jobs: list[Reading]) -> None:
        def check(done: int) -> None:
            if not any(job.is_wanted for job in jobs):
                raise _UnwantedError

        began = time.perf_counter()
        try:
            check(0)
            results = self._compute(jobs[0].options, [job.item for job in jobs], check)
        except _UnwantedError:
            return
        except RegardError as error:
            if len(jobs) == 1:
                jobs[0].fail(error)
            else:  # the refused text is not to take the others with it
                for job in jobs:
                    self._read([job])
            return
        except Exception as error:
            log.exception("a batch failed")
            for job in jobs:
                job.fail(as_refusal(error))
            return
        self._metrics.stepped(len(jobs), time.perf_counter() - began)
        with together():
            for job, result in zip(jobs, results, strict=True):
                job.finish(result)
