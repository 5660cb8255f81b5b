"""The page, served while the rest of its server is still imported."""

import asyncio
import signal
import socket
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress

from starlette.applications import Starlette
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from regard.http.guard import Access, Admission, Guard
from regard.http.server import answer
from regard.lazy import uncollected
from regard.studio import page


def serve(make: Callable[[], Starlette], listener: socket.socket) -> None:
    """Answers on `listener` until interrupted. Raises what `make` raises, see `Early`."""
    app = Early(make)
    answer(app, listener, seconds=1)  # a long trace does not keep the command from ending
    app.made.result()


class Early(Starlette):
    """An application that has the page from the start; all else waits for the one that is made.

    Args:
        make: called in a thread, to import and make that one. Where it fails, the server ends.
    """

    def __init__(self, make: Callable[[], Starlette]) -> None:
        super().__init__(lifespan=lambda _: self._live())
        self.made = ThreadPoolExecutor(1).submit(uncollected()(make))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await super().__call__(scope, receive, send)
        elif scope.get("method") == "GET" and (file := page_at(scope["path"])):
            await Guard(file, Admission(Access()))(scope, receive, send)
        else:
            await (await asyncio.wrap_future(self.made))(scope, receive, send)

    @asynccontextmanager
    async def _live(self) -> AsyncIterator[None]:
        other = asyncio.wrap_future(self.made)
        other.add_done_callback(self._end_if_failed)
        yield  # before the other is made
        with suppress(Exception):  # that `make` raised
            app = await other
            async with app.router.lifespan_context(app):
                pass

    def _end_if_failed(self, _: object) -> None:
        if self.made.exception():
            signal.raise_signal(signal.SIGINT)


def page_at(path: str) -> Response | None:
    """Return a file of the built page, looked up by address among those that the package has."""
    file = page.built().get(path)
    return None if file is None else Response(file[1], media_type=file[0])
