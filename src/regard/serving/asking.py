"""A request waits for its work: until it is done, its time is over or the client has gone.

What a request asks for is made into jobs in slices, by one thread: requests take turns there as
they do in the queue of a model, and no slice is begun that is not wanted.
"""

import asyncio
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future
from itertools import islice
from typing import Any, TypeVar

from fastapi import Request

from regard.errors import RegardError
from regard.http.application import while_here
from regard.serving.jobs import Job, Line, say
from regard.serving.served import Model
from regard.serving.work import Work

SLICE_SECONDS, SLICE_ITEMS = 0.01, 16  # of a slice, if no item takes longer by itself

Item = TypeVar("Item")


async def results_of(request: Request, model: Model[Any], work: Work) -> list[Any]:
    """Return the results of a request's jobs, or the error of one whose text is refused alone; none
    of them goes on when this has ended.

    Raises:
        RegardError: as `Waiting.join`, or as a job.
        TooLate: their time is over.
        HTTPException: the client has gone.
    """
    with model.threads.waiting.join(work.number) as line:
        jobs = _at_once(line, work) if work.is_small else _fed(request, model, line, work)
        return await while_here(request, jobs, work.deadline)


def answered(results: Sequence[Item]) -> Sequence[Item]:
    """Return the results of a request, of which some may be errors.

    Raises:
        RegardError: the first of them, if all are errors.
    """
    if results and all(isinstance(result, RegardError) for result in results):
        raise results[0]  # type: ignore[misc]
    return results


async def _fed(request: Request, model: Model[Any], line: Line[Any], work: Work) -> list[Any]:
    """Make as many jobs as the model can run, and the next ones as these are done."""
    futures: list[asyncio.Future[Any]] = []
    errors: list[BaseException] = []
    room = asyncio.Semaphore(model.threads.running + SLICE_ITEMS)

    def done(future: "asyncio.Future[Any]") -> None:
        room.release()
        error = None if future.cancelled() else future.exception()
        if error is not None and not work.refuses_alone(error):
            errors.append(error)

    jobs: Iterator[Job] = iter(work)
    while part := await _slice(request, jobs):
        for _ in part:
            await room.acquire()
        if errors:
            raise errors[0]
        line.put(part)
        for job in part:
            future = asyncio.wrap_future(job.future)
            future.add_done_callback(done)
            futures.append(future)
    results = await asyncio.gather(*futures, return_exceptions=True)
    if errors:
        raise errors[0]
    return results


async def _at_once(line: Line[Any], work: Work) -> list[Any]:
    """Return the results of jobs, in one step of the loop for all of them."""
    loop, jobs = asyncio.get_running_loop(), list(work)
    left, over = len(jobs), loop.create_future()

    def end(job: Future[Any]) -> None:
        nonlocal left
        left -= 1
        if over.done() or job.cancelled():
            return
        error = job.exception()
        if error is not None and not work.refuses_alone(error):
            over.set_exception(error)
        elif not left:
            over.set_result(None)

    line.put(jobs)
    for job in jobs:
        job.future.add_done_callback(lambda future: say(loop, end, future))
    if jobs:
        await over
    return [job.future.exception() or job.future.result() for job in jobs]


async def all_of(
    request: Request,
    items: Iterator[Item],
    deadline: float,
    *,
    whole: bool = False,
    thread: Executor | None = None,
) -> list[Item]:
    """All items, made in slices.

    Args:
        whole: make them here and now, since they take no longer than a change of threads.
        thread: that makes them, if another one than usual.
    """

    async def made() -> list[Item]:
        slice_items: list[Item] = []
        while part := await _slice(request, items, thread=thread):
            slice_items += part
        return slice_items

    return list(items) if whole else await while_here(request, made(), deadline)


async def _slice(
    request: Request,
    items: Iterator[Item],
    *,
    thread: Executor | None = None,
) -> list[Item]:
    """Return the next items; none at the end."""
    thread = thread or request.app.state.serving.preparing

    def made() -> list[Item]:
        end, slice_items = time.monotonic() + SLICE_SECONDS, list[Item]()
        for item in islice(items, SLICE_ITEMS):
            slice_items.append(item)
            if time.monotonic() > end:
                break
        return slice_items

    return await asyncio.get_running_loop().run_in_executor(thread, made)
