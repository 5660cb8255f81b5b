"""Points of a plane with their names, none of which lies on another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from regard.errors import BadArgumentError
from regard.figures.color import CATEGORICAL
from regard.figures.sheet import Sheet, Type
from regard.figures.style import (
    COLUMN_MM,
    INCH_MM,
    LINE_MM,
    MUTED,
    RULE,
    TYPE_PT,
    check_width,
    visible,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHAPES = {"o": "●", "s": "■", "^": "▲", "D": "◆", "v": "▼", "P": "✚", "X": "✖"}
STAR = ("*", "★")
MARGIN = 7.0  # millimeters around the points
FLATTEST = 0.5  # height of the plane against its width, at least
WIDEST = 40.0  # millimeters of a name that are shown, at most

_DOT, _TALL = 1.0, 2.4  # millimeters: room for a point, and height of a name
# Where a name may stand, beginning with the best: beside its point, above and below, then away.
_PLACES = [
    (distance, across, down)
    for distance, (across, down) in product(
        (0.6, 2.5, 5.0, 8.0),
        [(1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1)],
    )
]

Point = Sequence[float]  # x and y in millimeters
Box = tuple[float, float, float, float]  # left, top, right, bottom in millimeters


@dataclass(frozen=True, eq=False)
class Cloud:
    """Points of one color and shape."""

    name: str  # for the legend; empty for none
    points: NDArray[np.floating]  # (points, 2)
    labels: Sequence[str] = ()  # a name for each point, or none
    star: bool = False  # drawn large, above the others and in black


def scatter(
    clouds: Sequence[Cloud],
    *,
    x_name: str = "",
    y_name: str = "",
    title: str = "",
    width_mm: float = COLUMN_MM,
) -> Figure:
    """A plane with the points of all clouds; both axes have one scale.

    A name for which there is no room is left out, and the legend says how many were.

    Raises:
        BadArgumentError: no point, points or labels of the wrong shape, more clouds than colors.
        UnavailableError: matplotlib is not installed.
    """
    _check(clouds)
    labels = [visible(cloud.labels) for cloud in clouds]
    signs = [STAR[1], *SHAPES.values()]
    type_ = Type([*signs, x_name, y_name, title, *(c.name for c in clouds), *chain(*labels)])
    width = check_width(width_mm)
    heading = type_.wrap(title, width - 4.0, TYPE_PT)
    top = 1.5 + len(heading) * (LINE_MM + 0.4) + (LINE_MM + 0.5 if y_name else 0.5)
    size = width - 4.0
    places, tall = _to_millimeters(clouds, size)
    below = top + tall + (LINE_MM + 1.5 if x_name else 1.5)
    names, left_out = _place(places, labels, type_, (size, tall))
    legend = [pair for pair in zip(clouds, _looks(clouds), strict=True) if pair[0].name]
    note = [f"{left_out:,} names had no room."] if left_out else []
    height = below + (len(legend) + len(note)) * LINE_MM + 1.5
    sheet = Sheet(width, height, type_)
    sheet.lines(2.0, 1.5, heading, fontsize=TYPE_PT)
    sheet.text(2.0, top - LINE_MM - 0.2, y_name, color=MUTED)
    sheet.text(width - 2.0, top + tall + 0.8, x_name, ha="right", color=MUTED)
    axes = sheet.axes(2.0, top, size, tall)
    axes.set(xlim=(0, size), ylim=(tall, 0), xticks=[], yticks=[])
    for side in axes.spines.values():
        side.set(linewidth=0.4, color=RULE)
    for cloud, at, (color, shape, _) in zip(clouds, places, _looks(clouds), strict=True):
        area = ((3.2 if cloud.star else 1.3) / INCH_MM * 72) ** 2
        fade = 1.0 if cloud.star or len(at) < 50 else 0.6
        axes.scatter(
            at[:, 0], at[:, 1], s=area, marker=shape, color=color, alpha=fade, linewidths=0,
            zorder=4 if cloud.star else 2,
        )  # fmt: skip
    for text, point, box in names:
        leader = _leader(point, box)
        if len(leader):
            axes.plot(*leader.T, color=RULE, linewidth=0.4, zorder=1)
        middle = (box[1] + box[3]) / 2
        axes.text(box[0], middle, text, ha="left", va="center_baseline", zorder=5, **type_.text())
    for number, (cloud, (color, _, sign)) in enumerate(legend):
        sheet.text(
            2.0, below + number * LINE_MM, type_.fit(f"{sign} {cloud.name}", size), color=color
        )
    sheet.lines(2.0, below + len(legend) * LINE_MM, note, color=MUTED)
    return sheet.figure


def _looks(clouds: Sequence[Cloud]) -> list[tuple[str, str, str]]:
    """Color, matplotlib's marker and the legend's sign of each cloud."""
    rest = iter(zip(CATEGORICAL, SHAPES.items(), strict=True))
    found = []
    for cloud in clouds:
        color, (shape, sign) = ("#000000", STAR) if cloud.star else next(rest)
        found.append((color, shape, sign))
    return found


def _to_millimeters(
    clouds: Sequence[Cloud], size: float
) -> tuple[list[NDArray[np.float64]], float]:
    """Every point from the top left, a margin around them all, and how tall the plane is."""
    every = [np.asarray(cloud.points, np.float64) for cloud in clouds]
    together = np.concatenate(every)
    low, high = together.min(0), together.max(0)
    across, up = (high - low).tolist()
    scale = (size - 2 * MARGIN) / max(across, up, 1e-12)
    tall = max(up * scale + 2 * MARGIN, FLATTEST * size)
    middle = (low + high) / 2
    return [(points - middle) * (scale, -scale) + (size / 2, tall / 2) for points in every], tall


def _place(
    places: Sequence[NDArray[np.float64]],
    labels: Sequence[Sequence[str]],
    type_: Type,
    size: tuple[float, float],
) -> tuple[list[tuple[str, Point, Box]], int]:
    """Where each name stands, and how many have no room. The first cloud chooses first."""
    dots = np.concatenate(places)
    taken = np.hstack([dots - _DOT / 2, dots + _DOT / 2])  # boxes of points, names and leaders
    names_only = np.zeros((0, 4))
    found: list[tuple[str, Point, Box]] = []
    left_out = 0
    for points, names in zip(places, labels, strict=True):
        for point, name in zip(points.tolist(), names, strict=False):
            text = type_.fit(name, WIDEST)
            box = _free(point, type_.width(text), taken, names_only, size)
            if box is None:
                left_out += 1
                continue
            leader = _leader(point, box)
            taken = np.vstack([taken, box, np.hstack([leader, leader])])
            names_only = np.vstack([names_only, box])
            found.append((text, (point[0], point[1]), box))
    return found, left_out


def _free(
    point: Point,
    wide: float,
    taken: NDArray[np.float64],
    names: NDArray[np.float64],
    size: tuple[float, float],
) -> Box | None:
    """The best place that touches nothing, and whose leader crosses no name."""
    for distance, across, down in _PLACES:
        reach = _DOT + distance
        x = point[0] + across * (reach + wide / 2) * (0.75 if across and down else 1)
        y = point[1] + down * (reach + _TALL / 2)
        box = (x - wide / 2, y - _TALL / 2, x + wide / 2, y + _TALL / 2)
        if min(box) < 0.3 or box[2] > size[0] - 0.3 or box[3] > size[1] - 0.3:
            continue
        leader = _leader(point, box)
        if not _overlap(taken, box) and not any(_overlap(names, (*p, *p)) for p in leader.tolist()):
            return box
    return None


def _leader(point: Point, box: Box) -> NDArray[np.float64]:
    """Places along a line from a point to a name that is not beside it, (places, 2); else none."""
    end = np.clip(point, box[:2], box[2:])
    if np.hypot(*(end - point)) <= 2.0:
        return np.zeros((0, 2))
    return np.linspace(point, end, 17)[2:-1]


def _overlap(boxes: NDArray[np.float64], box: Box) -> bool:
    left, top, right, bottom = boxes.T
    apart = (right <= box[0]) | (left >= box[2]) | (bottom <= box[1]) | (top >= box[3])
    return not bool(apart.all())


def _check(clouds: Sequence[Cloud]) -> None:
    if sum(len(cloud.points) for cloud in clouds) == 0:
        raise BadArgumentError("a picture needs points; got none.")
    if sum(not cloud.star for cloud in clouds) > len(CATEGORICAL):
        raise BadArgumentError(f"a picture has up to {len(CATEGORICAL)} colors; got {len(clouds)}.")
    for cloud in clouds:
        points = np.asarray(cloud.points)
        if points.ndim != 2 or points.shape[1] != 2 or not np.isfinite(points).all():
            raise BadArgumentError(
                f"points must be (points, 2) finite numbers; got {points.shape}."
            )
        if len(cloud.labels) not in (0, len(points)):
            raise BadArgumentError(
                f"labels must be one for each of {len(points)} points, or none;"
                f" got {len(cloud.labels)}."
            )
