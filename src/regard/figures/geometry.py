"""Picture of one head in two dimensions: embeddings, queries and keys, values tip to tail."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from regard.figures.placing import place
from regard.figures.sheet import Sheet, Type
from regard.figures.style import (
    CATEGORICAL,
    INK,
    LINE_MM,
    MUTED,
    PAGE_MM,
    RULE,
    TYPE_PT,
    check_width,
    visible,
)
from regard.lazy import matplotlib, require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Point = tuple[float, float]
Points = NDArray[np.float64]

_BLUE, _ORANGE, _GREEN, _PINK = CATEGORICAL[:4]
_COLORS = {"embedding": _BLUE, "query": _BLUE, "key": _ORANGE, "value": _GREEN, "attended": _PINK}
_GAP, _EDGE = 3.0, 1.5
_SHORTEST = 1.2  # millimeters of an arrow that has room for its head
_ALONG = tuple(part / 20 for part in range(2, 20))  # of a shaft: where no name should lie
_MOST_NAMED = 16  # arrows of one kind with a name; of more, the ones that are looked at most


@dataclass(frozen=True)
class Plane:
    """Arrows of one space, drawn from the origin in the plane that keeps most of their length."""

    name: str  # "embeddings", "query and key" or "value"
    kept: float  # share of the squared length that lies in the plane; 1 where it is all
    arrows: dict[str, list[Point]]


@dataclass(frozen=True)
class Geometry:
    """Spaces of one head in two dimensions, and the way to one token's output there."""

    head: int
    spotlight: int  # whose output it is
    token: str
    planes: list[Plane]
    weights: list[float]  # over the keys
    path: list[Point]  # in the last plane: weighted values tip to tail, from (0, 0)


def geometry_figure(
    geometry: Geometry,
    tokens: Sequence[str],
    key_tokens: Sequence[str],
    *,
    width_mm: float = PAGE_MM,
) -> Figure:
    """Three squares: the embeddings; one query among the keys; the values, and the chain of
    weighted values that ends where the output does."""
    require(matplotlib)
    width = check_width(width_mm)
    rows, columns = _names(tokens), _names(key_tokens)
    title = f"What “{_names([geometry.token])[0]}” becomes in head {geometry.head}"
    weighted = [
        f"{name} × {weight:.2f}" for name, weight in zip(columns, geometry.weights, strict=True)
    ]
    type_ = Type([*rows, *weighted, title, "%"])
    side = (width - 2 * _EDGE - 2 * _GAP) / 3
    top = _EDGE + LINE_MM + 1.5
    captions = [
        type_.wrap(text, side)
        for text in (
            _caption(geometry.planes[0], "Embeddings"),
            _caption(geometry.planes[1], "Query of the token (blue) and keys (orange)"),
            _caption(
                geometry.planes[2], "Values (green); times their weights, tip to tail (black),"
                " they add up to the output (pink)",
            ),
        )
    ]  # fmt: skip
    below = max(len(lines) for lines in captions) * LINE_MM
    sheet = Sheet(width, top + side + 1.0 + below + _EDGE, type_)
    sheet.text(_EDGE, _EDGE, title, fontsize=TYPE_PT)
    chosen, labeled = geometry.spotlight, _named(geometry.weights)
    for number, (plane, lines) in enumerate(zip(geometry.planes, captions, strict=True)):
        left = _EDGE + number * (side + _GAP)
        square = _Square(sheet, left, top, side, plane, geometry.path if number == 2 else [])
        if number == 0:
            labeled_tokens = {chosen} | (
                labeled if tokens == key_tokens else set(range(_MOST_NAMED))
            )
            square.arrows("embedding", rows, labeled_tokens, strong={chosen})
        elif number == 1:
            square.arrows("key", columns, labeled)
            square.arrows("query", rows, {chosen}, strong={chosen}, only={chosen})
        else:
            square.arrows("value", weighted, labeled, weak=True)
            square.chain(geometry.path)
            square.arrows("attended", ["output"], {0}, strong={0})
        square.name()
        sheet.lines(left, top + side + 1.0, lines, color=MUTED)
    return sheet.figure


def _names(tokens: Sequence[str]) -> list[str]:
    """Tokens without the sign of a word's start, which arrows have no need of."""
    return visible(token.lstrip("▁") or token for token in tokens)


def _named(weights: Sequence[float]) -> set[int]:
    """Return the keys with the largest weights."""
    order = sorted(range(len(weights)), key=lambda key: -weights[key])
    return set(order[:_MOST_NAMED])


def _caption(plane: Plane, text: str) -> str:
    if plane.kept > 1 - 1e-9:
        return f"{text}."
    return f"{text}. The plane keeps {plane.kept:.0%} of the squared length of these arrows."


class _Square:
    """A plane with its origin, as large as its arrows need, and names that do not overlap."""

    def __init__(
        self, sheet: Sheet, left: float, top: float, side: float, plane: Plane, path: list[Point]
    ) -> None:
        self.sheet, self.side, self.plane = sheet, side, plane
        self.axes: Axes = sheet.axes(left, top, side, side)
        every = np.array([(0.0, 0.0), *path, *(p for tips in plane.arrows.values() for p in tips)])
        low, high = every.min(0), every.max(0)
        # Room for names around the outermost tips.
        self.extent = max(float((high - low).max()), 1e-9) * 1.35
        self.middle = (low + high) / 2
        for limits, center in ((self.axes.set_xlim, 0), (self.axes.set_ylim, 1)):
            half = self.extent / 2
            limits(self.middle[center] - half, self.middle[center] + half)
        self.axes.axhline(0, color=RULE, linewidth=0.4, zorder=0)
        self.axes.axvline(0, color=RULE, linewidth=0.4, zorder=0)
        self.axes.set(xticks=[], yticks=[])
        for spine in self.axes.spines.values():
            spine.set(linewidth=0.4, edgecolor=RULE)
        self.labels: list[tuple[Points, str, str]] = []
        self.passed: list[Point] = []  # by shafts

    def arrows(
        self,
        kind: str,
        names: Sequence[str],
        labeled: set[int],
        *,
        strong: set[int] | None = None,
        only: set[int] | None = None,
        weak: bool = False,
    ) -> None:
        color = _COLORS[kind]
        for index, tip in enumerate(self.plane.arrows[kind]):
            if only is not None and index not in only:
                continue
            is_strong = index in (strong or ())
            self.passed += [(tip[0] * part, tip[1] * part) for part in _ALONG]
            self._arrow((0, 0), tip, color, 1.5 if is_strong else 0.8, 0.45 if weak else 1)
            if index in labeled:
                self.labels.append((np.array(tip), names[index], color))

    def chain(self, path: Sequence[Point]) -> None:
        """Arrows one behind the other."""
        self.passed += path
        along = np.array(path)
        self.axes.plot(along[:, 0], along[:, 1], color=INK, linewidth=0.8, zorder=3)
        for start, end in pairwise(path):
            if hypot(end[0] - start[0], end[1] - start[1]) * self.side / self.extent > _SHORTEST:
                self._arrow(start, end, INK, 0.8, 1)

    def name(self) -> None:
        """Write the names, each where it covers least of what is there."""
        scale = self.side / self.extent
        corner = self.middle - self.extent / 2
        texts = [self.sheet.type.fit(text, self.side / 2) for _, text, _ in self.labels]
        names = place(
            [(tip - corner) * scale for tip, _, _ in self.labels],
            [(self.sheet.type.width(text), LINE_MM * 0.8) for text in texts],
            (self.side, self.side),
            obstacles=(np.array(self.passed).reshape(-1, 2) - corner) * scale,
            away_from=tuple((-corner * scale).tolist()),
        )
        for name, text, (_, _, color) in zip(names, texts, self.labels, strict=True):
            x, y = (
                np.array([name.low[0], (name.low[1] + name.high[1]) / 2]) / scale + corner
            ).tolist()
            style = self.sheet.type.text(color=color, ha="left", va="center")
            self.axes.text(x, y, text, **style)

    def _arrow(self, start: Point, end: Point, color: str, width: float, opacity: float) -> None:
        self.axes.annotate(
            "",
            xy=end,
            xytext=start,
            arrowprops=dict(
                arrowstyle="-|>,head_width=0.12,head_length=0.28",
                color=color,
                alpha=opacity,
                linewidth=width,
                shrinkA=0,
                shrinkB=0,
            ),
        )
