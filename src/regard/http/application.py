"""An application, and what its routes need: work that ends with the client, files to download."""

import asyncio
import mimetypes
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from regard.http.refusals import GONE, TooLate, add_refusals

if TYPE_CHECKING:
    from fastapi import FastAPI

Result = TypeVar("Result")


def application(close: Callable[[], None], **described: Any) -> "FastAPI":
    """Yield an application without routes, whose refusals are sentences.

    Args:
        close: called at its end.
        described: passed to FastAPI, such as `title` and `version`.
    """

    from fastapi import FastAPI

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        await run_in_threadpool(close)

    # FastAPI's own pages come from a CDN.
    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, **described)
    app.state.is_ending = lambda: False
    add_refusals(app)
    return app


class Followed(Request):
    """A request whose connection cancels its work when the client goes."""


async def while_here(
    request: Request, work: Coroutine[Any, Any, Result], deadline: float | None = None
) -> Result:
    """Return the result of work, which is cancelled when the client goes or its time is over.

    Args:
        deadline: by time.monotonic.

    Raises:
        TooLate: the time is over.
        HTTPException: the client has gone.
    """
    seconds = None if deadline is None else max(0.0, deadline - time.monotonic())
    if isinstance(request, Followed):
        try:
            async with asyncio.timeout(seconds):
                return await work
        except TimeoutError as error:
            raise TooLate from error
    task = asyncio.ensure_future(work)
    gone: asyncio.Future[None] = asyncio.ensure_future(_gone(request))
    both: list[asyncio.Future[Any]] = [task, gone]
    try:
        await asyncio.wait(both, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        task.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await task
        if gone.done():
            raise HTTPException(GONE, "the client has gone.")
        raise TooLate
    finally:
        gone.cancel()
        task.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def download(contents: bytes, name: str) -> Response:
    """Return a file for the client to keep. As an attachment, since a file with a script of its own
    is not to run as a page of this server."""
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(contents, media_type=kind, headers=headers)
