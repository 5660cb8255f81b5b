"""Dynamic batches for models that read: what has arrived while one batch was computed is the next,
sorted by length."""

import logging
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from regard.errors import RegardError
from regard.serving.jobs import Job, Waiting, as_refusal
from regard.serving.metrics import ModelMetrics

log = logging.getLogger("regard.serving")

Compute = Callable[[Any, list[Any]], Sequence[Any]]


class Reading(Job):
    """One text to be read.

    Args:
        options: those that agree are read together.
    """

    def __init__(self, item: Any, options: Hashable, deadline: float):
        super().__init__(deadline)
        self.item, self.options = item, options


class Batches:
    """The thread that reads for one model.

    Args:
        compute: options and items → a result for each, which does not depend on the other items.
        waiting: texts that may wait.
        most: texts of a batch.
    """

    def __init__(
        self, compute: Compute, *, name: str, waiting: int, most: int, metrics: ModelMetrics
    ):
        self._compute, self._most, self._metrics = compute, most, metrics
        self.capacity = waiting + most  # jobs that it has at most, waiting or running
        self.waiting: Waiting[Reading] = Waiting(waiting, name)
        self._running = 0
        metrics.watch(self.waiting.__len__, lambda: self._running)
        self._thread = threading.Thread(target=self._run, name="regard-reading", daemon=True)
        self._thread.start()

    def put(self, jobs: Sequence[Reading]) -> None:
        """As `Waiting.put`."""
        self.waiting.put(jobs)

    def close(self) -> None:
        """Ends the thread, after what waits."""
        self.waiting.close()
        self._thread.join()

    def _run(self) -> None:
        while (jobs := self._taken()) is not None:
            alike: dict[Hashable, list[Reading]] = {}
            for job in jobs:
                alike.setdefault(job.options, []).append(job)
            self._running = len(jobs)
            for those in alike.values():
                self._read(those)
            self._running = 0

    def _taken(self) -> list[Reading] | None:
        room = self._most

        def fits(job: Reading) -> bool:
            nonlocal room
            room -= 1
            return room >= 0

        return self.waiting.take(fits, wait=None)

    def _read(self, jobs: list[Reading]) -> None:
        began = time.perf_counter()
        try:
            results = self._compute(jobs[0].options, [job.item for job in jobs])
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
        for job, result in zip(jobs, results, strict=True):
            job.finish(result)
