"""A map with its title, names and scale, to be drawn at a place of a sheet."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import ArrayLike

from regard.errors import check_choice
from regard.figures.color import diverging, is_dark, sequential
from regard.figures.layout import LABEL_MM, Layout
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
from regard.figures.style import LINE_MM, MUTED, RULE, SMALL_PT, TYPE_PT, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

_FINEST_CELL = 0.1  # millimeters: a cell smaller than a dot of the printer would vanish
_GRID_MM = 1.0  # lines between smaller cells would cover them


@dataclass(frozen=True, eq=False)
class Map:
    """What a map shows; the fields are those that `heatmap` describes."""

    weights: ArrayLike
    rows: Sequence[str] | None = None
    columns: Sequence[str] | None = None
    title: str = ""
    quantity: str = "weight α"
    mask: ArrayLike | None = None
    scale: Scale = "linear"
    limits: tuple[float, float] | None = None
    row_name: str = "query"
    column_name: str = "key"
    origin: tuple[int, int] = (0, 0)
    numbers: bool | None = None
    note: str = ""

    @property
    def values(self) -> Values:
        """The weights, NaN where masked. Raises BadArgumentError for what does not fit them."""
        return checked(self.weights, self.rows, self.columns, self.mask)

    @property
    def ends(self) -> tuple[float, float]:
        """Those of its scale, given or its own."""
        return self.limits or limits_of(scaled(self.values, self.scale)[0], self.scale)

    def texts(self) -> Iterator[str]:
        """All that will be written, from which a figure chooses its fonts."""
        yield from visible([*(self.rows or ()), *(self.columns or ())])
        yield from (self.title, self.quantity, self.row_name, self.column_name, self.note)
        yield "masked ÷"


class Panel:
    """A map measured for a width; its height follows.

    Args:
        legend: whether its scale stands below it.
    """

    def __init__(self, map_: Map, width_mm: float, type_: Type, *, legend: bool = True) -> None:
        check_choice("scale", map_.scale, get_args(Scale))
        self.map, self.type, self.legend = map_, type_, legend
        self.values = map_.values
        names = [
            None if labels is None else visible(labels) for labels in (map_.rows, map_.columns)
        ]
        shown, remark = scaled(self.values, map_.scale)
        self.layout = Layout.of(self.values.shape, names, map_.title, map_.origin, width_mm, type_)
        self.block = max(math.ceil(_FINEST_CELL / min(self.layout.cell)), 1)
        self.shown = largest_of_blocks(shown, self.block)
        room = width_mm - self.layout.left - 2.0
        self.name = type_.fit(f"{map_.quantity}{remark}", room)
        # Notes stand beside the scale, or below it where its name needs the room.
        beside = legend and type_.width(self.name) <= SCALE_MM + 4.0
        self.beside = SCALE_MM + 6.0 if beside else 0.0
        notes = [*self._notes()]
        self.notes = [line for note in notes for line in type_.wrap(note, room - self.beside)]
        more = len(self.notes) + (-2.0 if beside else 0.5 if legend else -2.5)
        self.height = self.layout.height + max(more, 0) * LINE_MM

    @property
    def top(self) -> float:
        """Of the map, from the panel's."""
        return self.layout.top

    def _notes(self) -> Iterator[str]:
        if self.map.note:
            yield self.map.note
        if self.block > 1:
            yield f"each dot is the largest of {self.block} × {self.block} cells"
        if np.isnan(self.values).any():
            yield "hatched: masked"

    def draw(self, sheet: Sheet, left: float = 0.0, top: float = 0.0) -> None:
        """With its top left corner there, in millimeters."""
        map_, layout = self.map, self.layout
        edge, upper = left + layout.left, top + layout.top
        sheet.lines(edge, top + 1.5, layout.title, fontsize=TYPE_PT)
        axes = sheet.axes(edge, upper, layout.map_width, layout.map_height)
        image = _paint(axes, self.shown, self.block, map_.scale, map_.limits)
        height, width = self.values.shape
        axes.set(xlim=(-0.5, width - 0.5), ylim=(height - 0.5, -0.5))
        if min(layout.cell) >= _GRID_MM:
            _draw_grid(axes, height, width)
        self._name_axes(axes, sheet, left, top)
        if self.block == 1 and map_.numbers is not False:
            self._write_numbers(axes, image)
        below = upper + layout.map_height + 2.6
        if self.legend:
            sheet.scale(image, edge, below, self.name, open_below=map_.scale == "log")
        lower = below + (9.0 if self.legend and not self.beside else 0)
        sheet.lines(edge + self.beside, lower, self.notes, color=MUTED)

    def _name_axes(self, axes: Axes, sheet: Sheet, left: float, top: float) -> None:
        layout, label = self.layout, self.type.text()
        axes.xaxis.tick_top()
        axes.set_yticks(layout.row_labels[0], labels=layout.row_labels[1], **label)
        turn: dict[str, Any] = {"rotation": 90, "va": "bottom"} if layout.upright else {}
        axes.set_xticks(layout.column_labels[0], labels=layout.column_labels[1], **label, **turn)
        for axis, cell in zip((axes.xaxis, axes.yaxis), layout.cell, strict=True):
            length = 0 if cell >= LABEL_MM else 1.5  # where not every cell has its name
            axis.set_tick_params(which="major", length=length, width=0.5, pad=1.5, color=RULE)
        above = layout.top - LINE_MM - 1.2
        above -= self.type.widest(layout.column_labels[1]) if layout.upright else LINE_MM
        right = layout.sheet_width - layout.left - 2.0
        name = self.type.fit(f"{self.map.column_name} →", right)
        sheet.text(left + layout.left, top + above, name, color=MUTED)
        # Upwards beside the map, or starting below it where the map is lower than the name is long.
        name = self.type.fit(f"← {self.map.row_name}", self.height - 2.0)
        start = min(layout.top, self.height - 1.0 - self.type.width(name))
        sheet.text(left + 1.2, top + start, name, color=MUTED, rotation=90)

    def _write_numbers(self, axes: Axes, image: AxesImage) -> None:
        """In each cell where they fit, or where they are wanted."""
        wanted = self.map.numbers
        if not (wanted or self.layout.may_have_numbers):
            return
        numbers = written(self.values)
        if not (wanted or self.layout.has_room_for(numbers, self.type)):
            return
        colors = image.to_rgba(np.ma.masked_invalid(self.shown))
        for index, text in enumerate(numbers):
            if text:
                row, column = divmod(index, colors.shape[1])
                ink = "white" if is_dark(colors[row, column]) else "black"
                style = self.type.text(SMALL_PT, ink, ha="center", va="center_baseline")
                axes.text(column, row, text, **style)


def _paint(
    axes: Axes, values: Values, block: int, scale: Scale, limits: tuple[float, float] | None
) -> AxesImage:
    from matplotlib.colors import LogNorm, Normalize

    low, high = limits or limits_of(values, scale)
    norm = LogNorm(low, high, clip=True) if scale == "log" else Normalize(low, high)
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
