"""Points of a plane with their names, none of which lies on another."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from regard.errors import BadArgumentError, check_choice
from regard.figures.placing import place
from regard.figures.sheet import Sheet, Type
from regard.figures.style import (
    CATEGORICAL,
    COLUMN_MM,
    INCH_MM,
    LINE_MM,
    MUTED,
    RULE,
    TYPE_PT,
    check_width,
    visible,
)
from regard.packages import optional_package

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS = ("pca", "umap")


@dataclass(frozen=True, eq=False)
class Plane:
    """Points, and what the two directions are."""

    points: NDArray[np.float64]  # (points, 2)
    names: tuple[str, str]  # of x and y


def to_plane(vectors: NDArray[np.floating], method: str = "pca", *, seed: int = 0) -> Plane:
    """(points, dim) to two dimensions.

    "pca": the two directions in which the points spread most; distances shrink but do not lie.
    "umap": neighbors stay neighbors, other distances mean little (McInnes et al. 2018); needs
    the package umap-learn.
    """
    check_choice("method", method, METHODS)
    if len(vectors) < 3:
        raise BadArgumentError(f"a picture needs three points or more; got {len(vectors)}.")
    return _pca(vectors) if method == "pca" else _umap(vectors, seed)


def _pca(vectors: NDArray[np.floating]) -> Plane:
    centered = vectors - vectors.mean(0, dtype=np.float64)
    left, spread, directions = np.linalg.svd(centered, full_matrices=False)
    # A direction and its opposite are the same; let the largest number in it be positive.
    largest = np.abs(directions).argmax(1)
    signs = np.sign(np.take_along_axis(directions, largest[:, None], axis=1)[:, 0])
    points = (left * spread * signs)[:, :2]
    points = np.pad(points, ((0, 0), (0, 2 - points.shape[1])))
    shares = np.pad(spread**2 / max(float((spread**2).sum()), 1e-30), (0, 1))
    first, second = (f"component {k + 1}, {shares[k]:.0%} of the variance" for k in range(2))
    return Plane(points, (first, second))


def _umap(vectors: NDArray[np.floating], seed: int) -> Plane:
    with optional_package("umap-learn", "method 'umap' needs"):
        from umap import UMAP
    near = min(15, len(vectors) - 1)
    with warnings.catch_warnings():  # that a seed means one thread
        warnings.simplefilter("ignore", UserWarning)
        reducer = UMAP(n_neighbors=near, metric="cosine", random_state=seed, init="random")
        points = reducer.fit_transform(np.asarray(vectors, np.float32))
    return Plane(np.asarray(points, np.float64), ("UMAP 1", "UMAP 2"))


SHAPES = {"o": "●", "s": "■", "^": "▲", "D": "◆", "v": "▼", "P": "✚", "X": "✖"}
STAR = ("*", "★")
MARGIN = 7.0  # millimeters around the points
FLATTEST = 0.5  # height of the plane against its width, at least
WIDEST = 40.0  # millimeters of a name that are shown, at most

_TALL = 2.4  # millimeters, height of a name


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
    """Return a plane with the points of all clouds; both axes have one scale.

    A name for which there is no room is left out, and the legend says how many were.
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
    texts = [type_.fit(name, WIDEST) for names in labels for name in names]
    labeled = [points for points, names in zip(places, labels, strict=True) if names]
    names = place(
        np.concatenate([np.zeros((0, 2)), *labeled]),
        [(type_.width(text), _TALL) for text in texts],
        (size, tall),
        obstacles=np.concatenate(places),
    )
    left_out = sum(name.covers > 1e-9 for name in names)
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
    for text, name in zip(texts, names, strict=True):
        if name.covers > 1e-9:
            continue
        axes.plot(*name.leader.T, color=RULE, linewidth=0.4, zorder=1)
        middle = (name.low[1] + name.high[1]) / 2
        style = type_.text(ha="left", va="center_baseline", zorder=5)
        axes.text(name.low[0], middle, text, **style)
    for number, (cloud, (color, _, sign)) in enumerate(legend):
        sheet.text(
            2.0, below + number * LINE_MM, type_.fit(f"{sign} {cloud.name}", size), color=color
        )
    sheet.lines(2.0, below + len(legend) * LINE_MM, note, color=MUTED)
    return sheet.figure


def _looks(clouds: Sequence[Cloud]) -> list[tuple[str, str, str]]:
    """Color, matplotlib's marker and the legend's sign of each cloud."""
    rest = iter(zip(CATEGORICAL, SHAPES.items(), strict=True))
    looks = []
    for cloud in clouds:
        color, (shape, sign) = ("#000000", STAR) if cloud.star else next(rest)
        looks.append((color, shape, sign))
    return looks


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
