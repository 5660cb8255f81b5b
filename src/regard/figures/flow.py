"""Attention as lines between two columns of tokens, for short texts on paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regard.errors import BadArgumentError
from regard.figures.sheet import Sheet, Type
from regard.figures.style import (
    CATEGORICAL,
    COLUMN_MM,
    LINE_MM,
    MUTED,
    TALLEST_MM,
    TYPE_PT,
    check_width,
    visible,
)
from regard.lazy import matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Values = NDArray[np.float64]
Line = tuple[float, int, int, int]  # weight, head, row, column

_MOST_TOKENS = int((TALLEST_MM - 30) // LINE_MM)  # on a page


def flow(
    weights: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    heads: Sequence[str] | None = None,
    focus: Sequence[int] | None = None,
    title: str = "",
    quantity: str = "weight α",
    row_name: str = "query",
    column_name: str = "key",
    least: float = 0.01,
    most: int = 300,
    width_mm: float = COLUMN_MM,
) -> Figure:
    """Draw queries left, keys right, a line for each weight: the larger, the wider and the
    stronger.

    Lines below `least`, and the smallest beyond `most`, are left out; the figure says how much of
    the weight the others have.

    >>> figure = flow([[0.9, 0.1], [0.4, 0.6]], ["money", "bank"], ["money", "bank"])
    >>> figure.savefig("flow.png")

    Args:
        weights: (rows, columns), or (heads, rows, columns) for lines in one color per head; NaN
            where masked.
        focus: the rows whose lines are wanted; all of them if not given.
        least: the smallest weight to draw, as part of the largest.
    """
    values, names = _checked(weights, rows, columns, heads)
    if focus is not None:
        values = _only(values, focus)
    left_labels, right_labels = visible(rows), visible(columns)
    type_ = Type([*left_labels, *right_labels, *names, title, quantity, row_name, column_name])
    width = check_width(width_mm)
    room = width * 0.3
    left_labels = [type_.fit(label, room) for label in left_labels]
    right_labels = [type_.fit(label, room) for label in right_labels]
    left = 2.0 + type_.widest([*left_labels, row_name]) + 1.5
    right = width - 2.0 - type_.widest([*right_labels, column_name]) - 1.5
    lines = _largest(values, least, most)
    drawn, all_ = sum(line[0] for line in lines), float(np.nansum(np.abs(values)))
    note = (
        f"width and strength: {quantity}; the {len(lines)} lines drawn are "
        f"{100 * drawn / all_ if all_ else 100:.0f} % of its sum"
    )
    notes = type_.wrap(note, width - 4.0)
    heading = type_.wrap(title, width - 4.0, TYPE_PT)

    tall = max(len(rows), len(columns)) * LINE_MM
    top = 1.5 + len(heading) * (LINE_MM + 0.4) + (1.5 if heading else 0) + LINE_MM + 1.0
    legend = _legend_rows(names, width, type_)
    sheet = Sheet(width, top + tall + 2.5 + (len(legend) + len(notes)) * LINE_MM + 1.0, type_)
    sheet.lines(2.0, 1.5, heading, fontsize=TYPE_PT)
    sheet.text(left - 1.5, top - LINE_MM - 1.0, row_name, ha="right", color=MUTED)
    sheet.text(right + 1.5, top - LINE_MM - 1.0, column_name, color=MUTED)
    for labels, edge, side in (
        (left_labels, left - 1.5, "right"),
        (right_labels, right + 1.5, "left"),
    ):
        for place, label in zip(_places(len(labels), tall), labels, strict=True):
            sheet.text(edge, top + place, label, ha=side, va="center")
    axes = sheet.axes(left, top, right - left, tall)
    axes.set(xlim=(0, 1), ylim=(tall, 0))
    axes.set_axis_off()
    _draw(axes, lines, float(np.nanmax(np.abs(values), initial=0)), values.shape, tall)
    below = top + tall + 2.5
    for number, row in enumerate(legend):
        for start, head in row:
            color = CATEGORICAL[head]
            sheet.text(start, below + number * LINE_MM, f"— {names[head]}", color=color)
    sheet.lines(2.0, below + len(legend) * LINE_MM, notes, color=MUTED)
    return sheet.figure


def _checked(
    weights: ArrayLike, rows: Sequence[str], columns: Sequence[str], heads: Sequence[str] | None
) -> tuple[Values, list[str]]:
    values = np.asarray(weights, dtype=np.float64)
    if values.ndim == 2:
        values = values[None]
    if values.ndim != 3 or values.shape[1:] != (len(rows), len(columns)) or 0 in values.shape:
        raise BadArgumentError(
            "weights must be (rows, columns) or (heads, rows, columns) with as many rows and "
            f"columns as names, {(len(rows), len(columns))}; got {np.shape(weights)}."
        )
    if max(values.shape[1:]) > _MOST_TOKENS:
        raise BadArgumentError(
            f"a page has room for {_MOST_TOKENS} tokens; got {max(values.shape[1:])}: draw a part "
            "of them, or a heatmap."
        )
    if len(values) > len(CATEGORICAL):
        raise BadArgumentError(
            f"there are colors for {len(CATEGORICAL)} heads; got {len(values)}: choose some, or "
            "draw their mean."
        )
    names = [str(name) for name in heads] if heads is not None else []
    if heads is None and len(values) > 1:
        names = [f"head {head}" for head in range(len(values))]
    if names and len(names) != len(values):
        raise BadArgumentError(f"heads must name all {len(values)} heads; got {len(names)} names.")
    return np.where(np.isfinite(values), values, np.nan), names


def _only(values: Values, focus: Sequence[int]) -> Values:
    count = values.shape[1]
    if any(not 0 <= row < count for row in focus):
        raise BadArgumentError(f"focus must be rows from 0 to {count - 1}; got {list(focus)}.")
    focused = np.full_like(values, np.nan)
    focused[:, list(focus)] = values[:, list(focus)]
    return focused


def _largest(values: Values, least: float, most: int) -> list[Line]:
    """Return the lines to draw, the largest last so that it lies on top."""
    strength = np.nan_to_num(np.abs(values))
    threshold = least * strength.max(initial=0)
    order = np.argsort(strength, axis=None, kind="stable")
    lines = []
    for index in order[max(len(order) - most, 0) :]:
        head, row, column = (int(i) for i in np.unravel_index(index, values.shape))
        weight = float(strength[head, row, column])
        if weight > 0 and weight >= threshold:
            lines.append((weight, head, row, column))
    return lines


def _places(count: int, tall: float) -> Values:
    """Middle of each token; both columns fill the height, so that a diagonal is one."""
    return (np.arange(count) + 0.5) * tall / count


def _draw(
    axes: Axes, lines: list[Line], largest: float, shape: tuple[int, ...], tall: float
) -> None:
    along = np.linspace(0, 1, 25)
    bend = along**2 * (3 - 2 * along)  # level at both ends, so that a line meets its token
    starts, ends = _places(shape[1], tall), _places(shape[2], tall)
    paths = [
        np.stack([along, starts[row] + (ends[column] - starts[row]) * bend], axis=-1)
        for _, _, row, column in lines
    ]
    parts = [weight / largest for weight, *_ in lines]
    colors = [
        matplotlib.colors.to_rgba(CATEGORICAL[head], 0.12 + 0.78 * part)
        for part, (_, head, _, _) in zip(parts, lines, strict=True)
    ]
    widths = [0.3 + 2.4 * part for part in parts]
    axes.add_collection(
        matplotlib.collections.LineCollection(paths, colors=colors, linewidths=widths),
        autolim=False,
    )


def _legend_rows(names: list[str], width: float, type_: Type) -> list[list[tuple[float, int]]]:
    """(left edge, head) of each name, in as many rows as needed."""
    rows: list[list[tuple[float, int]]] = []
    edge = width
    for head, name in enumerate(names):
        need = type_.width(f"— {name}") + 3.0
        if edge + need > width:
            rows.append([])
            edge = 2.0
        rows[-1].append((edge, head))
        edge += need
    return rows
