"""Texts whose words are shaded, and bars below them: a step of generation, for paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from regard.errors import BadArgumentError
from regard.figures.color import CATEGORICAL, is_dark, sequential
from regard.figures.sheet import Sheet, Type
from regard.figures.style import COLUMN_MM, INK, LINE_MM, MUTED, RULE, TYPE_PT, check_width, visible

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_EDGE = 2.0  # millimeters, of the paper
_PAD = 0.7  # beside a word
_GAP = 0.6  # between words
_BAR = 30.0  # of a probability of 1
_MOST_WORDS = 400


@dataclass(frozen=True)
class Passage:
    """A text; each word is as dark as its share, and may have a number below it."""

    title: str
    words: Sequence[str]
    shares: Sequence[float]  # from 0 to 1
    numbers: Sequence[str]  # empty for none
    marked: int | None = None  # the word in a frame


@dataclass(frozen=True)
class Bar:
    """A named probability; the chosen one is strong."""

    name: str
    probability: float
    chosen: bool


@dataclass(frozen=True)
class _Placed:
    left: float
    line: int
    width: float
    label: str


def passages(
    texts: Sequence[Passage],
    bars: Sequence[Bar] = (),
    *,
    bars_title: str = "",
    notes: Sequence[str] = (),
    title: str = "",
    width_mm: float = COLUMN_MM,
) -> Figure:
    """The texts one below the other, then the bars with their numbers, then the notes.

    Args:
        width_mm: of the whole figure.

    Raises:
        BadArgumentError: a text without words or with more than a page holds, or shares or numbers
            that are not as many as its words.
        UnavailableError: matplotlib is not installed.
    """
    for text in texts:
        if not 0 < len(text.words) <= _MOST_WORDS:
            raise BadArgumentError(
                f"a figure holds texts of 1 to {_MOST_WORDS} words; got {len(text.words)}."
            )
        if not len(text.words) == len(text.shares) == len(text.numbers):
            raise BadArgumentError(
                f"a text needs a share and a number for each of its {len(text.words)} words; got"
                f" {len(text.shares)} and {len(text.numbers)}."
            )
    labels = [visible(text.words) for text in texts]
    names = visible([bar.name for bar in bars])
    every = [*(label for each in labels for label in each), *names, *notes, title, bars_title]
    type_ = Type([*every, *(text.title for text in texts), "0 %"])
    width = check_width(width_mm)
    room = width - 2 * _EDGE
    heading = type_.wrap(title, room, TYPE_PT)
    placed = [_set(each, text, room, type_) for each, text in zip(labels, texts, strict=True)]
    titles = [type_.wrap(text.title, room) for text in texts]
    written = [line for note in notes for line in type_.wrap(note, room)]
    height = 1.5 + len(heading) * (LINE_MM + 0.4) + 1.5
    height += sum(
        (len(lines) + 2.4 * (words[-1].line + 1)) * LINE_MM + 1.5
        for lines, words in zip(titles, placed, strict=True)
    )
    height += (len(bars) + bool(bars)) * (LINE_MM + 0.4) + (1.5 if bars else 0)
    sheet = Sheet(width, height + len(written) * LINE_MM + 1.0, type_)
    sheet.lines(_EDGE, 1.5, heading, fontsize=TYPE_PT)
    top = 1.5 + len(heading) * (LINE_MM + 0.4) + 1.5
    for text, lines, words in zip(texts, titles, placed, strict=True):
        sheet.lines(_EDGE, top, lines, color=MUTED)
        top = _draw(sheet, text, words, top + len(lines) * LINE_MM)
    if bars:
        top = _draw_bars(sheet, bars, names, bars_title, top)
    sheet.lines(_EDGE, top, written, color=MUTED)
    return sheet.figure


def _set(labels: Sequence[str], text: Passage, room: float, type_: Type) -> list[_Placed]:
    """The words in lines, as wide as they and their numbers are."""
    found: list[_Placed] = []
    left, line = 0.0, 0
    for label, number in zip(labels, text.numbers, strict=True):
        label = type_.fit(label, room - 2 * _PAD)
        width = max(type_.width(label), type_.width(number)) + 2 * _PAD
        if left and left + width > room:
            left, line = 0.0, line + 1
        found.append(_Placed(left, line, width, label))
        left += width + _GAP
    return found


def _draw(sheet: Sheet, text: Passage, words: Sequence[_Placed], top: float) -> float:
    """Draws the words; gives where they end."""
    from matplotlib.patches import Rectangle

    colors, height = sequential(), 2.4 * LINE_MM
    tall = height * (words[-1].line + 1)
    axes = sheet.axes(_EDGE, top, sheet.width - 2 * _EDGE, tall)
    axes.set(xlim=(0, sheet.width - 2 * _EDGE), ylim=(tall, 0))
    axes.set_axis_off()
    for place, (word, share, number) in enumerate(
        zip(words, text.shares, text.numbers, strict=True)
    ):
        color = colors(min(max(float(share), 0.0), 1.0))
        marked = place == text.marked
        edge, thickness = (INK, 0.9) if marked else (RULE, 0.3)
        corner = (word.left, word.line * height + 0.3)
        frame = Rectangle(corner, word.width, LINE_MM + 0.6, facecolor=color)
        frame.set(edgecolor=edge, linewidth=thickness)
        axes.add_patch(frame)
        ink = "white" if is_dark(np.asarray(color)) else "black"
        left, line = _EDGE + word.left + word.width / 2, top + word.line * height
        sheet.text(left, line + 0.6, word.label, ha="center", color=ink)
        sheet.text(left, line + LINE_MM + 1.1, number, ha="center", color=MUTED)
    return top + tall + 1.5


def percent(share: float) -> str:
    """As the page writes it: two digits, and nothing finer than a tenth."""
    if share < 0.001:
        return "< 0.1 %"
    return f"{100 * share:.0f} %" if share >= 0.0995 else f"{100 * share:.1f} %"


def _draw_bars(
    sheet: Sheet, bars: Sequence[Bar], names: Sequence[str], title: str, top: float
) -> float:
    from matplotlib.patches import Rectangle

    step = LINE_MM + 0.4
    sheet.text(_EDGE, top, title, color=MUTED)
    left = _EDGE + sheet.type.widest(names) + 1.5
    room = sheet.width - left - _EDGE - sheet.type.width("100 %") - 1.0
    across, tall = min(_BAR, room), step * len(bars)
    axes = sheet.axes(left, top + step, across, tall)
    axes.set(xlim=(0, 1), ylim=(tall, 0))
    axes.set_axis_off()
    for number, (bar, name) in enumerate(zip(bars, names, strict=True)):
        color = CATEGORICAL[0] if bar.chosen else RULE
        corner = (0, number * step + 0.4)
        axes.add_patch(Rectangle(corner, bar.probability, step - 0.8, facecolor=color))
        line = top + (number + 1) * step
        sheet.text(_EDGE, line + 0.3, name, color=INK if bar.chosen else MUTED)
        end = left + bar.probability * across + 1.0
        sheet.text(end, line + 0.3, percent(bar.probability), color=MUTED)
    return top + (len(bars) + 1) * step + 1.5
