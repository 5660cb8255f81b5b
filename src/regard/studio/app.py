"""The page's server: the answers under /api, the built page at /, and refusals as sentences."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware

from regard.errors import RegardError
from regard.inspection.trace import Trace
from regard.studio import page
from regard.studio.guard import Guard
from regard.studio.lessons import lessons
from regard.studio.library import Library, NoTrace
from regard.studio.requests import TraceRequest
from regard.studio.routes import NUMBERS, api
from regard.studio.shelf import Shelf
from regard.studio.trained import trained
from regard.studio.why import why


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
        traces: by id, already made.
        requests: by the same ids, what makes a trace again.
        cache, download: what a page may open besides, as in `Shelf`.
    """
    library = Library(Shelf(models, cache=cache, download=download), traces, requests)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        yield
        library.close()

    app = FastAPI(
        title="regard",
        version="1",
        lifespan=lifespan,
        docs_url=None,  # FastAPI's own pages come from a CDN
        redoc_url=None,
        openapi_url=None,
    )
    app.state.library = library
    app.include_router(api)
    app.include_router(lessons)
    app.include_router(why)
    app.include_router(trained)
    app.add_api_route("/{path:path}", _page, methods=["GET"], include_in_schema=False)
    for kind, answer in _REFUSALS.items():
        app.add_exception_handler(kind, answer)
    # Numbers hardly shrink, and a tile must not wait for a try.
    app.add_middleware(
        GZipMiddleware,
        compresslevel=5,
        exclude_content_types=(*DEFAULT_EXCLUDED_CONTENT_TYPES, NUMBERS),
    )
    app.add_middleware(Guard)
    return app


async def _page(path: str) -> Response:
    """A file of the built page, looked up by address among those that the package has."""
    found = page.built().get(f"/{path}")
    if found is None:
        raise HTTPException(404, f"there is nothing at /{path[:80]}; the page is at /.")
    kind, contents = found
    return Response(contents, media_type=kind)


def _refuse(status: int, sentence: str) -> JSONResponse:
    written = sentence.encode("utf-8", "backslashreplace").decode()  # what came may be quoted
    return JSONResponse({"detail": " ".join(written.split())}, status)


async def _mistake(request: Request, error: Exception) -> JSONResponse:
    return _refuse(404 if isinstance(error, NoTrace) else 400, str(error))


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    """The first of pydantic's complaints as a sentence."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    name = ".".join(str(part) for part in first["loc"][1:2]) or "the request"
    got = "" if first["type"] == "missing" else f"; got {str(first.get('input'))[:40]!r}"
    message = first["msg"][:1].lower() + first["msg"][1:]
    return _refuse(422, f"{name}: {message}{got}.")


async def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        return _refuse(405, f"{request.url.path} does not answer {request.method}.")
    return _refuse(error.status_code, str(error.detail))


async def _ours(request: Request, error: Exception) -> JSONResponse:
    return _refuse(500, "the server failed; the terminal that it runs in shows why.")


_REFUSALS: dict[type[Exception], Callable[[Request, Exception], Any]] = {
    RegardError: _mistake,
    RequestValidationError: _invalid,
    HTTPException: _http,
    Exception: _ours,
}
