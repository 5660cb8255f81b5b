"""Many small maps on one sheet, in rows and blocks: every head of a model at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import BadArgumentError
from regard.figures.automatic import automatic
from regard.figures.color import sequential
from regard.figures.sheet import Sheet, Type
from regard.figures.style import (
    LINE_MM,
    MUTED,
    PAGE_MM,
    RULE,
    SMALL_PT,
    TALLEST_MM,
    TYPE_PT,
    check_width,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_MAPS = 4096

_EDGE, _GAP, _BETWEEN = 2.0, 1.2, 5.0  # millimeters: of the paper, between maps, between blocks
_LABEL = 3.4  # beside a row
_LEAST, _USUAL, _LARGEST = 8.0, 13.0, 24.0  # sides
_MASKED = "#e4e4e4"
_TICKS = (0.0, 0.1, 0.3, 1.0)


@dataclass(frozen=True, eq=False)
class SmallMap:
    """A picture of weights, and what is written at it."""

    values: NDArray[np.float32]  # (rows, columns); NaN where masked
    name: str  # stands over its column, or below it where rows are broken
    caption: Sequence[str] = ()  # below it: in one line, or in one line each
    per_row: bool = False  # on a scale of its own, each row by its largest


@dataclass(frozen=True)
class Row:
    """Maps beside each other; without a label, of any length."""

    label: str
    maps: Sequence[SmallMap]


@dataclass(frozen=True)
class Block:
    """Rows that belong together."""

    title: str
    rows: Sequence[Row]


@dataclass(frozen=True)
class _Grid:
    """Where the maps of every block go, in millimeters."""

    side: float
    columns: int
    beside: bool  # blocks stand beside each other
    headed: bool  # names of maps stand over the columns
    left: float  # of the first map, from its block's
    step: float  # from one line of maps to the next


def small_maps(
    blocks: Sequence[Block],
    *,
    one_scale: bool = False,
    title: str = "",
    notes: Sequence[str] = (),
    width_mm: float = PAGE_MM,
) -> Figure:
    """Square pictures of weights in rows; blocks beside each other where they have room.

    Args:
        one_scale: all by the root of the weight, from 0 to 1; else each on a scale that shows most
            of it.
        width_mm: of the whole figure, whose height follows.

    Raises:
        BadArgumentError: no map, or more than a figure holds.
        UnavailableError: matplotlib is not installed.
    """
    rows = [row for block in blocks for row in block.rows]
    count = sum(len(row.maps) for row in rows)
    if not 0 < count <= MOST_MAPS:
        raise BadArgumentError(f"a figure holds from 1 to {MOST_MAPS:,} small maps; got {count:,}.")
    every = [each for row in rows for each in row.maps]
    words = [text for each in every for text in (each.name, *each.caption)]
    words += [title, *notes, "gray: masked α"]
    type_ = Type([*words, *(row.label for row in rows), *(block.title for block in blocks), title])
    width = check_width(width_mm)
    heading = type_.wrap(title, width - 2 * _EDGE, TYPE_PT)
    top = 1.5 + len(heading) * (LINE_MM + 0.4) + (1.5 if heading else 0)
    written = [line for note in notes for line in type_.wrap(note, width - 2 * _EDGE)]
    if any(np.isnan(each.values).any() for each in every):
        written.append("gray: masked")
    under = (10.0 if one_scale else 0.0) + len(written) * LINE_MM + 1.0
    grid = _fitted(blocks, width, TALLEST_MM - top - under, type_)
    tall = [_height(block, grid) for block in blocks]
    height = max(tall) if grid.beside else sum(tall)
    sheet = Sheet(width, top + height + under, type_)
    sheet.lines(_EDGE, 1.5, heading, fontsize=TYPE_PT)
    axes = sheet.axes(0, 0, sheet.width, sheet.height)
    axes.set_axis_off()
    left, upper = _EDGE, top
    for block, own in zip(blocks, tall, strict=True):
        _draw(sheet, axes, block, grid, left, upper, one_scale)
        if grid.beside:
            left += grid.left + grid.columns * (grid.side + _GAP) - _GAP + _BETWEEN
        else:
            upper += own
    axes.set(xlim=(0, sheet.width), ylim=(sheet.height, 0))
    below = top + height
    if one_scale:
        _draw_scale(sheet, below)
        below += 10.0
    sheet.lines(_EDGE, below, written, color=MUTED)
    return sheet.figure


def _fitted(blocks: Sequence[Block], width: float, tall: float, type_: Type) -> _Grid:
    """Blocks beside each other in unbroken rows, else below each other, else with rows broken."""
    rows = [row for block in blocks for row in block.rows]
    every = [each for row in rows for each in row.maps]
    labeled = any(row.label for row in rows)
    left = _LABEL if labeled else 0.0
    longest = max(len(row.maps) for row in rows)
    words = {text for each in every for text in (each.name, *each.caption)}
    least = max(_LEAST, type_.widest(words) + 0.6)
    room = width - 2 * _EDGE

    def side_of(across: float, columns: int) -> float:
        return (across - left + _GAP) / columns - _GAP

    count = len(blocks)
    side, columns = side_of((room + _BETWEEN) / count - _BETWEEN, longest), longest
    beside = count > 1 and labeled and side >= least
    if not beside:
        side = side_of(room, longest)
        if side < least or not labeled:
            wanted = least if labeled else max(least, _USUAL)
            columns = min(longest, max(int((room - left + _GAP) / (wanted + _GAP)), 1))
            side = side_of(room, columns)
    headed = labeled and columns == longest
    side = min(side, _LARGEST)
    lines = max(len(_caption(each, headed)) for each in every)
    counts = [sum(math.ceil(len(row.maps) / columns) for row in block.rows) for block in blocks]
    down = max(counts) if beside else sum(counts)
    over = 2 * LINE_MM + 0.8 + _BETWEEN / 2
    fixed = over if beside else over * count
    side = max(min(side, (tall - fixed) / down - lines * LINE_MM - _GAP), min(side, least))
    if all(type_.width(" ".join(_caption(each, headed))) <= side for each in every):
        lines = min(lines, 1)
    return _Grid(side, columns, beside, headed, left, side + lines * LINE_MM + _GAP)


def _caption(one: SmallMap, headed: bool) -> list[str]:
    return [text for text in (*(() if headed else (one.name,)), *one.caption) if text]


def _height(block: Block, grid: _Grid) -> float:
    lines = sum(math.ceil(len(row.maps) / grid.columns) for row in block.rows)
    return _over(block, grid) + lines * grid.step + _BETWEEN / 2


def _over(block: Block, grid: _Grid) -> float:
    """What stands over the first line of maps."""
    return ((LINE_MM + 0.8) if block.title else 0) + (LINE_MM if grid.headed else 0)


def _draw(
    sheet: Sheet,
    axes: Axes,
    block: Block,
    grid: _Grid,
    left: float,
    top: float,
    one_scale: bool,
) -> None:
    from matplotlib.patches import Rectangle

    colors = sequential().with_extremes(bad=_MASKED)
    sheet.text(left, top, block.title)
    edge, line = left + grid.left, top + _over(block, grid)
    places = [edge + column * (grid.side + _GAP) for column in range(grid.columns)]
    middle = grid.side / 2
    if grid.headed:
        named = max(block.rows, key=lambda row: len(row.maps)).maps
        for place, each in zip(places, named, strict=False):
            name = sheet.type.fit(each.name, grid.side + _GAP)
            sheet.text(place + middle, line - LINE_MM + 0.2, name, ha="center", color=MUTED)
    joined = grid.step - grid.side - _GAP < 1.5 * LINE_MM
    for row in block.rows:
        if row.label:
            style: dict[str, Any] = {"ha": "center", "va": "center", "rotation": 90, "color": MUTED}
            label = sheet.type.fit(row.label, grid.step)
            sheet.text(left + _LABEL / 2 - 0.3, line + middle, label, **style)
        for start in range(0, len(row.maps), grid.columns):
            for place, each in zip(places, row.maps[start : start + grid.columns], strict=False):
                shown = _shaded(each, one_scale)
                picture = colors(np.ma.masked_invalid(shown))
                extent = (place, place + grid.side, line + grid.side, line)
                axes.imshow(picture, extent=extent, aspect="auto", interpolation="nearest")
                frame = Rectangle((place, line), grid.side, grid.side, fill=False)
                frame.set(edgecolor=RULE, linewidth=0.4)
                axes.add_patch(frame)
                words = _caption(each, grid.headed)
                if joined:
                    words = [" ".join(words)]
                sheet.lines(place, line + grid.side + 0.4, words, fontsize=SMALL_PT)
            line += grid.step


def _shaded(one: SmallMap, one_scale: bool) -> NDArray[np.float64]:
    values = one.values.astype(np.float64)
    if one_scale:
        root: NDArray[np.float64] = np.sqrt(values.clip(0, 1))
        return root
    return automatic(values, per_row=one.per_row)


def _draw_scale(sheet: Sheet, top: float) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import PowerNorm

    shades = ScalarMappable(PowerNorm(0.5, 0, 1), sequential())
    sheet.scale(shades, _EDGE, top, "weight α, by its root", ticks=_TICKS)
