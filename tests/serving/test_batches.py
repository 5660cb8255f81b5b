"""Texts that are read together."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

from regard.errors import RegardError
from regard.serving.batches import CHARACTERS, Batches, Reading
from regard.serving.limits import Limits
from regard.serving.metrics import Metrics

LIMITS = Limits()
SHORT, LONG = "short", "x" * (CHARACTERS - 1)


class Reader:
    """A model that waits to be let on before each batch."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.begun, self.on = threading.Semaphore(0), threading.Semaphore(0)
        self.threads = Batches(
            self.compute, name="model", waiting=50, most=8, metrics=Metrics().of_model("model")
        )

    def compute(
        self, options: Any, items: list[tuple[str, ...]], progress: Callable[[int], None]
    ) -> Sequence[int]:
        self.begun.release()
        self.on.acquire(timeout=20)
        progress(0)
        self.batches.append([text for (text,) in items])
        return [len(text) for (text,) in items]

    def put(self, *texts: str) -> tuple[Any, list[Reading]]:
        jobs = [Reading((text,), None, LIMITS.deadline()) for text in texts]
        line = self.threads.waiting.join(len(jobs))
        line.put(jobs)
        return line, jobs


def test_short_texts_do_not_wait_for_long_ones() -> None:
    reader = Reader()
    reader.put(LONG)
    reader.begun.acquire(timeout=20)
    reader.put(LONG, LONG, LONG)
    _, jobs = reader.put(SHORT, SHORT)
    for _ in range(4):
        reader.on.release()
    reader.threads.close()
    assert reader.batches == [[LONG], [LONG, SHORT, SHORT], [LONG], [LONG]]
    assert [job.future.result(0) for job in jobs] == [5, 5]


def test_a_text_that_is_refused_does_not_take_its_batch_with_it() -> None:
    def compute(options: Any, items: list[tuple[str, ...]], progress: Any) -> Sequence[int]:
        if ("bad",) in items:
            raise RegardError("no bad text")
        return [len(text) for (text,) in items]

    reader = Reader()
    reader.put(LONG)
    reader.begun.acquire(timeout=20)
    reader.threads._compute = compute  # of the next batch
    _, [good, bad, other] = reader.put("good", "bad", "other")
    reader.on.release()
    reader.threads.close()
    assert [job.future.result(0) for job in (good, other)] == [4, 5]
    assert str(bad.future.exception(0)) == "no bad text"


def test_a_batch_that_no_one_waits_for_ends() -> None:
    reader = Reader()
    line, [job] = reader.put(LONG)
    reader.begun.acquire(timeout=20)
    line.leave()
    reader.on.release()
    reader.on.release()
    _, [other] = reader.put(SHORT)
    assert other.future.result(20) == 5
    assert reader.batches == [[SHORT]]
    assert job.future.cancelled()
    reader.threads.close()
