"""Pictures side by side under one scale: photographs, or maps too small for labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from regard.errors import BadArgumentError, check_choice
from regard.figures.sheet import Sheet, Type
from regard.figures.style import (
    LINE_MM,
    PAGE_MM,
    RULE,
    TALLEST_MM,
    TYPE_PT,
    check_width,
    diverging,
    sequential,
)
from regard.lazy import matplotlib

if TYPE_CHECKING:
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

Scale = Literal["gray", "weights", "difference"]

_GAP_MM = 2.5


def images(
    pictures: Mapping[str, ArrayLike],
    *,
    scale: Scale = "gray",
    title: str = "",
    columns: int | None = None,
    behind: ArrayLike | None = None,
    quantity: str = "",
    width_mm: float = PAGE_MM,
) -> Figure:
    """Return the pictures in rows, each with its name below it; write the figure with `save`.

    >>> figure = images({"checks": [[0.0, 1.0], [1.0, 0.0]]})

    Args:
        pictures: name → (height, width); NaN is left white.
        scale: "gray" (0 black, 1 white), "weights" (0 white, the largest of all deep blue), or
            "difference" (orange below zero, blue above).
        behind: a photograph in gray that each picture lies over, the stronger the larger the
            number is.
        quantity: what the numbers are, to stand at a scale below.
    """
    values = {name: np.asarray(picture, dtype=np.float64) for name, picture in pictures.items()}
    _check(values, scale)
    type_ = Type([title, quantity, *values])
    width = check_width(width_mm)
    across = min(columns or len(values), len(values))
    room = (width - 4.0 - (across - 1) * _GAP_MM) / across
    heading = type_.wrap(title, width - 4.0, TYPE_PT)
    names = [type_.wrap(name, room) for name in values]
    top = 1.5 + len(heading) * (LINE_MM + 0.4) + (1.0 if heading else 0.0)
    rows = [list(values)[start : start + across] for start in range(0, len(values), across)]
    tall = [
        max(room * values[name].shape[0] / values[name].shape[1] for name in row) for row in rows
    ]
    under = 1.0 + max(map(len, names)) * LINE_MM + 1.5
    # A page's height binds as its width does.
    legend = 11.0 if quantity else 0.0
    fit = min((TALLEST_MM - top - legend - len(rows) * under) / sum(tall), 1.0)
    if fit <= 0:
        raise BadArgumentError(
            f"{len(rows)} rows of pictures do not fit on a page: give more columns, or fewer"
            " pictures."
        )
    tops = [top + sum(tall[:row]) * fit + row * under for row in range(len(rows) + 1)]
    sheet = Sheet(width, tops[-1] + legend, type_)
    sheet.lines(2.0, 1.5, heading, fontsize=TYPE_PT)
    largest = max(float(np.nanmax(np.abs(picture), initial=0.0)) for picture in values.values())
    looks: dict[Scale, tuple[str | Colormap, float, float]] = {
        "gray": ("gray", 0.0, 1.0),
        "weights": (sequential(), 0.0, largest),
        "difference": (diverging(), -largest, largest),
    }
    colors, low, high = looks[scale]
    for number, picture in enumerate(values.values()):
        row, column = divmod(number, across)
        left = 2.0 + column * (room + _GAP_MM)
        axes = sheet.axes(left, tops[row], room, tall[row] * fit)
        style: dict[str, Any] = dict(cmap=colors, vmin=low, vmax=high, interpolation="nearest")
        if behind is not None:
            extent = (-0.5, picture.shape[1] - 0.5, picture.shape[0] - 0.5, -0.5)
            axes.imshow(behind, cmap="gray", vmin=-1, vmax=1, extent=extent)  # pale
            style["alpha"] = 0.85 * np.abs(np.nan_to_num(picture)) / (largest or 1.0)
        image = axes.imshow(picture, **style)
        axes.set(xticks=[], yticks=[], anchor="NW")
        for spine in axes.spines.values():
            spine.set(linewidth=0.4, color=RULE)
        sheet.lines(left, tops[row] + tall[row] * fit + 1.0, names[number])
    if quantity:
        # Without their transparency.
        colors_of = matplotlib.cm.ScalarMappable(image.norm, image.cmap)
        sheet.scale(colors_of, 5.0, tops[-1] + 1.0, type_.fit(quantity, width - 7.0))
    return sheet.figure


def _check(values: Mapping[str, np.ndarray], scale: str) -> None:
    check_choice("scale", scale, get_args(Scale))
    if not values:
        raise BadArgumentError("images needs one or more pictures; got none.")
    for name, picture in values.items():
        if picture.ndim != 2 or 0 in picture.shape:
            raise BadArgumentError(f"{name!r} must be (height, width); got {picture.shape}.")
