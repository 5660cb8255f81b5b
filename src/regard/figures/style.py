"""Base of figures for paper: a journal's widths, sizes of type, names of cells, saving."""

from __future__ import annotations

import math
import os
import unicodedata
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regard.errors import BadArgumentError, optional_package
from regard.files import whole_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMN_MM, PAGE_MM = 85.0, 175.0  # a column, and both, in most journals
TALLEST_MM = 230.0
TYPE_PT, SMALL_PT = 7.0, 6.0  # nothing in a figure is smaller than the latter
INK, MUTED, RULE = "#1a1a1a", "#595959", "#b0b0b0"
FORMATS = ("svg", "pdf", "png")
LINE_MM = 3.0  # from one line of small type to the next

INCH_MM = 25.4
DOTS = 300  # per inch, in a PNG


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Writes a figure as .svg (text stays text), .pdf (fonts embedded) or .png (300 dpi).

    The size is the figure's own: choose `width_mm` when drawing it, so that the type stays legible.

    >>> from regard.figures.heatmap import heatmap
    >>> save(heatmap([[0.9, 0.1], [0.4, 0.6]]), "map.svg")
    """
    path = Path(path)
    kind = path.suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise BadArgumentError(
            f"a figure is saved as .{', .'.join(FORMATS)}; got {path.name!r}. Choose one of these."
        )
    matplotlib = require_matplotlib()
    # Type 42 keeps whole outlines, which journals ask for; no date, so that a figure drawn again
    # is the same file.
    settings = {"svg.fonttype": "none", "svg.hashsalt": "regard", "pdf.fonttype": 42}
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[kind]
    with whole_file(path) as file, matplotlib.rc_context(settings), quiet_about_glyphs():
        figure.savefig(file, format=kind, dpi=DOTS, metadata=metadata, facecolor="white")


def require_matplotlib() -> Any:
    """The module. Raises UnavailableError naming what to install where it is missing."""
    with optional_package("matplotlib", "figures need"):
        import matplotlib
    return matplotlib


def check_width(width_mm: float) -> float:
    """Raises BadArgumentError for a width in which no figure with legible type fits."""
    if not 40 <= width_mm <= 1000:
        raise BadArgumentError(
            f"width_mm must be from 40 to 1000; got {width_mm:g}: a journal's column is "
            f"{COLUMN_MM:g} and its page {PAGE_MM:g}."
        )
    return float(width_mm)


def visible(tokens: Iterable[str]) -> list[str]:
    """Tokens as labels: spaces and line breaks, which one could not see, as signs."""
    return [_visible(token) for token in tokens]


def _visible(token: str) -> str:
    token = token.replace("\r\n", "↵").replace("\n", "↵").replace("\t", "⇥")
    token = token.replace("▁", "␣")  # SentencePiece's space, a heavy bar in most fonts
    token = "".join("�" if unicodedata.category(mark) == "Cc" else mark for mark in token)
    return "␣" * len(token) if token and not token.strip() else token


def ruler(
    labels: Sequence[str] | None, count: int, cell: float, room: float, first: int = 0
) -> tuple[list[int], list[str]]:
    """Places and texts of labels of `count` cells: all, every second to fourth, or numbers.

    Args:
        labels: of the cells; None for position numbers.
        cell: size of a cell in millimeters.
        room: what one label needs.
        first: the position of cell 0.
    """
    step = max(math.ceil(room / cell), 1)
    if labels is not None and step <= 4:
        places = list(range(0, count, step))
        return places, [labels[place] for place in places]
    step = next(
        nice for power in range(12) for nice in (10**power, 2 * 10**power, 5 * 10**power)
        if nice >= step
    )  # fmt: skip
    start = -first % step
    places = list(range(start, count, step))
    return places, [str(first + place) for place in places]


@contextmanager
def quiet_about_glyphs() -> Iterator[None]:
    """matplotlib's sentence for each missing glyph at each drawing; `fonts` has said it once."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from font", UserWarning)
        yield
