"""An attention map for paper: queries are rows, keys are columns, and everything is labeled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regard.errors import BadArgumentError, check_choice
from regard.figures.color import diverging, is_dark, sequential
from regard.figures.layout import LABEL_MM, Layout
from regard.figures.sheet import SCALE_MM, Sheet, Type
from regard.figures.style import (
    COLUMN_MM,
    LINE_MM,
    MUTED,
    RULE,
    SMALL_PT,
    TYPE_PT,
    check_width,
    visible,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

Scale = Literal["linear", "log", "row", "difference"]
Values = NDArray[np.float64]

_FINEST_CELL = 0.1  # millimeters: a cell smaller than a dot of the printer would vanish
_GRID_MM = 1.0  # lines between smaller cells would cover them
_DECADES = 5  # that a logarithmic scale spans at most


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
        width_mm: of the whole figure.

    Raises:
        BadArgumentError: names or a mask that do not fit the weights, an unknown scale.
        UnavailableError: matplotlib is not installed.
    """
    values = _checked(weights, rows, columns, mask)
    check_choice("scale", scale, get_args(Scale))
    names = [None if labels is None else visible(labels) for labels in (rows, columns)]
    type_ = Type(
        [*(names[0] or []), *(names[1] or []), title, quantity, row_name, column_name, "masked ÷"]
    )
    shown, remark = _scaled(values, scale)
    layout = Layout.of(values.shape, names, title, origin, check_width(width_mm), type_)
    block = max(math.ceil(_FINEST_CELL / min(layout.cell)), 1)
    shown = _largest_of_blocks(shown, block)
    notes = []
    if block > 1:
        notes.append(f"each dot is the largest of {block} × {block} cells")
    if np.isnan(values).any():
        notes.append("hatched: masked")
    right = layout.sheet_width - layout.left - 2.0
    name = type_.fit(f"{quantity}{remark}", right)
    # Notes stand beside the scale, or below it where its name needs the room.
    beside = SCALE_MM + 6.0 if type_.width(name) <= SCALE_MM + 4.0 else 0.0
    lines = [line for note in notes for line in type_.wrap(note, right - beside)]
    more = len(lines) - 2.0 if beside else len(lines) + 0.5
    sheet = Sheet(layout.sheet_width, layout.height + max(more, 0) * LINE_MM, type_)

    sheet.lines(layout.left, 1.5, layout.title, fontsize=TYPE_PT)
    axes = sheet.axes(layout.left, layout.top, layout.map_width, layout.map_height)
    image = _paint(axes, shown, block, scale, limits)
    axes.set(xlim=(-0.5, values.shape[1] - 0.5), ylim=(values.shape[0] - 0.5, -0.5))
    if min(layout.cell) >= _GRID_MM:
        _draw_grid(axes, *values.shape)
    _name_axes(axes, layout, sheet, row_name, column_name)
    if block == 1 and numbers is not False and (numbers or layout.may_have_numbers):
        written = _written(values)
        if numbers or layout.has_room_for(written, type_):
            _write_numbers(axes, written, image.to_rgba(np.ma.masked_invalid(shown)), type_)
    below = layout.top + layout.map_height + 2.6
    sheet.scale(image, layout.left, below, name, open_below=scale == "log")
    sheet.lines(layout.left + beside, below + (0 if beside else 9.0), lines, color=MUTED)
    return sheet.figure


def _checked(
    weights: ArrayLike,
    rows: Sequence[str] | None,
    columns: Sequence[str] | None,
    mask: ArrayLike | None,
) -> Values:
    values = np.array(weights, dtype=np.float64)
    if values.ndim != 2 or 0 in values.shape:
        raise BadArgumentError(
            f"weights must be (rows, columns) with at least one of each; got shape {values.shape}."
        )
    named = tuple(
        size if labels is None else len(labels)
        for labels, size in zip((rows, columns), values.shape, strict=True)
    )
    if named != values.shape:
        hint = " Did you transpose it?" if named == values.shape[::-1] else ""
        raise BadArgumentError(
            f"weights must be (rows, columns) = {named}, as many as names; got {values.shape}."
            + hint
        )
    if np.isposinf(values).any():
        raise BadArgumentError("weights must be finite, or NaN or -inf where masked; got inf.")
    values[~np.isfinite(values)] = np.nan
    if mask is not None:
        allowed = np.asarray(mask)
        if allowed.shape != values.shape or allowed.dtype != np.bool_:
            raise BadArgumentError(
                f"mask must be boolean {values.shape}, True where a query may attend; got "
                f"{allowed.dtype} {allowed.shape}."
            )
        values[~allowed] = np.nan
    return values


def _scaled(values: Values, scale: Scale) -> tuple[Values, str]:
    """What is colored, and what to say of it."""
    if scale == "row":
        largest = np.max(np.where(np.isnan(values), 0, values), axis=1, keepdims=True)
        return values / np.where(largest > 0, largest, 1), " ÷ largest of its row"
    return values, " (logarithmic)" if scale == "log" else ""


def _largest_of_blocks(values: Values, size: int) -> Values:
    """The value of the largest magnitude in each block; NaN where all of it is masked."""
    if size == 1:
        return values
    height, width = (math.ceil(length / size) * size for length in values.shape)
    padded = np.full((height, width), np.nan)
    padded[: values.shape[0], : values.shape[1]] = values
    blocks = (
        padded.reshape(height // size, size, width // size, size)
        .swapaxes(1, 2)
        .reshape(height // size, width // size, size * size)
    )
    strength = np.where(np.isnan(blocks), -1.0, np.abs(blocks))
    chosen = np.take_along_axis(blocks, strength.argmax(-1)[..., None], axis=-1)
    largest: Values = chosen[..., 0]
    return largest


def _paint(
    axes: Axes, values: Values, block: int, scale: Scale, limits: tuple[float, float] | None
) -> AxesImage:
    from matplotlib.colors import LogNorm, Normalize

    low, high = limits or _limits(values, scale)
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


def _limits(values: Values, scale: Scale) -> tuple[float, float]:
    known = values[~np.isnan(values)]
    high = float(known.max(initial=0.0))
    if scale == "row":
        return 0.0, 1.0
    if scale == "difference":
        most = float(np.abs(known).max(initial=0.0)) or 1.0
        return -most, most
    if scale == "log":
        positive = known[known > 0]
        if not positive.size:
            return 1e-3, 1.0
        low = max(float(positive.min()), high / 10**_DECADES)
        return (low, high) if low < high else (high / 10, high)
    low = float(known.min(initial=0.0))
    return (low, high) if low < high else (low, low + 1.0)


def _name_axes(axes: Axes, layout: Layout, sheet: Sheet, row_name: str, column_name: str) -> None:
    label = sheet.type.text()
    axes.xaxis.tick_top()
    axes.set_yticks(layout.row_labels[0], labels=layout.row_labels[1], **label)
    turn: dict[str, Any] = {"rotation": 90, "va": "bottom"} if layout.upright else {}
    axes.set_xticks(layout.column_labels[0], labels=layout.column_labels[1], **label, **turn)
    for axis, cell in zip((axes.xaxis, axes.yaxis), layout.cell, strict=True):
        length = 0 if cell >= LABEL_MM else 1.5  # where not every cell has its name
        axis.set_tick_params(which="major", length=length, width=0.5, pad=1.5, color=RULE)
    above = layout.top - LINE_MM - 1.2
    if layout.upright:
        above -= sheet.type.widest(layout.column_labels[1])
    else:
        above -= LINE_MM
    right = sheet.width - layout.left - 2.0
    sheet.text(layout.left, above, sheet.type.fit(f"{column_name} →", right), color=MUTED)
    # Upwards beside the map, or starting below it where the map is lower than the name is long.
    name = sheet.type.fit(f"← {row_name}", sheet.height - 2.0)
    top = min(layout.top, sheet.height - 1.0 - sheet.type.width(name))
    sheet.text(1.2, top, name, color=MUTED, rotation=90)


def _written(values: Values) -> list[str]:
    """The number of each cell as it is written in it; empty where masked, or rounded to zero."""
    known = values[~np.isnan(values)]
    fraction = bool(((known >= -1) & (known <= 1.001)).all())
    largest = float(np.abs(known).max(initial=0.0))
    places = 2 if fraction or largest < 1 else 1 if largest < 100 else 0
    numbers = []
    for value in values.ravel():
        text = "" if np.isnan(value) else f"{value:.{places}f}"
        if float(text or 0) == 0:
            text = ""
        elif fraction:
            text = text.replace("0.", ".", 1).replace("1.00", "1")
        numbers.append(text.replace("-", "−"))
    return numbers


def _write_numbers(axes: Axes, numbers: list[str], colors: Values, type_: Type) -> None:
    for index, text in enumerate(numbers):
        if text:
            row, column = divmod(index, colors.shape[1])
            ink = "white" if is_dark(colors[row, column]) else "black"
            style = type_.text(SMALL_PT, ink, ha="center", va="center_baseline")
            axes.text(column, row, text, **style)
