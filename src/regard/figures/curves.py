"""Curves over a few groups, one for each thing that is compared: BLEU by length of sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from regard.errors import BadArgumentError
from regard.figures.color import CATEGORICAL
from regard.figures.sheet import Sheet, Type
from regard.figures.style import (
    COLUMN_MM,
    LINE_MM,
    MUTED,
    RULE,
    TYPE_PT,
    check_width,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLOT_MM = 42.0  # height of the axes
MARKERS = {"o": "●", "s": "■", "D": "◆", "^": "▲", "v": "▼", "<": "◀", ">": "▶"}


def curves(
    values: Mapping[str, Sequence[float]],
    groups: Sequence[str],
    *,
    x_name: str,
    y_name: str,
    title: str = "",
    width_mm: float = COLUMN_MM,
) -> Figure:
    """A figure with a curve for each name of `values`, over the same groups, from zero up.

    Args:
        values: name → a number for each group.
        groups: the groups' names, in order.
        x_name, y_name: what groups and numbers are.
        width_mm: of the whole figure.

    Raises:
        BadArgumentError: numbers that do not fit the groups, more curves than colors.
        UnavailableError: matplotlib is not installed.
    """
    _check(values, groups)
    type_ = Type([*values, *groups, *MARKERS.values(), x_name, y_name, title])
    width = check_width(width_mm)
    heading = type_.wrap(title, width - 4.0, TYPE_PT)
    top = 1.5 + len(heading) * (LINE_MM + 0.4) + LINE_MM + 1.5
    left, below = 8.5, top + PLOT_MM + 2 * LINE_MM + 2.5
    sheet = Sheet(width, below + len(values) * LINE_MM + 1.5, type_)
    sheet.lines(2.0, 1.5, heading, fontsize=TYPE_PT)
    sheet.text(2.0, top - LINE_MM - 1.0, y_name, color=MUTED)
    sheet.text(width - 2.5, top + PLOT_MM + LINE_MM + 1.5, x_name, ha="right", color=MUTED)

    axes = sheet.axes(left, top, width - left - 2.5, PLOT_MM)
    # A shape for each as well as a color, for print in black.
    looks = zip(values.items(), CATEGORICAL, MARKERS.items(), strict=False)
    for number, ((name, heights), color, (marker, sign)) in enumerate(looks):
        axes.plot(heights, color=color, marker=marker, markersize=3, linewidth=1)
        sheet.text(left, below + number * LINE_MM, f"{sign} {name}", color=color)
    axes.set_ylim(bottom=0)
    axes.set_xticks(range(len(groups)), groups)
    axes.margins(x=0.06)
    axes.grid(axis="y", color=RULE, linewidth=0.3)
    type_.plain(axes)
    return sheet.figure


def _check(values: Mapping[str, Sequence[float]], groups: Sequence[str]) -> None:
    if not values or len(values) > len(CATEGORICAL):
        raise BadArgumentError(
            f"a figure has from one to {len(CATEGORICAL)} curves; got {len(values)}."
        )
    for name, heights in values.items():
        if len(heights) != len(groups) or not groups:
            raise BadArgumentError(
                f"{name!r} must have a number for each of {len(groups)} groups; got {len(heights)}."
            )
