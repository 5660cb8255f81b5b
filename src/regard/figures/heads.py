"""Every head of every layer as a small picture, on one page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regard.errors import BadArgumentError
from regard.figures.colour import sequential
from regard.figures.sheet import SCALE_MM, Sheet, Type
from regard.figures.style import (
    LINE_MM,
    MUTED,
    PAGE_MM,
    RULE,
    SMALL_PT,
    TALLEST_MM,
    TYPE_PT,
    check_width,
    require_matplotlib,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure

Values = NDArray[np.float64]

_WIDEST_CELL, _GAP = 20.0, 1.2
_LEAST_FOR_NUMBERS = 5.2  # millimetres that "12.3" needs in small type
_SINK = "#d55e00"


class Head(Protocol):
    """What is known of one head, in the words of `inspection.answers.HeadInfo`."""

    @property
    def entropy(self) -> float: ...
    @property
    def distance(self) -> float | None: ...
    @property
    def mostly_sink(self) -> bool: ...


def heads_grid(
    thumbnails: Sequence[ArrayLike],
    infos: Sequence[Sequence[Head]] | None = None,
    *,
    layers: Sequence[str] | None = None,
    title: str = "",
    quantity: str = "weight α",
    width_mm: float = PAGE_MM,
) -> Figure:
    """A row for each layer, a column for each head; all share one scale, by the square root, so
    that a head which looks everywhere a little is not blank.

    Args:
        thumbnails: for each layer (heads, height, width), NaN where masked.
        infos: for each layer its heads' entropy in bits and mean distance in tokens, written
            below the pictures where they fit; a dot marks a head that mostly looks at a sink.
        layers: their names; "layer 0" and so on if not given.
        width_mm: of the whole figure.

    Raises:
        BadArgumentError: infos or names that do not fit the thumbnails, too many heads for the
            width.
        UnavailableError: matplotlib is not installed.
    """
    require_matplotlib()
    from matplotlib.colors import PowerNorm

    maps = _checked(thumbnails, infos, layers)
    names = list(layers) if layers is not None else [f"layer {n}" for n in range(len(maps))]
    type_ = Type([*names, title, quantity, "head ● ·"])
    width = check_width(width_mm)
    heading = type_.wrap(title, width - 4.0, TYPE_PT)
    names = [type_.fit(name, width * 0.3) for name in names]
    left = 1.5 + type_.widest(names) + 1.5
    most = max(len(layer) for layer in maps)
    cell = min((width - left - 1.5) / most - _GAP, _WIDEST_CELL)
    written = 2 if infos is not None and cell >= _LEAST_FOR_NUMBERS else 0
    under = written * (LINE_MM - 0.4) + 0.6
    top = 1.5 + len(heading) * (LINE_MM + 0.4) + LINE_MM + 1.0
    # A page's height binds as its width does.
    cell = min(cell, (TALLEST_MM - top - 14) / len(maps) - under - _GAP)
    if cell < 1.0 or (written and cell < 2 * LINE_MM - 1.5):
        raise BadArgumentError(
            f"{len(maps)} layers of {most} heads do not fit in {width:g} mm: draw some of them, or "
            "a wider figure."
        )
    pitch = cell + under + _GAP
    tall = len(maps) * pitch
    notes = _notes(maps, infos, bool(written))
    beside = left + SCALE_MM + 8  # the legend
    lines = [line for note in notes for line in type_.wrap(note, width - beside - 1.5)]
    sheet = Sheet(width, top + tall + max(len(lines) * LINE_MM, 9.5) + 1.0, type_)
    sheet.lines(1.5, 1.5, heading, fontsize=TYPE_PT)
    axes = sheet.axes(0, top, width, tall)
    largest = max(float(np.nanmax(layer, initial=0.0)) for layer in maps) or 1.0
    norm = PowerNorm(0.5, 0, largest)
    every = max(math.ceil((type_.width(str(most)) + 0.5) / (cell + _GAP)), 1)
    for number, layer in enumerate(maps):
        sheet.text(
            left - 1.5, top + number * pitch + cell / 2, names[number], ha="right", va="center"
        )
        for head, values in enumerate(layer):
            place = (left + head * (cell + _GAP), number * pitch)
            _thumbnail(axes, values, place, cell, norm)
            if number == 0 and head % every == 0:
                sheet.text(place[0] + cell / 2, top - LINE_MM - 0.3, str(head), ha="center")
            if infos is not None:
                _caption(axes, infos[number][head], place, cell, type_, bool(written))
    sheet.text(left - 1.5, top - LINE_MM - 0.3, "head", ha="right", color=MUTED)
    axes.set(xlim=(0, width), ylim=(tall, 0), aspect="auto")
    axes.set_axis_off()
    ticks = [0.0, largest / 4, largest]  # evenly apart under the root
    sheet.scale(axes.images[0], left, top + tall + 0.5, quantity, ticks=ticks)
    sheet.lines(beside, top + tall + 0.2, lines, color=MUTED)
    return sheet.figure


def _checked(
    thumbnails: Sequence[ArrayLike],
    infos: Sequence[Sequence[Head]] | None,
    layers: Sequence[str] | None,
) -> list[Values]:
    maps = [np.asarray(layer, dtype=np.float64) for layer in thumbnails]
    shapes = [layer.shape for layer in maps]
    if not maps or any(len(shape) != 3 or 0 in shape for shape in shapes):
        raise BadArgumentError(
            f"thumbnails must be (heads, height, width) for each layer; got {shapes or 'none'}."
        )
    heads = [len(layer) for layer in maps]
    if infos is not None and [len(layer) for layer in infos] != heads:
        raise BadArgumentError(
            f"infos must have one entry for each head, {heads} in the layers; got "
            f"{[len(layer) for layer in infos]}."
        )
    if layers is not None and len(layers) != len(maps):
        raise BadArgumentError(f"layers must name all {len(maps)} layers; got {len(layers)} names.")
    return maps


def _thumbnail(
    axes: Axes, values: Values, place: tuple[float, float], cell: float, norm: Normalize
) -> None:
    from matplotlib.patches import Rectangle

    x, y = place
    ground = Rectangle(place, cell, cell, facecolor="#f4f4f4", edgecolor=RULE, hatch="////")
    ground.set_linewidth(0)
    ground.set_hatch_linewidth(0.3)
    axes.add_patch(ground)
    axes.imshow(
        np.ma.masked_invalid(values),
        cmap=sequential(),
        norm=norm,
        aspect="auto",
        interpolation="nearest",
        extent=(x, x + cell, y + cell, y),
        zorder=2,
    )
    frame = Rectangle(place, cell, cell, fill=False, edgecolor=RULE, linewidth=0.4, zorder=3)
    axes.add_patch(frame)


def _caption(
    axes: Axes, head: Head, place: tuple[float, float], cell: float, type_: Type, written: bool
) -> None:
    x, y = place
    if written:
        for line, number in enumerate((head.entropy, head.distance)):
            if number is not None and math.isfinite(number):
                text = f"{number:.1f}" if number < 99.95 else f"{number:.0f}"
                below = y + cell + 0.5 + line * (LINE_MM - 0.4)
                style = type_.text(SMALL_PT, ha="center", va="top")
                axes.text(x + cell / 2, below, text, **style)
    if head.mostly_sink:
        axes.plot(
            x + cell, y, marker="o", markersize=3, color=_SINK, markeredgecolor="white",
            markeredgewidth=0.4, zorder=4, clip_on=False,
        )  # fmt: skip


def _notes(maps: list[Values], infos: Sequence[Sequence[Head]] | None, written: bool) -> list[str]:
    notes = []
    if written:
        known = [head.distance for layer in infos or () for head in layer]
        far = any(distance is not None and math.isfinite(distance) for distance in known)
        notes.append("below: entropy in bits" + (", mean distance in tokens" if far else ""))
    if any(head.mostly_sink for layer in infos or () for head in layer):
        notes.append("dot: mostly looks at a sink")
    if any(np.isnan(layer).any() for layer in maps):
        notes.append("hatched: masked")
    return notes
