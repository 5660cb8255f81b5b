"""A request waits for its jobs: until they are done, their time is over or the client has gone."""

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from typing import Any, TypeVar

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from regard.serving.jobs import Job, TooLate
from regard.serving.served import Model

GONE = 499  # what web servers log when the client has gone
LONG = 2000  # characters that are prepared in a thread, so that others need not wait

Result = TypeVar("Result")


async def results_of(request: Request, model: Model[Any], jobs: Sequence[Job]) -> list[Any]:
    """The results of jobs; none of them goes on when this has ended.

    Raises:
        RegardError: as `Waiting.put`, or as a job.
        TooLate: their time is over.
        HTTPException: the client has gone.
    """
    if not jobs:
        return []
    model.put(jobs)
    try:
        return await while_here(
            request,
            asyncio.gather(*(asyncio.wrap_future(job.future) for job in jobs)),
            jobs[0].deadline,
        )
    finally:
        cancel(jobs)


async def while_here(request: Request, work: "asyncio.Future[Result]", deadline: float) -> Result:
    """The result of work, unless the client goes, or its time is over, before that."""
    gone: asyncio.Future[None] = asyncio.ensure_future(_gone(request))
    both: list[asyncio.Future[Any]] = [work, gone]
    try:
        await asyncio.wait(
            both,
            timeout=max(0.0, deadline - time.monotonic()),
            return_when=asyncio.FIRST_COMPLETED,
        )
        if work.done():
            return work.result()
        work.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await work
        if gone.done():
            raise HTTPException(GONE, "the client has gone.")
        raise TooLate("the request took longer than it may; send less, or try again.")
    finally:
        gone.cancel()


def cancel(jobs: Sequence[Job]) -> None:
    """Takes them out, where they are not done."""
    for job in jobs:
        job.future.cancel()


async def prepared(characters: int, make: Callable[[], Result]) -> Result:
    """What `make` makes of so many characters of text."""
    if characters < LONG:
        return make()
    return await run_in_threadpool(make)


async def looked(
    request: Request, thread: Executor, work: Callable[[], Result], end: float
) -> Result:
    """The result of work in a thread that others use, too."""
    return await while_here(request, asyncio.wrap_future(thread.submit(work)), end)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
