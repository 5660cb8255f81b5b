"""An explanation as Markdown: a section for each step, a table for its numbers."""

from regard.explanation.grid import Grid, grid, shape
from regard.explanation.record import Explanation

ROWS, COLUMNS = 16, 12


def explanation_markdown(explanation: Explanation, head: int = 0, *, whole: bool = False) -> str:
    """All steps with the numbers of one head.

    Args:
        whole: every row and column, not the first ones only.
    """
    settings = explanation.settings
    words = _escaped(" ".join(explanation.tokens))
    about = settings.about + (f", head {head}." if settings.heads > 1 else ".")
    lines = [f"# {words}", "", about]
    cut = False
    for number, step in enumerate(explanation.steps, start=1):
        limits = (None, None) if whole else (ROWS, COLUMNS)
        numbers = grid(explanation, step, head, rows=limits[0], columns=limits[1])
        cut |= numbers.cut
        lines += ["", f"## {number}. {step.title}", "", step.sentence, ""]
        lines += [f"`{step.equation}` — {shape(step)}", "", *_table(numbers)]
    notes = [*explanation.notes, *(["… marks what is left out; `--all` writes everything."] * cut)]
    return "\n".join([*lines, *(line for note in notes for line in ("", f"> {note}"))]) + "\n"


def _table(numbers: Grid) -> list[str]:
    head = [numbers.corner.replace("\\", "\\\\"), *map(_escaped, numbers.columns)]
    lines = [head, ["---", *["--:"] * len(numbers.columns)]]
    lines += [
        [f"**{_escaped(name)}**" if name else "", *cells]
        for name, cells in zip(numbers.rows, numbers.cells, strict=True)
    ]
    return [f"| {' | '.join(line)} |" for line in lines]


def _escaped(text: str) -> str:
    """A token is not to be read as Markdown or HTML."""
    return "".join(f"\\{mark}" if mark in r"\`*_{}[]<>#|~!&" else mark for mark in text)
