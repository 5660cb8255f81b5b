"""The page's server: the answers under /api, the built page at /, and refusals as sentences."""

import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware

from regard.http.application import application
from regard.http.guard import Access, Admission, Guard
from regard.http.server import ADDRESS, Server, answer, bind
from regard.inspection.trace import Trace
from regard.studio import page
from regard.studio.lessons import lessons
from regard.studio.library import Library, Shelf
from regard.studio.requests import TraceRequest
from regard.studio.routes import NUMBERS, api
from regard.studio.trained import trained

FILES, FILE_LIMIT = "/api/files", 2**29  # where traces are sent whole
TOO_LONG = f"a trace file may have {FILE_LIMIT:,} bytes here; open a larger one with `regard look`."
IMAGES, IMAGE_LIMIT = "/api/traces", 2**25  # where images are
TOO_LARGE = f"an image may have {IMAGE_LIMIT * 3 // 4:,} bytes here; look at a smaller one."


def create_app(
    models: Sequence[str | Path],
    traces: Mapping[str, Trace],
    *,
    requests: Mapping[str, TraceRequest] | None = None,
    cache: bool = False,
    download: bool = False,
) -> FastAPI:
    """The application that `regard studio` serves on 127.0.0.1.

    Args:
        models: shipped names, folders and hub:org/name that a page may run; no path that a page
            sends is opened.
        requests: by the same ids, what makes a trace again.
    """
    library = Library(Shelf(models, cache=cache, download=download), traces, requests)

    app = application(library.close, title="regard", version="1", openapi_url=None)
    app.state.library = library
    app.include_router(api)
    app.include_router(lessons)
    app.include_router(trained)
    app.add_api_route("/{path:path}", _page, methods=["GET"], include_in_schema=False)
    # Numbers hardly shrink, and a tile must not wait for a try.
    app.add_middleware(
        GZipMiddleware,
        compresslevel=5,
        exclude_content_types=(*DEFAULT_EXCLUDED_CONTENT_TYPES, NUMBERS),
    )
    longer = {FILES: (FILE_LIMIT, TOO_LONG), IMAGES: (IMAGE_LIMIT, TOO_LARGE)}
    app.add_middleware(Guard, admission=Admission(Access()), longer=longer)
    return app


async def _page(path: str) -> Response:
    """A file of the built page, looked up by address among those that the package has."""
    file = page.built().get(f"/{path}")
    if file is None:
        raise HTTPException(404, f"there is nothing at /{path[:80]}; the page is at /.")
    kind, contents = file
    return Response(contents, media_type=kind)


def serve(app: FastAPI, listener: socket.socket, *, path: str = "/", browse: bool = True) -> None:
    """Answers on `listener` until interrupted; prints the address, and opens it in a browser."""
    address = f"http://{ADDRESS}:{listener.getsockname()[1]}{path}"
    print(f"{address}  (Ctrl-C ends)", flush=True)  # at once, into a pipe too
    if browse and has_display():
        # Connections wait in the socket's queue, so the browser may come before the server.
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    answer(app, listener, seconds=1)  # a long trace does not keep the command from ending


@contextmanager
def in_background(app: FastAPI) -> Iterator[str]:
    """Answers in a thread of this process while the block runs; gives the address."""
    listener = bind(0)
    server = Server(app, seconds=1)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"http://{ADDRESS}:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)


def has_display() -> bool:
    """Return True where a browser could show itself."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
