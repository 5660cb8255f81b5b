"""Installed fonts that show a text: one for Latin, and one more for each script that it lacks."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Iterable
from contextlib import suppress
from functools import cache, lru_cache

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
    from matplotlib.font_manager import fontManager

    names = {
        font.name
        for font in fontManager.ttflist
        if font.style == "normal"
        and font.weight in (400, "normal", "regular")
        and not font.name.startswith("Last Resort")  # its glyphs are the boxes
    }
    return sorted(names, key=lambda name: ("Sans" not in name, "Mono" in name, name))


@lru_cache(maxsize=1)
def _installed() -> list[str]:
    """Look again, also for fonts that were installed since matplotlib last looked."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    listed = {font.fname for font in fontManager.ttflist}
    for file in sorted(set(findSystemFonts()) - listed):
        with suppress(OSError, RuntimeError):  # a font that cannot be read is left out
            fontManager.addfont(file)
    return _known()


@cache
def _characters_of(family: str) -> frozenset[str]:
    from matplotlib.font_manager import findfont
    from matplotlib.ft2font import FT2Font

    try:
        font = FT2Font(findfont(family, fallback_to_default=False))
        return frozenset(map(chr, font.get_charmap()))
    except (OSError, RuntimeError, ValueError):  # listed, but moved away or broken
        return frozenset()
