"""Attention between words as a grid in the terminal: in color, or in plain characters."""

import shutil
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from itertools import accumulate
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from rich.cells import cell_len
from rich.console import Console
from rich.style import Style
from rich.text import Text

from regard.errors import BadArgumentError
from regard.figures.color import takes_color
from regard.letters import signs


def alignment_grid(
    source_words: Sequence[str],
    target_words: Sequence[str],
    weights: ArrayLike,
    *,
    caption: str,
    width: int | None = None,
    color: bool | None = None,
) -> str:
    """Return a row for each target word, a column for each source word, a weight in per cent in
    each cell.

    Columns become narrower as the terminal does, down to shades without numbers; source words that
    still do not fit go on in another grid below. Nothing is left out.

    Args:
        caption: what the weights are, such as "α, mean over heads of decoder layer 3".
        width: in terminal cells; the terminal's own by default.
        color: by default `takes_color(sys.stdout)`. Without, the text is free of escape codes, and
            brackets stand around the largest weight of a row.
    """
    values = np.asarray(weights, dtype=np.float64)
    expected = (len(target_words), len(source_words))
    if values.shape != expected:
        transposed = " Did you transpose it?" if values.shape == expected[::-1] else ""
        raise BadArgumentError(
            f"weights must be (target words, source words) = {expected}; got {values.shape}."
            + transposed
        )
    if not np.all((values >= 0) & (values <= 1.001)):  # rounding in bf16 may pass 1
        raise BadArgumentError("weights must be from 0 to 1; got others: pass a softmax output.")
    if width is None:
        width = shutil.get_terminal_size().columns
    look: Look = _Color() if (takes_color(sys.stdout) if color is None else color) else _Plain()

    longest = max(_SHORTEST_NAME, width // 3)
    rows = [_shortened(word, longest) for word in target_words]
    columns = [_shortened(word, longest) for word in source_words]
    right = 1 + max((cell_len(name) for name in rows), default=0)
    largest = values.max(axis=1, initial=0.0)
    lines: list[Text] = []
    for first, last, cell_width in _panels(columns, width, right, look):
        lines += _header(columns[first:last], cell_width, look)
        for name, row, most in zip(rows, values, largest, strict=True):
            line = Text()
            for weight in row[first:last]:
                line.append_text(look.cell(weight, cell_width, weight == most))
            # At the end of the line: terminals differ in how wide they draw Indic vowel signs, and
            # no cell is to move for it.
            lines.append(line.append(f" {name}"))
        lines.append(Text())
    page = console(look.escapes)
    for line in [*lines, *look.caption(caption, width)]:
        if not look.escapes:
            line.rstrip()
        page.print(line, soft_wrap=True)
    return printed(page)


def sound_grid(
    peaks: Sequence[float],
    words: Sequence[str],
    weights: ArrayLike,
    *,
    caption: str,
    color: bool | None = None,
) -> str:
    """Return a line of blocks as high as a sound is loud, and below it a row for each word, where
    it listened; in each row the strongest color or sign is of its largest weight.

    Args:
        peaks: how loud each column is.
        weights: (words, columns).
        caption, color: as for `alignment_grid`.
    """
    values = np.asarray(weights, dtype=np.float64)
    look: Look = _Color() if (takes_color(sys.stdout) if color is None else color) else _Plain()
    highest = max(peaks, default=0.0) or 1.0
    lines = [Text("".join(_BLOCKS[round(8 * peak / highest)] for peak in peaks))]
    for word, row in zip(words, values, strict=True):
        cells = (look.cell(weight, 1, False) for weight in row / (row.max(initial=0.0) or 1.0))
        lines.append(Text().join(cells).append(f" {_shortened(word, _WIDEST_NAME)}"))
    page = console(look.escapes)
    for line in [*lines, Text(), Text(caption)]:
        page.print(line, soft_wrap=True)
    return printed(page)


def sound_columns() -> int:
    """Columns that a sound has in a grid as wide as the terminal."""
    return max(shutil.get_terminal_size().columns - _WIDEST_NAME - 1, 20)


def underlined(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a line with these parts of it underlined, for a terminal that `takes_color`."""
    page, line = console(color=True), Text(text)
    for start, end in spans:
        line.stylize("underline", start, end)
    page.print(line, soft_wrap=True)
    return printed(page)


def console(color: bool, width: int | None = None) -> Console:
    """Console that keeps what is printed, in the 256-color palette or without escape codes."""
    return Console(
        file=StringIO(),
        width=width,
        force_terminal=color,
        color_system="256" if color else None,
        no_color=not color,
        legacy_windows=False,
        highlight=False,
    )


def printed(page: Console) -> str:
    """Return the text of such a console, without line breaks at its end."""
    assert isinstance(page.file, StringIO)
    return page.file.getvalue().rstrip("\n")


class Look(Protocol):
    """Drawing of the parts of a grid."""

    widths: tuple[int, ...]  # of a cell, the widest that fits is taken
    leader: str  # between a column's name and the column
    escapes: bool  # whether styles are written

    def cell(self, weight: float, width: int, is_largest: bool) -> Text: ...

    def caption(self, caption: str, width: int) -> list[Text]: ...


class _Color:
    """Cells go from slate to orange: hues that stand out from a dark and from a light ground."""

    widths: tuple[int, ...] = (4, 3, 2)
    leader = "│"
    escapes = True
    # From this per cent on: a background of the 256-color palette, and an ink legible on it.
    ramp = ((10, 60, 255), (20, 97, 255), (35, 133, 255), (50, 168, 16), (70, 208, 16))

    def cell(self, weight: float, width: int, is_largest: bool) -> Text:
        number = _number(weight, width, "·")
        steps = [step for step in self.ramp if _per_cent(weight) >= step[0]]
        if not steps:
            return Text(number, Style(dim=True))
        return Text(number, self._style(*steps[-1], bold=is_largest))

    def caption(self, caption: str, width: int) -> list[Text]:
        scale = Text("% ")
        for step in self.ramp:
            scale.append(f"{step[0]:>3} ", self._style(*step))
        fits = cell_len(caption) + 2 + scale.cell_len <= width
        return [Text(f"{caption}  ") + scale] if fits else [Text(caption), scale]

    def _style(self, _: int, ground: int, ink: int, bold: bool = False) -> Style:
        return Style(bgcolor=f"color({ground})", color=f"color({ink})", bold=bold or None)


class _Plain:
    """ASCII: brackets around the largest weight of a row, or shades where there is no room."""

    widths: tuple[int, ...] = (5, 3, 2)
    leader = "|"
    escapes = False
    shades = " .:-=+*#%@"  # one for each ten per cent

    def cell(self, weight: float, width: int, is_largest: bool) -> Text:
        if width < _NUMBER:
            return Text(self.shades[min(int(weight * 10), 9)].ljust(width))
        number = _number(weight, width, ".")
        if is_largest and width > _NUMBER:
            number = f"[{number.strip()}]".rjust(width)
        return Text(number)

    def caption(self, caption: str, width: int) -> list[Text]:
        return [Text(f"{caption} (per cent)")]


_BLOCKS = " ▁▂▃▄▅▆▇█"
_WIDEST_NAME = 16  # beside a sound
_NUMBER = 3  # cells that a number takes; in fewer there is a shade only
_SHORTEST_NAME = 4  # however narrow the terminal, this much of a word is shown


def _number(weight: float, width: int, zero: str) -> str:
    if width < _NUMBER:
        return " " * width
    per_cent = _per_cent(weight)
    return (str(per_cent) if per_cent else zero).rjust(max(_NUMBER, width - 1)).ljust(width)


def _per_cent(weight: float) -> int:
    return round(100 * min(weight, 1.0))


def _panels(
    names: Sequence[str], room: int, right: int, look: Look
) -> Iterator[tuple[int, int, int]]:
    """(first column, last column + 1, cell width) of each grid that is needed; mostly one.

    Args:
        room: cells in a line.
        right: how many of them the names of the rows take.
    """
    for width in look.widths:
        if _extent(names, width, right) <= room:
            yield 0, len(names), width
            return
    first = 0
    while first < len(names):
        last = first + 1
        while last < len(names) and _extent(names[first : last + 1], _NUMBER, right) <= room:
            last += 1
        yield first, last, _NUMBER
        first = last


def _extent(names: Sequence[str], width: int, right: int) -> int:
    """Cells in the longest line: a row with its name, or a column's name that reaches further."""
    ends = [_start(column, width) + cell_len(name) for column, name in enumerate(names)]
    return max(len(names) * width + right, *ends, 0)


def _start(column: int, width: int) -> int:
    """Start of a column's name: above the first digit of its numbers."""
    return column * width + (width - 1) // 2


def _header(names: Sequence[str], width: int, look: Look) -> list[Text]:
    """Return the columns' names on as few lines as they need so that none runs into another.

    A name lies over the columns to its right as far as it is long, so theirs must be on lower
    lines; a leader goes down from it to its own column.
    """
    starts = [_start(column, width) for column in range(len(names))]
    heights = [0] * len(names)  # lines above the grid
    for column in reversed(range(len(names))):
        end = starts[column] + cell_len(names[column])
        # Terminals differ in the cells that spacing vowel signs take.
        doubtful = any(unicodedata.category(mark) == "Mc" for mark in names[column])
        under = [
            height
            for start, height in zip(starts[column + 1 :], heights[column + 1 :], strict=True)
            if start <= end or doubtful
        ]
        heights[column] = max(under, default=-1) + 1
    lines = []
    for height in range(max(heights, default=-1), -1, -1):
        line = Text()
        for start, top, name in zip(starts, heights, names, strict=True):
            if top >= height:
                line.append(" " * (start - line.cell_len))
                line.append(*((name,) if top == height else (look.leader, Style(dim=True))))
        lines.append(line)
    return lines


def _shortened(word: str, longest: int) -> str:
    """Return the word in at most `longest` cells, without control characters."""
    word = "".join(" " if unicodedata.category(mark) == "Cc" else mark for mark in word)
    return fitted(word, longest)


def fitted(text: str, cells: int) -> str:
    """Return the text, or as much of its beginning as fits into so many cells, never before a
    mark."""
    if cell_len(text) <= cells:
        return text
    widths = accumulate(map(cell_len, letters := signs(text)))
    return "".join(letters[: sum(width < cells for width in widths)]).rstrip() + "…"
