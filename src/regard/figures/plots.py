"""Plots over numbers, one pair of axes beside the other: what was measured, against what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from regard.errors import BadArgumentError
from regard.figures.sheet import Sheet, Type
from regard.figures.style import CATEGORICAL, LINE_MM, MUTED, PAGE_MM, RULE, TYPE_PT, check_width
from regard.lazy import matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Line = tuple[ArrayLike, ArrayLike]  # x, or names of groups, and as many y

PLOT_MM = 42.0  # height of the axes
# Over groups, a shape for each line as well as a color, for print in black.
MARKERS = {"o": "●", "s": "■", "D": "◆", "^": "▲", "v": "▼", "<": "◀", ">": "▶"}
_LEFT_MM, _GAP_MM = 9.0, 4.0  # room for the numbers of the y axis, and between two plots


@dataclass(frozen=True)
class Plot:
    """Pair of axes. A name has the same color in every plot of a figure."""

    title: str
    x_name: str
    y_name: str
    lines: Mapping[str, Line]
    points: Mapping[str, Line] = field(default_factory=dict)  # gray dots, not joined
    log: str = ""  # the axes that are logarithmic: "x", "y" or "xy"


def plots(panels: Sequence[Plot], *, title: str = "", width_mm: float = PAGE_MM) -> Figure:
    """Return the plots in a row, with one legend for all of them below.

    >>> panel = Plot("Error", "neighbors", "error", {"window": ([0, 4, 30], [0.49, 0.19, 0.61])})
    >>> figure = plots([panel])
    """
    names = _check(panels)
    dots = list(dict.fromkeys(name for panel in panels for name in panel.points))
    said = [word for panel in panels for word in (panel.title, panel.x_name, panel.y_name)]
    groups = [x for panel in panels for xs, _ in panel.lines.values() for x in _groups(xs)]
    type_ = Type([title, "— −0123456789", *MARKERS.values(), *names, *dots, *said, *groups])
    width = check_width(width_mm)
    heading = type_.wrap(title, width - 4.0, TYPE_PT)
    pitch = (width - 2.0) / len(panels)
    inside = pitch - _LEFT_MM - _GAP_MM
    titles = [type_.wrap(panel.title, pitch - _GAP_MM) for panel in panels]
    top = 1.5 + len(heading) * (LINE_MM + 0.4) + (1.0 if heading else 0.0)
    above = top + max(map(len, titles)) * LINE_MM + LINE_MM + 1.5
    signs = MARKERS.values() if groups else ["—"] * len(names)
    legend = list(zip(signs, names, CATEGORICAL, strict=False))
    legend += [("●", name, MUTED) for name in dots]
    below = above + PLOT_MM + 2 * LINE_MM + 3.0
    sheet = Sheet(width, below + len(legend) * LINE_MM + 1.5, type_)
    sheet.lines(2.0, 1.5, heading, fontsize=TYPE_PT)
    for number, panel in enumerate(panels):
        left = 2.0 + number * pitch
        sheet.lines(left, top, titles[number])
        sheet.text(left, above - LINE_MM - 1.0, type_.fit(panel.y_name, pitch), color=MUTED)
        x_name = type_.fit(panel.x_name, inside)
        under = above + PLOT_MM + LINE_MM + 1.5
        sheet.text(left + _LEFT_MM + inside, under, x_name, ha="right", color=MUTED)
        axes = sheet.axes(left + _LEFT_MM, above, inside, PLOT_MM)
        _draw(axes, panel, dict(zip(names, CATEGORICAL, strict=False)), type_)
    for number, (sign, name, color) in enumerate(legend):
        sheet.text(2.0 + _LEFT_MM, below + number * LINE_MM, f"{sign} {name}", color=color)
    return sheet.figure


def _draw(axes: Axes, panel: Plot, colors: Mapping[str, str], type_: Type) -> None:
    for x, y in panel.points.values():
        axes.plot(x, y, ".", color=RULE, markersize=3, markeredgewidth=0)
    for name, (x, y) in panel.lines.items():
        few = len(np.asarray(x)) <= 12  # measured one by one, rather than a curve
        marker = list(MARKERS)[list(colors).index(name)] if _groups(x) else "o" * few
        axes.plot(x, y, color=colors[name], linewidth=1, marker=marker, markersize=2.5)
    grouped = any(_groups(x) for x, _ in panel.lines.values())
    if grouped:
        axes.set_ylim(bottom=0)
        axes.margins(x=0.06)
    for letter, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
        if letter == "x" and grouped:
            continue
        if letter in panel.log:
            axes.set(**{f"{letter}scale": "log"})
            axis.set_major_locator(matplotlib.ticker.LogLocator(numticks=6))
            axis.set_minor_formatter(lambda value, _: "")
        else:
            axis.set_major_locator(matplotlib.ticker.MaxNLocator(5))
        # As elsewhere: exponents would be smaller than the smallest type.
        axis.set_major_formatter(lambda value, _: f"{value:g}".replace("-", "−"))
    axes.grid(color=RULE, linewidth=0.3)
    axes.set_axisbelow(True)
    type_.plain(axes)
    axes.tick_params(which="minor", length=0)


def _groups(x: ArrayLike) -> Sequence[str]:
    """Names of groups, where x are no numbers."""
    values = np.asarray(x)
    return values.tolist() if values.dtype.kind == "U" else ()


def _check(panels: Sequence[Plot]) -> list[str]:
    """Return the names of the lines, each once."""
    names = list(dict.fromkeys(name for panel in panels for name in panel.lines))
    if not panels or len(names) > len(CATEGORICAL):
        raise BadArgumentError(
            f"a figure has one or more plots with up to {len(CATEGORICAL)} names of lines; got"
            f" {len(panels)} plots and {len(names)} names."
        )
    for panel in panels:
        for name, (x, y) in (*panel.lines.items(), *panel.points.items()):
            if np.ndim(x) != 1 or np.shape(x) != np.shape(y):
                raise BadArgumentError(
                    f"{name!r} must have as many x as y; got {np.shape(x)} and {np.shape(y)}."
                )
    return names
