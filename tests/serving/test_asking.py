"""Requests whose jobs are made in slices."""

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.exceptions import HTTPException

from regard.http.refusals import TooLate
from regard.serving.asking import SLICE_ITEMS, all_of, results_of
from regard.serving.jobs import Job, Queue
from regard.serving.limits import Limits
from regard.serving.work import Work

RUNNING = 7
pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Many(Work):
    """A long text that has no end of parts."""

    def __init__(self, number: int, seconds: float = 30.0):
        super().__init__(Limits(), ["x" * 5000], 1, seconds=seconds)
        self.left, self.made, self.threads = number, 0, set[str]()

    def __iter__(self) -> Iterator[Job]:
        while self.made < self.left:
            self.made += 1
            self.threads.add(threading.current_thread().name)
            yield Job(self.deadline)


class Asked:
    """A request and the model that it waits for."""

    def __init__(self) -> None:
        self.gone = asyncio.Event()
        self.preparing = ThreadPoolExecutor(1, thread_name_prefix="preparing")
        state = SimpleNamespace(serving=SimpleNamespace(preparing=self.preparing))
        self.request: Any = SimpleNamespace(receive=self.receive, app=SimpleNamespace(state=state))
        self.waiting: Queue[Job] = Queue(100, "model")
        self.model: Any = SimpleNamespace(
            threads=SimpleNamespace(waiting=self.waiting, running=RUNNING)
        )

    async def receive(self) -> dict[str, str]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def made_no_more(self, work: Many) -> int:
        """Jobs that have been made, once no slice follows the one before."""
        made, loop = -1, asyncio.get_running_loop()
        while made != work.made:
            made = work.made
            await loop.run_in_executor(self.preparing, int)  # after a slice that has begun
            await asyncio.sleep(0.01)  # in which the next one is asked for
            await loop.run_in_executor(self.preparing, int)
        return made


async def test_of_a_long_text_so_much_is_made_as_the_model_can_run() -> None:
    asked, work = Asked(), Many(1000)
    answer = asyncio.ensure_future(results_of(asked.request, asked.model, work))
    assert await asked.made_no_more(work) <= RUNNING + 2 * SLICE_ITEMS
    assert all(name.startswith("preparing") for name in work.threads)
    done = 0
    while done < 1000:
        for job in asked.waiting.take(lambda job: True, wait=0) or []:
            job.finish(done)
            done += 1
        await asyncio.sleep(0)
    assert await answer == list(range(1000))


async def test_when_a_client_goes_nothing_more_is_made() -> None:
    asked, work = Asked(), Many(10**9)
    answer = asyncio.ensure_future(results_of(asked.request, asked.model, work))
    await asked.made_no_more(work)
    jobs = asked.waiting.take(lambda job: True, wait=0) or []
    asked.gone.set()
    with pytest.raises(HTTPException, match="the client has gone"):
        await answer
    made = work.made
    assert not any(job.is_wanted for job in jobs)
    assert await asked.made_no_more(work) == made
    assert asked.waiting.take(lambda job: True, wait=0) == []


async def test_a_request_whose_time_is_over_ends_between_two_slices() -> None:
    asked = Asked()
    endless = iter(lambda: time.sleep(0.001), "never")
    with pytest.raises(TooLate, match="exceeded the time limit"):
        await all_of(asked.request, endless, time.monotonic() + 0.1)
    assert asked.preparing.submit(int).result(5) == 0


async def test_a_job_that_fails_is_the_end_of_the_request() -> None:
    asked, work = Asked(), Many(10**9)
    answer = asyncio.ensure_future(results_of(asked.request, asked.model, work))
    await asked.made_no_more(work)
    for job in asked.waiting.take(lambda job: True, wait=0) or []:
        job.fail(ValueError("of a test"))
    with pytest.raises(ValueError, match="of a test"):
        await answer
