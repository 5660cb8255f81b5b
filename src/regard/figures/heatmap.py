"""An attention map for paper: queries are rows, keys are columns, and everything is labeled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import ArrayLike

from regard.errors import check_choice
from regard.figures.numbers import (
    Scale,
    Values,
    checked,
    largest_of_blocks,
    limits_of,
    scaled,
    written,
)
from regard.figures.sheet import SCALE_MM, Sheet, Type
from regard.figures.style import (
    COLUMN_MM,
    INCH_MM,
    LINE_MM,
    MUTED,
    RULE,
    SMALL_PT,
    TALLEST_MM,
    TYPE_PT,
    check_width,
    diverging,
    is_dark,
    ruler,
    sequential,
    visible,
)
from regard.lazy import matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

WAVE_MM = 9.0  # of a sound above a map
LABEL_MM = 2.6  # that a label of small type needs across its direction
WIDEST_CELL, TALLEST_CELL = 12.0, 6.0
_FINEST_CELL = 0.1  # millimeters: a cell smaller than a dot of the printer would vanish
_GRID_MM = 1.0  # lines between smaller cells would cover them


def heatmap(
    weights: ArrayLike,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    *,
    title: str = "",
    quantity: str = "weight α",
    mask: ArrayLike | None = None,
    scale: Scale = "linear",
    limits: tuple[float, float] | None = None,
    row_name: str = "query",
    column_name: str = "key",
    origin: tuple[int, int] = (0, 0),
    numbers: bool | None = None,
    note: str = "",
    wave: Sequence[float] | None = None,
    width_mm: float = COLUMN_MM,
) -> Figure:
    """Return a map with tokens on both axes and the scale below it; write it with `save`.

    Where there is room each cell holds its number; one that rounds to zero is left out. If there is
    no room for every token, every second to fourth is named, then positions are. A map finer than
    print is drawn as the largest of each block, which the figure says.

    >>> figure = heatmap([[0.9, 0.1], [0.4, 0.6]], ["money", "bank"], ["money", "bank"])
    >>> figure.savefig("map.png")

    Args:
        weights: (rows, columns); NaN and -inf are masked cells, which are hatched.
        rows, columns: tokens; positions are written where they are not given.
        quantity: what the numbers are, to stand at the scale.
        mask: boolean (rows, columns), True where a query may attend to a key; false cells are
            hatched too.
        scale: "linear" from 0, "log", "row" (each row divided by its largest), or "difference"
            (orange below zero, blue above).
        limits: ends of the scale, so that several figures can share one.
        origin: the positions of the first row and column in the whole map.
        numbers: by default where they fit.
        wave: how loud a sound is at each column, to be drawn above the map.
    """
    check_choice("scale", scale, get_args(Scale))
    values = checked(weights, rows, columns, mask)
    names = [None if labels is None else visible(labels) for labels in (rows, columns)]
    said = (title, quantity, row_name, column_name, note, "masked ÷")
    type_ = Type([*(names[0] or ()), *(names[1] or ()), *said])
    above = WAVE_MM if wave else 0.0
    layout = Layout.of(values.shape, names, title, origin, check_width(width_mm), type_, above)
    colored, remark = scaled(values, scale)
    block = max(math.ceil(_FINEST_CELL / min(layout.cell)), 1)
    colored = largest_of_blocks(colored, block)
    room = layout.sheet_width - layout.left - 2.0
    legend = type_.fit(f"{quantity}{remark}", room)
    # Notes stand beside the scale, or below it where its name needs the room.
    beside = SCALE_MM + 6.0 if type_.width(legend) <= SCALE_MM + 4.0 else 0.0
    coarse = f"each dot is the largest of {block} × {block} cells" if block > 1 else ""
    masked = "hatched: masked" if np.isnan(values).any() else ""
    notes = [line for text in (note, coarse, masked) for line in type_.wrap(text, room - beside)]
    height = layout.height + max(len(notes) + (-2.0 if beside else 0.5), 0) * LINE_MM

    sheet = Sheet(layout.sheet_width, height, type_)
    sheet.lines(layout.left, 1.5, layout.title, fontsize=TYPE_PT)
    axes = sheet.axes(layout.left, layout.top, layout.map_width, layout.map_height)
    image = _paint(axes, colored, block, scale, limits)
    axes.set(xlim=(-0.5, values.shape[1] - 0.5), ylim=(values.shape[0] - 0.5, -0.5))
    if min(layout.cell) >= _GRID_MM:
        _draw_grid(axes, *values.shape)
    _name_axes(axes, sheet, layout, row_name, column_name)
    if wave:
        _draw_wave(sheet, layout, np.asarray(wave))
    if block == 1 and numbers is not False and (numbers or layout.cell[1] >= LABEL_MM):
        texts = written(values)
        if numbers or type_.widest(set(texts)) <= layout.cell[0] - 0.7:
            _write(axes, image, colored, texts, type_)
    below = layout.top + layout.map_height + 2.6
    sheet.scale(image, layout.left, below, legend, open_below=scale == "log")
    sheet.lines(layout.left + beside, below + (0.0 if beside else 9.0), notes, color=MUTED)
    return sheet.figure


def _name_axes(axes: Axes, sheet: Sheet, layout: Layout, row_name: str, column_name: str) -> None:
    type_ = sheet.type
    turn: dict[str, Any] = {"rotation": 90, "va": "bottom"} if layout.upright else {}
    axes.xaxis.tick_top()
    axes.set_yticks(layout.row_labels[0], labels=layout.row_labels[1], **type_.text())
    axes.set_xticks(layout.column_labels[0], labels=layout.column_labels[1], **type_.text(), **turn)
    for axis, cell in zip((axes.xaxis, axes.yaxis), layout.cell, strict=True):
        length = 0 if cell >= LABEL_MM else 1.5  # where not every cell has its name
        axis.set_tick_params(which="major", length=length, width=0.5, pad=1.5, color=RULE)
    if layout.wave:
        axes.xaxis.set_tick_params(which="major", length=0, pad=1.5 + layout.wave / INCH_MM * 72)
    above = layout.top - layout.wave - LINE_MM - 1.2
    above -= type_.widest(layout.column_labels[1]) if layout.upright else LINE_MM
    name = type_.fit(f"{column_name} →", layout.sheet_width - layout.left - 2.0)
    sheet.text(layout.left, above, name, color=MUTED)
    # Upwards beside the map, or starting below it where the map is lower than the name is long.
    name = type_.fit(f"← {row_name}", sheet.height - 2.0)
    start = min(layout.top, sheet.height - 1.0 - type_.width(name))
    sheet.text(1.2, start, name, color=MUTED, rotation=90)


def _draw_wave(sheet: Sheet, layout: Layout, wave: Values) -> None:
    """Return a sound's envelope over the map, as high as its loudest column."""
    axes = sheet.axes(layout.left, layout.top - layout.wave, layout.map_width, layout.wave - 0.8)
    high = wave / (wave.max() or 1.0)
    axes.fill_between(np.arange(len(wave)), -high, high, color=MUTED, linewidth=0.3)
    axes.set(xlim=(-0.5, len(wave) - 0.5), ylim=(-1.05, 1.05))
    axes.set_axis_off()


def _write(axes: Axes, image: AxesImage, values: Values, texts: list[str], type_: Type) -> None:
    """Each cell's number, in the ink that is read more easily on it."""
    colors = image.to_rgba(np.ma.masked_invalid(values))
    for index, text in enumerate(texts):
        if text:
            row, column = divmod(index, colors.shape[1])
            ink = "white" if is_dark(colors[row, column]) else "black"
            style = type_.text(SMALL_PT, ink, ha="center", va="center_baseline")
            axes.text(column, row, text, **style)


def _paint(
    axes: Axes, values: Values, block: int, scale: Scale, limits: tuple[float, float] | None
) -> AxesImage:
    low, high = limits or limits_of(values, scale)
    norm = (
        matplotlib.colors.LogNorm(low, high, clip=True)
        if scale == "log"
        else matplotlib.colors.Normalize(low, high)
    )
    colors = diverging() if scale == "difference" else sequential()
    # The ground is hatched and masked cells are left open. A tall or wide map fills its axes.
    axes.set_facecolor("#f4f4f4")
    axes.patch.set(hatch="/" * 6, edgecolor=RULE, linewidth=0)
    axes.patch.set_hatch_linewidth(0.4)
    height, width = (length * block for length in values.shape)
    image = axes.imshow(
        np.ma.masked_invalid(values),
        cmap=colors,
        norm=norm,
        aspect="auto",
        interpolation="nearest",
        extent=(-0.5, width - 0.5, height - 0.5, -0.5),
    )
    for spine in axes.spines.values():
        spine.set(color=RULE, linewidth=0.5)
    return image


def _draw_grid(axes: Axes, height: int, width: int) -> None:
    axes.set_xticks(np.arange(-0.5, width), minor=True)
    axes.set_yticks(np.arange(-0.5, height), minor=True)
    axes.grid(which="minor", color="white", linewidth=0.4)
    axes.tick_params(which="minor", length=0)


@dataclass(frozen=True)
class Layout:
    """Places and sizes, in millimeters."""

    sheet_width: float
    height: float  # of the sheet
    left: float  # of the map
    top: float
    wave: float  # height above the map
    cell: tuple[float, float]  # width, height
    map_width: float
    map_height: float
    title: list[str]
    row_labels: tuple[list[int], list[str]]
    column_labels: tuple[list[int], list[str]]
    upright: bool  # names of columns run upwards

    @classmethod
    def of(
        cls,
        shape: tuple[int, ...],
        names: list[list[str] | None],
        title: str,
        origin: tuple[int, int],
        sheet_width: float,
        type_: Type,
        wave: float,
    ) -> Layout:
        (height, width), (rows, columns) = shape, names
        room = sheet_width * 0.26
        rows = None if rows is None else [type_.fit(label, room) for label in rows]
        widest = type_.widest(rows if rows is not None else [str(origin[0] + height)])
        left = 3.6 + widest + 2.2
        cell_width = min((sheet_width - left - 2.0) / width, WIDEST_CELL)
        cell_height = min(cell_width, TALLEST_CELL)
        if height * LABEL_MM <= max(cell_width * width, 40.0):
            cell_height = max(cell_height, LABEL_MM)  # every row can have its name
        cell_height = min(cell_height, (TALLEST_MM - 60) / height)

        columns = None if columns is None else [type_.fit(label, 24.0) for label in columns]
        longest = type_.widest(columns if columns is not None else [str(origin[1] + width)])
        upright = columns is not None and longest > cell_width - 0.8
        need = LABEL_MM if upright else longest + 1.5
        if columns is not None and upright and math.ceil(LABEL_MM / cell_width) > 4:
            upright, need = False, type_.width(str(origin[1] + width)) + 1.5
        lines = type_.wrap(title, sheet_width - left - 2.0, TYPE_PT)
        column_labels = ruler(columns, width, cell_width, need, origin[1])
        if wave and columns is not None:  # a time everywhere
            upright, need = False, longest + 1.5
            places = ruler(None, width, cell_width, need, origin[1])[0]
            column_labels = places, [columns[place] for place in places]
        above = type_.widest(column_labels[1]) if upright else LINE_MM
        top = 1.5 + len(lines) * (LINE_MM + 0.4) + (1.0 if lines else 0.0) + LINE_MM + above + 2.0
        top += wave
        return cls(
            sheet_width=sheet_width,
            height=top + cell_height * height + 10.5,
            left=left,
            top=top,
            wave=wave,
            cell=(cell_width, cell_height),
            map_width=cell_width * width,
            map_height=cell_height * height,
            title=lines,
            row_labels=ruler(rows, height, cell_height, LABEL_MM, origin[0]),
            column_labels=column_labels,
            upright=upright,
        )
