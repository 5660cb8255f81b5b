"""The view on a page's screen as a figure, under one address."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from regard.figures.style import save
from regard.inspection.trace import Trace
from regard.inspection.views.all_heads import Order, Shade, Wanted, heads_figure
from regard.inspection.views.comparison import comparison, difference
from regard.inspection.views.lines import lines
from regard.inspection.views.part import Scale
from regard.inspection.views.step import step_figure
from regard.studio.library import Library, NoTrace
from regard.studio.requests import REFUSALS
from regard.studio.routes import (
    FILE,
    From0,
    From1,
    Head,
    Here,
    Opened,
    PartRequest,
    download,
    in_turn,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DRAWING = Lock()  # matplotlib draws one figure at a time

figures = APIRouter(prefix="/api/traces/{id}", responses=REFUSALS)


@dataclass
class _Lines:
    """Of the flow and the translation: which heads, which rows."""

    heads: Annotated[str | None, Query(pattern=r"^(\d+|mean)(,(\d+|mean))*$")] = None
    focus: Annotated[str | None, Query(pattern=r"^\d+(,\d+)*$")] = None
    at_output: bool = False

    def figure(self, trace: Trace, wanted: PartRequest) -> "Figure":
        return lines(
            trace,
            wanted.tap,
            [_head(name) for name in self.heads.split(",")] if self.heads else [wanted.head],
            quantity=wanted.quantity,
            group=wanted.group,
            focus=[int(row) for row in self.focus.split(",")] if self.focus else (),
            at_output=self.at_output,
        )


@dataclass
class _Second:
    """The second map of a comparison; what is not given is as in the first."""

    other_trace: str | None = None
    other_tap: str | None = None
    other_head: Head | None = None
    other_row: From0 | None = None
    other_column: From0 | None = None
    other_height: From1 | None = None
    other_width: From1 | None = None
    difference: bool = False
    one_scale: bool = False

    def figure(self, trace: Trace, library: Library, wanted: PartRequest, scale: Scale) -> "Figure":
        own = {
            name: getattr(self, f"other_{name}")
            for name in ("tap", "head", "row", "column", "height", "width")
        }
        like = replace(wanted, **{name: each for name, each in own.items() if each is not None})
        first, second = wanted.part(trace), like.part(self._trace(trace, library))
        if self.difference:
            return difference(first, second)
        return comparison(first, second, scale, one_scale=self.one_scale)

    def _trace(self, trace: Trace, library: Library) -> Trace:
        if self.other_trace is None:
            return trace
        try:
            return library[self.other_trace]
        except NoTrace:
            raise NoTrace(
                "the second text of the comparison is not here any more; look at it again."
            ) from None


@dataclass
class _Heads:
    """Of all heads: their order, the pattern that chooses them, and their shades."""

    order: Order = "layer"
    pattern: Wanted = ""
    shade: Shade = "each"


@figures.get("/figure.{kind}", response_class=Response, responses=FILE)
async def figure(
    request: Request,
    trace: Opened,
    library: Here,
    kind: Literal["svg", "pdf", "png"],
    wanted: Annotated[PartRequest, Depends()],
    drawn_as: Annotated[_Lines, Depends()],
    second: Annotated[_Second, Depends()],
    every: Annotated[_Heads, Depends()],
    scale: Scale = "linear",
    view: Literal["map", "heads", "flow", "translation", "generation", "compare"] = "map",
    step: From0 = 0,
) -> Response:
    """The map, or another view: all heads; lines of several heads, of the rows in focus or all; a
    step of the generation; two maps or their difference."""
    draw: Callable[[], Figure]
    if view == "heads":
        draw = partial(heads_figure, trace, every.order, every.pattern, every.shade)
    elif view == "compare":
        draw = partial(second.figure, trace, library, wanted, scale)
    elif view == "generation":
        draw = partial(step_figure, trace, wanted.tap, wanted.head, step, wanted.quantity)
    elif view == "map":
        draw = partial(wanted.figure, trace, scale)
    else:
        draw = partial(drawn_as.figure, trace, wanted)
    work = partial(_file, draw, kind)
    if view == "heads":  # reads every layer, which must not keep the tiles in view waiting
        return await in_turn(request, library.overview_thread, work)
    return await run_in_threadpool(work)


def _file(draw: "Callable[[], Figure]", kind: str) -> Response:
    with tempfile.TemporaryDirectory() as folder, _DRAWING:
        path = Path(folder) / f"figure.{kind}"
        save(draw(), path)
        return download(path.read_bytes(), f"regard.{kind}")


def _head(name: str) -> Head:
    return "mean" if name == "mean" else int(name)
