"""An attention map for paper: queries are rows, keys are columns, and everything is labeled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from regard.errors import BadArgumentError
from regard.figures.numbers import Scale
from regard.figures.panel import Map, Panel
from regard.figures.sheet import Sheet, Type
from regard.figures.style import COLUMN_MM, PAGE_MM, check_width

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
    width_mm: float = COLUMN_MM,
) -> Figure:
    """A map with tokens on both axes and the scale below it; write it with `save`.

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
        note: a line below.
        width_mm: of the whole figure.

    Raises:
        BadArgumentError: names or a mask that do not fit the weights, an unknown scale.
        UnavailableError: matplotlib is not installed.
    """
    picture = Map(
        weights,
        rows,
        columns,
        title=title,
        quantity=quantity,
        mask=mask,
        scale=scale,
        limits=limits,
        row_name=row_name,
        column_name=column_name,
        origin=origin,
        numbers=numbers,
        note=note,
    )
    return drawn(picture, width_mm)


def drawn(picture: Map, width_mm: float = COLUMN_MM) -> Figure:
    """The figure of one map; `heatmap` says what it raises."""
    panel = Panel(picture, check_width(width_mm), Type(picture.texts()))
    sheet = Sheet(panel.layout.sheet_width, panel.height, panel.type)
    panel.draw(sheet)
    return sheet.figure


def side_by_side(first: Map, second: Map, *, one_scale: bool = False) -> Figure:
    """Two maps, each as wide as a journal's column, with their upper edges in one line.

    Args:
        one_scale: both have one scale, which stands below the first; else each its own.

    Raises:
        BadArgumentError: names or a mask that do not fit their weights, an unknown scale, one scale
            for maps whose scales are of two kinds.
        UnavailableError: matplotlib is not installed.
    """
    if one_scale:
        if first.scale != second.scale:
            raise BadArgumentError(
                f"one scale needs two maps of one kind of scale; got {first.scale!r} and"
                f" {second.scale!r}."
            )
        low, high = zip(first.ends, second.ends, strict=True)
        ends = (min(low), max(high))
        first = replace(first, limits=ends, quantity=f"{first.quantity}, both maps")
        second = replace(second, limits=ends)
    type_ = Type([*first.texts(), *second.texts()])
    left = Panel(first, COLUMN_MM, type_)
    right = Panel(second, COLUMN_MM, type_, legend=not one_scale)
    down = max(left.top, right.top)
    height = max(down - each.top + each.height for each in (left, right))
    sheet = Sheet(PAGE_MM, height, type_)
    left.draw(sheet, 0.0, down - left.top)
    right.draw(sheet, PAGE_MM - COLUMN_MM, down - right.top)
    return sheet.figure
