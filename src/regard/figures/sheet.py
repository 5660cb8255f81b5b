"""The paper of a figure, with everything placed in millimeters, and the type set on it."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from regard.figures.style import (
    DOTS,
    INCH_MM,
    INK,
    LINE_MM,
    RULE,
    SMALL_PT,
    quiet_about_glyphs,
)
from regard.lazy import matplotlib, require
from regard.letters import edge

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable

BASE = "DejaVu Sans"  # comes with matplotlib, so it is there everywhere


def families(texts: Iterable[str]) -> list[str]:
    """Font families, in the order in which matplotlib is to look for a glyph.

    Warns, in one sentence, of characters that no installed font has.
    """
    missing = {character for text in texts for character in text if _has_shape(character)}
    missing -= _characters_of(BASE)
    chosen, left = _fallbacks(frozenset(missing))
    if left:
        _warn(left)
    return [BASE, *chosen]


@lru_cache(maxsize=64)
def _fallbacks(missing: frozenset[str]) -> tuple[list[str], set[str]]:
    """Fonts that have these characters, and the characters that none has."""
    chosen: list[str] = []
    left = set(missing)
    for candidates in (_known, _installed):  # the second only if needed: it opens every font
        while left:
            # max takes the first of equals, and candidates stand in order of preference.
            best = max(candidates(), key=lambda name: len(left & _characters_of(name)))
            covered = left & _characters_of(best)
            if not covered:
                break
            chosen.append(best)
            left -= covered
    return chosen, left


def _warn(missing: set[str]) -> None:
    scripts = sorted({unicodedata.name(mark, "unnamed").split()[0].title() for mark in missing})
    some = " ".join(sorted(missing)[:5])
    warnings.warn(
        f"no installed font has {some}{' …' if len(missing) > 5 else ''} ({', '.join(scripts)}), "
        "which a PNG or PDF shows as boxes: install a font that does, such as a Noto font",
        UserWarning,
        stacklevel=3,
    )


def _has_shape(character: str) -> bool:
    """Joiners, variation selectors, spaces and control characters need no glyph."""
    return unicodedata.category(character)[0] not in "CZ" and not (
        0xFE00 <= ord(character) <= 0xFE0F
    )


def _known() -> list[str]:
    """Upright families of ordinary weight: those without serifs first, then by name."""
    names = {
        font.name
        for font in matplotlib.font_manager.fontManager.ttflist
        if font.style == "normal"
        and font.weight in (400, "normal", "regular")
        and not font.name.startswith("Last Resort")  # its glyphs are the boxes
    }
    return sorted(names, key=lambda name: ("Sans" not in name, "Mono" in name, name))


@lru_cache(maxsize=1)
def _installed() -> list[str]:
    """Look again, also for fonts that were installed since matplotlib last looked."""
    listed = {font.fname for font in matplotlib.font_manager.fontManager.ttflist}
    for file in sorted(set(matplotlib.font_manager.findSystemFonts()) - listed):
        with suppress(OSError, RuntimeError):  # a font that cannot be read is left out
            matplotlib.font_manager.fontManager.addfont(file)
    return _known()


@cache
def _characters_of(family: str) -> frozenset[str]:
    try:
        font = matplotlib.ft2font.FT2Font(
            matplotlib.font_manager.findfont(family, fallback_to_default=False)
        )
        return frozenset(map(chr, font.get_charmap()))
    except (OSError, RuntimeError, ValueError):  # listed, but moved away or broken
        return frozenset()


SCALE_MM = 26.0  # length of a color scale


class Type:
    """The fonts of one figure, chosen for its texts, and how much room each text takes."""

    def __init__(self, texts: Iterable[str]) -> None:
        require(matplotlib)
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        self.families = families(texts)
        self._renderer = FigureCanvasAgg(
            matplotlib.figure.Figure(figsize=(1, 1), dpi=DOTS)
        ).get_renderer()

    def text(self, points: float = SMALL_PT, color: str = INK, **more: object) -> dict[str, Any]:
        """Keywords of a text, which is taken as it is: a token "$x$" is no formula."""
        font = {"fontfamily": self.families, "fontsize": points, "color": color}
        return {**font, "parse_math": False, **more}

    def width(self, text: str, points: float = SMALL_PT) -> float:
        """Width of a text in millimeters."""
        if not text:
            return 0.0
        font = matplotlib.font_manager.FontProperties(family=self.families, size=points)
        with quiet_about_glyphs():
            pixels = self._renderer.get_text_width_height_descent(text, font, False)[0]
        return float(pixels) / DOTS * INCH_MM

    def widest(self, texts: Iterable[str], points: float = SMALL_PT) -> float:
        return max((self.width(text, points) for text in texts), default=0.0)

    def fit(self, text: str, room: float, points: float = SMALL_PT) -> str:
        """Return the text, cut where it is wider than `room` millimeters, never before a vowel
        sign."""
        wide = self.width(text, points)
        if wide <= room:
            return text
        # Few letters are less than half as wide as the text's average.
        end = min(len(text) - 1, int(2 * len(text) * room / wide) + 1)
        while end > 1 and (edge(text, end) != end or self.width(text[:end] + "…", points) > room):
            end -= 1
        return text[:end].rstrip() + "…"

    def wrap(self, text: str, room: float, points: float = SMALL_PT) -> list[str]:
        """Return the text in lines of at most `room` millimeters, broken at spaces."""
        lines: list[str] = []
        for word in text.split():
            longer = f"{lines[-1]} {word}" if lines else word
            if lines and self.width(longer, points) <= room:
                lines[-1] = longer
            else:
                lines.append(self.fit(word, room, points))
        return lines

    def plain(self, axes: Axes) -> None:
        """Numbers in small type, and no frame but the two axes."""
        axes.tick_params(
            labelsize=SMALL_PT, labelfontfamily=self.families, length=1.5, width=0.5, pad=1.5
        )
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["left", "bottom"]].set(linewidth=0.5, color=RULE)


class Sheet:
    """White paper of a given size; its parts are placed in millimeters from the top left."""

    def __init__(self, width_mm: float, height_mm: float, type_: Type) -> None:
        self.width, self.height, self.type = width_mm, height_mm, type_
        self.figure = matplotlib.figure.Figure(
            figsize=(width_mm / INCH_MM, height_mm / INCH_MM), facecolor="white"
        )

    def axes(self, left: float, top: float, width: float, height: float) -> Axes:
        across, down = self.width, self.height
        place = (left / across, 1 - (top + height) / down, width / across, height / down)
        return self.figure.add_axes(place)

    def text(self, left: float, top: float, text: str, **style: Any) -> None:
        """Its top left corner there, unless `style` aligns it differently."""
        style = {"ha": "left", "va": "top", **self.type.text(), **style}
        self.figure.text(left / self.width, 1 - top / self.height, text, **style)

    def lines(self, left: float, top: float, lines: Sequence[str], **style: object) -> None:
        for number, line in enumerate(lines):
            self.text(left, top + number * LINE_MM, line, **style)

    def scale(
        self,
        image: ScalarMappable,
        left: float,
        top: float,
        name: str,
        *,
        ticks: Sequence[float] | None = None,
        open_below: bool = False,
    ) -> None:
        """Return the colors of an image and what numbers they stand for, 9 mm high."""
        bar = self.axes(left, top, SCALE_MM, 1.6)
        extend = "min" if open_below else "neither"
        legend = self.figure.colorbar(image, cax=bar, orientation="horizontal", extend=extend)
        legend.outline.set(linewidth=0.4, edgecolor=RULE)
        legend.minorticks_off()
        # Exponents, as matplotlib writes powers of ten, would be smaller than the smallest type.
        if ticks is not None:
            legend.set_ticks(ticks)
        legend.ax.xaxis.set_major_formatter(lambda value, _: f"{value:.3g}".replace("-", "−"))
        legend.ax.tick_params(
            labelsize=SMALL_PT, labelfontfamily=self.type.families, length=1.5, width=0.5, pad=1
        )
        legend.ax.set_xlabel(name, labelpad=1, loc="left", **self.type.text())
