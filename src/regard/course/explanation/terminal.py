"""An explanation in the terminal: each step's sentence, equation, shape and numbers."""

import shutil
import sys

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from regard.course.explanation.record import Explanation, Grid, grid, largest_keys, shape
from regard.figures.color import takes_color
from regard.figures.terminal import console, fitted, printed

ROWS = 12  # of a matrix, unless all are asked for
_LABEL, _CELL = 12, 8  # cells of the terminal for a row's name, and for a number and its gap


def explanation_text(
    explanation: Explanation,
    head: int = 0,
    *,
    width: int | None = None,
    color: bool | None = None,
    whole: bool = False,
) -> str:
    """All steps, one below the other, with the numbers of one head."""
    width = shutil.get_terminal_size().columns if width is None else width
    color = takes_color(sys.stdout) if color is None else color
    page = console(color, width=10_000 if whole else width)
    room = None if whole else max((width - _LABEL) // _CELL, 2)
    cut = False
    keys = None if room is None else largest_keys(explanation, head, ROWS, room)
    page.print(_heading(explanation, head, width))
    for number, step in enumerate(explanation.steps, start=1):
        columns = keys if keys is not None and step.columns == "keys" else room
        numbers = grid(explanation, step, head, rows=None if whole else ROWS, columns=columns)
        cut |= numbers.cut
        page.print()
        title = ((f"{number:>2} ", "dim"), (step.title, "bold"))
        size = (f"   {step.symbol}: {shape(step)}", "dim")
        page.print(Text.assemble(*title, size), soft_wrap=whole)
        page.print(Text(f"   {step.equation}", style="italic"), soft_wrap=True)
        for line in _wrapped(step.sentence, width - 3):
            page.print(Text(f"   {line}"))
        page.print(_numbers(numbers, largest=step.name == "weights"))
    for note in [*explanation.notes, *(["… --all shows every number, --json writes them."] * cut)]:
        page.print()
        for line in _wrapped(note, width):
            page.print(Text(line, style="dim"))
    return "\n".join(line.rstrip() for line in printed(page).splitlines())


def _heading(explanation: Explanation, head: int, width: int) -> Text:
    settings = explanation.settings
    parts = [settings.source if settings.tap is None else f"{settings.source}: {settings.tap}"]
    parts.append(f"score {settings.formula}, mask {settings.mask}")
    if settings.heads > 1:
        parts.append(f"head {head} of 0 to {settings.heads - 1}")
    return Text("\n".join(_wrapped(" · ".join(parts), width)), style="bold")


def _numbers(numbers: Grid, largest: bool) -> RichTable:
    table = RichTable(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("", justify="right", min_width=_LABEL - 1, max_width=_LABEL - 1, no_wrap=True)
    for name in numbers.columns:
        table.add_column(
            fitted(name, _CELL - 1), justify="right", min_width=_CELL - 1, no_wrap=True
        )
    for name, cells, row in zip(numbers.rows, numbers.cells, numbers.numbers, strict=True):
        most = max((number for number in row if number is not None), default=None)
        texts = [
            Text(cell, style=_style(number, most, largest))
            for cell, number in zip(cells, row, strict=True)
        ]
        table.add_row(Text(fitted(name, _LABEL - 1), style="dim"), *texts)
    return table


def _style(number: float | None, most: float | None, largest: bool) -> str:
    """Style of a number: dim if hidden; of weights the row's largest stands out."""
    if number is None:
        return "dim"
    return "bold color(208)" if largest and number == most and number > 0 else ""


def _wrapped(text: str, width: int) -> list[str]:
    return [line.plain for line in Text(text).wrap(Console(width=width), width)]
