"""The page's server: the answers under /api, the built page at /, and refusals as sentences."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import Response
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware

from regard.http.application import application
from regard.http.guard import Access, Admission, Guard
from regard.http.server import Server
from regard.http.sockets import ADDRESS, bind
from regard.inspection.trace import Trace
from regard.studio.early import page_at
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
    """Return the application that `regard studio` serves on 127.0.0.1.

    Args:
        models: shipped names, folders and hub:org/name that a page may run; no path that a page
            sends is opened.
        requests: by the same ids, what makes a trace again.
    """
    library = Library(Shelf(models, cache=cache, download=download), traces, requests)

    app = application(library.close, title="regard", version="1", openapi_url=None)
    app.state.library = library
    for router in (api, lessons, trained):
        app.router.routes += router.routes  # include_router would make each a second time: 45 ms
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
    """Return a file of the built page, looked up by address among those that the package has."""
    if (file := page_at(f"/{path}")) is None:
        raise HTTPException(404, f"there is nothing at /{path[:80]}; the page is at /.")
    return file


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
