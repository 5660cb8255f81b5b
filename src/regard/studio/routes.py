"""Every answer of `inspection.views` under an address."""

import asyncio
import tempfile
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from regard.http.application import download, while_here
from regard.http.bodies import JsonRoute
from regard.inspection.answers import (
    Ablation,
    Attribution,
    Cell,
    Group,
    Lens,
    Looks,
    Measures,
    ModelInfo,
    Quantity,
    Reliance,
    Summary,
    TraceInfo,
)
from regard.inspection.attribution import logit_attribution, logit_lens, measures
from regard.inspection.trace import Trace
from regard.inspection.views import page
from regard.inspection.views.ablation import ablate as switch_off
from regard.inspection.views.between import Look
from regard.inspection.views.between import between as heads_between
from regard.inspection.views.needed import Way, reliances
from regard.inspection.views.part import Part, part
from regard.inspection.views.statistics import summary_of
from regard.inspection.views.tiles import Tile, TileRequest, tile_of
from regard.progress import Work
from regard.studio.export import to_html
from regard.studio.library import Library
from regard.studio.requests import (
    REFUSALS,
    AblationRequest,
    Listed,
    Offer,
    OpenRequest,
    TraceRequest,
    Working,
)

NUMBERS = "application/octet-stream"

Result = TypeVar("Result")


def _library(request: Request) -> Library:
    return request.app.state.library


def _trace(request: Request, id: str) -> Trace:
    return _library(request)[id]


Here = Annotated[Library, Depends(_library)]
Opened = Annotated[Trace, Depends(_trace)]
Head = Annotated[int, Query(ge=0)] | Literal["mean"]
From0 = Annotated[int, Query(ge=0)]
From1 = Annotated[int, Query(ge=1)]
Extent = Annotated[int, Query(ge=1, le=1024)]


@dataclass
class PartRequest:
    """Which rectangle of a map to export, in tokens, words or sentences; all of it by default."""

    tap: str
    head: Head = "mean"
    row: From0 = 0
    column: From0 = 0
    height: From1 | None = None
    width: From1 | None = None
    quantity: Quantity = "weight"
    group: Group = "token"

    def part(self, trace: Trace) -> Part:
        return part(
            trace,
            self.tap,
            self.head,
            queries=slice(self.row, None if self.height is None else self.row + self.height),
            keys=slice(self.column, None if self.width is None else self.column + self.width),
            quantity=self.quantity,
            group=self.group,
        )


@dataclass(frozen=True)
class _Tile(TileRequest):
    """The limits that a page's request has to keep to."""

    head: Head
    level: From0 = 0
    row: From0 = 0
    column: From0 = 0
    height: Extent = 256
    width: Extent = 256
    every: Annotated[int, Query(ge=1)] = 1


api = APIRouter(prefix="/api", responses=REFUSALS, route_class=JsonRoute)
_binary: dict[int | str, dict[str, Any]] = {
    200: {"content": {NUMBERS: {"schema": {"type": "string", "format": "binary"}}}}
}
_upload: dict[str, Any] = {"requestBody": {"required": True, "content": {NUMBERS: {}}}}
FILE: dict[int | str, dict[str, Any]] = {200: {"content": {"application/*": {}}}}


@api.get("/models")
def models(library: Here) -> list[ModelInfo]:
    return library.models()


@api.post("/models")
async def open_model(request: Request, wanted: OpenRequest, library: Here) -> ModelInfo:
    return await in_turn(request, library.models_thread, partial(library.open, wanted.model))


@api.get("/offer")
def offer(library: Here) -> Offer:
    return library.shelf.offer()


@api.get("/traces")
def traces(library: Here) -> list[Listed]:
    return library.listed()


@api.post("/traces")
async def trace(request: Request, wanted: TraceRequest, library: Here) -> TraceInfo:
    def work() -> TraceInfo:
        id = library.trace(wanted)
        return page.describe(library[id], id)

    return await in_turn(request, library.models_thread, work)


@api.get("/working")
def working(library: Here) -> Working | None:
    """How far the trace that is being made has come; null while none is."""
    return library.working()


@api.post("/files", openapi_extra=_upload)
async def open_file(request: Request, library: Here) -> TraceInfo:
    """Return a trace that `Trace.save` wrote, as the body."""
    contents = await request.body()

    def work() -> TraceInfo:
        id = library.add_file(contents)
        return page.describe(library[id], id)

    return await in_turn(request, library.overview_thread, work)


@api.get("/traces/{id}")
def opened(id: str, trace: Opened, library: Here) -> TraceInfo:
    return replace(page.describe(trace, id), by_text=library.is_by_text(id))


@api.get("/traces/{id}/summary")
async def summary(request: Request, trace: Opened, tap: str, library: Here) -> Summary:
    work = partial(summary_of, trace, tap)
    return await in_turn(request, library.overview_thread, work)


@api.get("/traces/{id}/thumbnails", response_class=Response, responses=_binary)
async def thumbnails(
    request: Request,
    trace: Opened,
    tap: str,
    library: Here,
    size: Annotated[int, Query(ge=1, le=256)] = 48,
) -> Response:
    work = partial(page.thumbnails, trace, tap, size)
    return _numbers(await in_turn(request, library.overview_thread, work))


@api.get("/traces/{id}/tile", response_class=Response, responses=_binary)
def tile(trace: Opened, wanted: Annotated[_Tile, Depends()]) -> Response:
    return _numbers(tile_of(trace, wanted))


@api.get("/traces/{id}/cell")
def cell(trace: Opened, tap: str, head: Head, query: int, key: int) -> Cell:
    return page.cell(trace, tap, head, query, key)


@api.get("/traces/{id}/looks")
def looks(
    trace: Opened,
    tap: str,
    head: Head,
    query: int | None = None,
    key: int | None = None,
    k: Annotated[int, Query(ge=1, le=1000)] = 20,
    quantity: Quantity = "weight",
) -> Looks:
    return page.looks(trace, tap, head, query=query, key=key, k=k, quantity=quantity)


@api.get("/traces/{id}/between")
def between(
    trace: Opened,
    tap: str,
    query: int,
    key: int,
    count: Annotated[int, Query(ge=1, le=1000)] = 10,
    sink: bool = True,
) -> list[Look]:
    axes = (trace[tap].queries, trace[tap].keys)
    return heads_between(trace, axes, [query], [key], count=count, sink=sink)


@api.post("/traces/{id}/ablate")
async def ablate(
    request: Request, trace: Opened, wanted: AblationRequest, library: Here
) -> Ablation:
    work = partial(switch_off, trace, **asdict(wanted))
    return await in_turn(request, library.models_thread, work)


@api.get("/traces/{id}/reliance")
async def reliance(
    request: Request, trace: Opened, library: Here, way: Way = "anywhere"
) -> list[Reliance]:
    """Word by word, so that a text that comes in between waits for one word only."""
    words, answers = reliances(trace, way), list[Reliance]()
    while word := await in_turn(request, library.models_thread, partial(next, words, None)):
        answers.append(word)
        if await request.is_disconnected():
            break
    return answers


@api.get("/traces/{id}/export.npz", response_class=Response, responses=FILE)
def export_npz(trace: Opened, wanted: Annotated[PartRequest, Depends()]) -> Response:
    return download(wanted.part(trace).npz(), "regard.npz")


@api.get("/traces/{id}/export.html", response_class=Response, responses=FILE)
def export_html(trace: Opened, request: Request) -> Response:
    """Return the page without its server, showing first what the query says as the page's
    address."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "regard.html"
        to_html(trace, path, query=request.url.query)
        return download(path.read_bytes(), path.name)


async def in_turn(request: Request, thread: Executor, work: Callable[[], Result]) -> Result:
    """Return the result of work that waits for its turn, given up when the page no longer waits for
    it."""
    job = Work()

    async def done() -> Result:
        return await asyncio.wrap_future(thread.submit(job.run, work))

    try:
        return await while_here(request, done())
    except HTTPException:
        job.stop()  # between two layers, if it runs already
        raise


def _numbers(numbers: Tile) -> Response:
    return Response(numbers.to_bytes(), media_type=NUMBERS, headers=numbers.headers())


@api.get("/traces/{id}/lens")
async def lens(request: Request, trace: Opened, library: Here, step: From0) -> Lens:
    return await in_turn(request, library.models_thread, partial(logit_lens, trace, step))


@api.get("/traces/{id}/attribution")
async def attribution(
    request: Request,
    trace: Opened,
    library: Here,
    step: From0,
    against: Annotated[int | None, Query(ge=0)] = None,
) -> Attribution:
    work = partial(logit_attribution, trace, step, against)
    return await in_turn(request, library.models_thread, work)


@api.get("/traces/{id}/measures")
async def measured(
    request: Request, trace: Opened, library: Here, step: From0, axis: str | None = None
) -> Measures:
    work = partial(measures, trace, [step], axis)
    return (await in_turn(request, library.models_thread, work))[0]
