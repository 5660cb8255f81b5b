"""A step's numbers as a grid of short texts, cut where a reader would not read on."""

from collections.abc import Sequence
from dataclasses import dataclass

from regard.explanation.record import Explanation, Table
from regard.figures.style import visible

HIDDEN = "−∞"
MORE = "…"
_ONE = {"heads": "head", "queries": "query", "keys": "key"}


@dataclass(frozen=True)
class Grid:
    """Matrix to be printed; where it is cut, its last row or column is of ellipses."""

    corner: str  # names of the axes, "queries \\ keys"
    columns: list[str]
    rows: list[str]
    cells: list[list[str]]
    numbers: list[list[float | None]]  # of the cells; None where hidden, and of ellipses
    cut: bool


def grid(
    explanation: Explanation,
    table: Table,
    head: int = 0,
    *,
    rows: int | None = None,
    columns: int | None = None,
    digits: int = 2,
) -> Grid:
    """The matrix of one head, or the only one.

    Args:
        head: of the queries; keys and values that heads share are found by it.
    """
    matrix = table.values[matrix_of(explanation, table, head)]
    height, width = len(matrix), len(matrix[0])
    shown_rows, more_rows = _cut(height, rows)
    shown_columns, more_columns = _cut(width, columns)
    numbers = [row[:shown_columns] for row in matrix[:shown_rows]]
    cells = [[written(number, digits) for number in row] for row in numbers]
    if more_columns:
        cells = [[*row, MORE] for row in cells]
        numbers = [[*row, None] for row in numbers]
    if more_rows:
        cells.append([MORE] * len(cells[0]))
        numbers.append([None] * len(cells[0]))
    return Grid(
        corner=" \\ ".join(name for name in (table.rows, table.columns) if name),
        columns=_names(explanation, table.columns, shown_columns, more_columns),
        rows=_names(explanation, table.rows, shown_rows, more_rows),
        cells=cells,
        numbers=numbers,
        cut=more_rows or more_columns,
    )


def matrix_of(explanation: Explanation, table: Table, head: int) -> int:
    """Index of a query head's matrix in a table: several heads may share one of keys."""
    if not table.per_head:
        return 0
    return head // (explanation.settings.heads // len(table.values))


def written(number: float | None, digits: int = 2) -> str:
    """Write a number with the minus sign of print; −∞ if it is hidden."""
    if number is None:
        return HIDDEN
    text = f"{number:.{digits}f}"
    return (text[1:] if float(text) == 0 and number < 0 else text).replace("-", "−")


def shape(table: Table) -> str:
    """ "4 heads × 9 queries × 64 head_dim", without axes that have one position and no name."""
    names = (["heads"] if table.per_head else []) + [table.rows, table.columns]
    axes = zip(table.shape, names, strict=True)
    sizes = (f"{size} {_ONE.get(name, name) if size == 1 else name}" for size, name in axes if name)
    return " × ".join(sizes) or "one number"


def _cut(count: int, limit: int | None) -> tuple[int, bool]:
    """Count to show, and whether an ellipsis takes the place of the last."""
    return (count, False) if limit is None or count <= limit else (max(limit - 1, 1), True)


def _names(explanation: Explanation, axis: str, count: int, more: bool) -> list[str]:
    labels: Sequence[str] | None = explanation.labels(axis)
    names = (
        visible(labels[:count])
        if labels
        else [str(place) if axis else "" for place in range(count)]
    )
    return [*names, MORE] if more else names
