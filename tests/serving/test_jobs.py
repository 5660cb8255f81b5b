"""Requests that wait for a model."""

import time
from collections.abc import Callable
from concurrent.futures import CancelledError

import pytest

from regard.http.refusals import Busy
from regard.serving.jobs import Job, Line, Queue


def waiting(*sizes: int, most: int = 20) -> tuple[Queue[Job], list[list[Job]], list[Line[Job]]]:
    """A queue, the jobs of each request in it and their lines."""
    queue: Queue[Job] = Queue(most, "model")
    jobs = [[Job(time.monotonic() + 60) for _ in range(size)] for size in sizes]
    lines = [queue.join(size) for size in sizes]
    for line, its in zip(lines, jobs, strict=True):
        line.put(its)
    return queue, jobs, lines


def up_to(most: int) -> Callable[[Job], bool]:
    left = [None] * most

    def fits(job: Job) -> bool:
        return bool(left) and left.pop() is None

    return fits


def test_requests_take_turns() -> None:
    queue, (many, few), _ = waiting(5, 2)
    assert queue.take(up_to(3), wait=0) == [many[0], few[0], many[1]]
    assert len(queue) == 4
    assert queue.take(up_to(9), wait=0) == [few[1], *many[2:]]
    assert (queue.take(up_to(9), wait=0), len(queue)) == ([], 0)


def test_a_job_that_does_not_fit_does_not_hold_up_other_requests() -> None:
    queue, (wide, others), _ = waiting(2, 2)
    assert queue.take(lambda job: job not in wide, wait=0) == others


def test_the_end_of_a_request_is_the_end_of_its_jobs() -> None:
    queue, (gone, here), (line, _) = waiting(5, 2)
    [running] = queue.take(up_to(1), wait=0) or []
    with line:
        pass
    assert not running.is_wanted
    with pytest.raises(CancelledError):
        gone[-1].future.result(0)
    assert len(queue) == 2
    assert queue.take(up_to(9), wait=0) == here


def test_a_full_queue_says_when_to_try_again_and_takes_what_needs_little() -> None:
    queue, _, lines = waiting(12, most=20)
    with pytest.raises(Busy, match=r"\(12 of 20 texts waiting for model\); retry in 1 s"):
        queue.join(5)
    assert queue.room.has(1)
    queue.join(4)
    for _ in range(4):
        queue.join(1)
    assert not queue.room.has(1)
    lines[0].leave()
    assert queue.room.has(1)


def test_parts_of_a_text_that_come_later_take_no_more_room() -> None:
    queue, _, (line,) = waiting(1)
    line.put([Job(time.monotonic() + 60) for _ in range(9)])
    assert len(queue) == 1
    assert len(queue.take(up_to(10), wait=0) or []) == 10
    assert len(queue) == 0
