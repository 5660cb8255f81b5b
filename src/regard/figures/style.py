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

import numpy as np
from numpy.typing import NDArray

from regard.errors import BadArgumentError
from regard.files import whole_file
from regard.lazy import matplotlib

if TYPE_CHECKING:
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

Curve = NDArray[np.float64]

# One for each chosen head: Okabe & Ito 2008, "Color universal design", without their yellow, which
# a line on white paper does not survive.
CATEGORICAL = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")

STEPS = 256
_BLUE, _ORANGE = 258.0, 50.0  # hues in degrees; distinguishable with every kind of color blindness


def sequential() -> Colormap:
    """White for the smallest to deep blue for the largest, in even steps of lightness."""
    return _map("regard", _arm(_BLUE, STEPS))


def diverging() -> Colormap:
    """Orange for negative, white for zero, blue for positive, as dark as each other."""
    orange, blue = _arm(_ORANGE, STEPS // 2, darkest=0.42), _arm(_BLUE, STEPS // 2, darkest=0.42)
    return _map("regard difference", np.concatenate([orange[::-1], blue]))


def is_dark(color: Curve) -> bool:
    """Return True if white ink is read more easily on it than black (WCAG 2.2)."""
    channels = color[:3]
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    # Contrast with white and with black are equal at √(1.05 · 0.05) - 0.05.
    return bool(linear @ (0.2126, 0.7152, 0.0722) < 0.179)


def _arm(hue: float, steps: int, darkest: float = 0.30) -> Curve:
    """White to one strong hue, (steps, 3) in sRGB."""
    lightness = np.linspace(1.0, darkest, steps)
    # Most colorful between the ends, where sRGB has room for it.
    chroma = 0.16 * np.sin(np.pi * np.clip((1 - lightness) / 0.95, 0, 1)) ** 0.9
    return _srgb(lightness, chroma, np.full(steps, np.deg2rad(hue)))


def _srgb(lightness: Curve, chroma: Curve, hue: Curve) -> Curve:
    """OKLCH to sRGB, what is out of gamut made less colorful (Ottosson 2020, "A perceptual color
    space for image processing")."""
    for _ in range(40):
        a, b = chroma * np.cos(hue), chroma * np.sin(hue)
        long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
        medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
        short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
        linear = np.stack(
            [
                4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
                -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
                -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
            ],
            axis=-1,
        )
        outside = ((linear < -1e-4) | (linear > 1 + 1e-4)).any(-1)
        if not outside.any():
            break
        chroma = np.where(outside, chroma * 0.95, chroma)
    linear = linear.clip(0, 1)
    return np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)


def _map(name: str, colors: Curve) -> Colormap:
    scale = matplotlib.colors.ListedColormap([tuple(color) for color in colors.tolist()], name=name)
    # A masked cell is open: the hatching of the ground shows.
    return scale.with_extremes(bad=(0, 0, 0, 0))


COLUMN_MM, PAGE_MM = 85.0, 175.0  # a column, and both, in most journals
TALLEST_MM = 230.0
TYPE_PT, SMALL_PT = 7.0, 6.0  # nothing in a figure is smaller than the latter
INK, MUTED, RULE = "#1a1a1a", "#595959", "#b0b0b0"
FORMATS = ("svg", "pdf", "png")
LINE_MM = 3.0  # from one line of small type to the next

INCH_MM = 25.4
DOTS = 300  # per inch, in a PNG


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure as .svg (text stays text), .pdf (fonts embedded) or .png (300 dpi).

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
    # Type 42 keeps whole outlines, which journals ask for; no date, so that a figure drawn again
    # is the same file.
    settings: dict[Any, object] = {
        "svg.fonttype": "none",
        "svg.hashsalt": "regard",
        "pdf.fonttype": 42,
    }
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[kind]
    with whole_file(path) as file, matplotlib.rc_context(settings), quiet_about_glyphs():
        figure.savefig(file, format=kind, dpi=DOTS, metadata=metadata, facecolor="white")


def check_width(width_mm: float) -> float:
    """Raise BadArgumentError for a width in which no figure with legible type fits."""
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
    places = list(range(-first % step, count, step))
    return places, [str(first + place) for place in places]


@contextmanager
def quiet_about_glyphs() -> Iterator[None]:
    """matplotlib's sentence for each missing glyph at each drawing; `fonts` has said it once."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from font", UserWarning)
        yield
