"""Attention step by step with its numbers: the one contract of `regard explain`, page and sheet."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from regard.errors import unknown
from regard.figures.style import visible

Matrix = list[list[float | None]]
"""Rows of numbers; None stands for −∞, hidden by the mask: JSON has no infinity."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """A matrix, or one for each head, and what its axes are."""

    name: str  # "query"
    symbol: str  # as equations write it, "Q"
    rows: str  # names of dimensions; "queries" and "keys" are labeled by tokens
    columns: str
    per_head: bool  # whether `values` has a matrix for each head; otherwise it has one
    shape: list[int]  # (heads, rows, columns) where per_head, else (rows, columns)
    values: list[Matrix]

    @property
    def array(self) -> NDArray[np.float64]:
        """The numbers, (heads or 1, rows, columns); -inf where the mask hides."""
        array = np.array(self.values, dtype=np.float64)  # None becomes NaN
        return np.where(np.isnan(array), -np.inf, array)


@dataclass(frozen=True, kw_only=True)
class Step(Table):
    """Result on the way from tokens to a layer's output."""

    title: str
    sentence: str  # what happens, in one
    equation: str
    inputs: list[str]  # names of the steps and parameters that it is computed from


@dataclass(frozen=True)
class Settings:
    """Settings of the attention that is explained."""

    source: str  # "words-en", a model's name, or "vectors"
    tap: str | None  # "encoder.layers.0.self"; None without a model
    score: str  # "scaled_dot"
    formula: str  # the same to be read, "q·k / √4"
    mask: str  # "none", "causal", …
    temperature: float
    positions: bool  # whether positions are added here; a model's vectors have them already
    heads: int
    key_heads: int
    head_dim: int
    d_model: int
    norm: str | None  # "layer" or "rms", where a model has one around the layer

    @property
    def about(self) -> str:
        """Line that names what is explained, without its full stop."""
        what = self.source if self.tap is None else f"{self.tap} of {self.source}"
        return f"Attention step by step: {what}, score {self.formula}, mask {self.mask}"

    def key_head(self, head: int) -> int:
        """Head of keys and values that serves a head of queries."""
        return head // (self.heads // self.key_heads)


@dataclass(frozen=True)
class Explanation:
    """Everything that one attention layer computes for one text, in order."""

    tokens: list[str]  # of the queries
    key_tokens: list[str]  # of the keys: the same but in cross-attention
    settings: Settings
    steps: list[Step]
    parameters: list[Table]
    notes: list[str] = field(default_factory=list)

    def __getitem__(self, name: str) -> Table:
        """Return the step or parameter of that name. Raises BadArgumentError for an unknown
        name."""
        for table in self:
            if table.name == name:
                return table
        raise unknown("step", name, [table.name for table in self])

    def __iter__(self) -> Iterator[Table]:
        yield from self.steps
        yield from self.parameters

    def __contains__(self, name: str) -> bool:
        return any(table.name == name for table in self)

    def labels(self, axis: str) -> list[str] | None:
        """Names of an axis's positions; None if they are numbers only."""
        return {"queries": self.tokens, "keys": self.key_tokens}.get(axis)


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
    columns: int | Sequence[int] | None = None,
    digits: int = 2,
) -> Grid:
    """Return the matrix of one head, or the only one.

    Args:
        head: of the queries; keys and values that heads share are found by it.
        columns: how many, the first ones; or which.
    """
    matrix = table.values[matrix_of(explanation, table, head)]
    height, width = len(matrix), len(matrix[0])
    shown_rows, more_rows = _cut(height, rows)
    if isinstance(columns, Sequence):
        shown_columns, more_columns = [*columns], len(columns) < width
    else:
        count, more_columns = _cut(width, columns)
        shown_columns = [*range(count)]
    numbers = [[row[place] for place in shown_columns] for row in matrix[:shown_rows]]
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
        rows=_names(explanation, table.rows, [*range(shown_rows)], more_rows),
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


def largest_keys(explanation: Explanation, head: int, rows: int, count: int) -> list[int] | None:
    """Return the keys that the first rows give most weight to, in the order of the text, as many as
    there is room for beside an ellipsis; None where there is room for all."""
    weights = explanation["weights"]
    matrix = weights.values[matrix_of(explanation, weights, head)][:rows]
    if len(matrix[0]) <= count:
        return None
    most = [max(row[key] or 0 for row in matrix) for key in range(len(matrix[0]))]
    return sorted(sorted(range(len(most)), key=lambda key: -most[key])[: max(count - 1, 1)])


def _names(explanation: Explanation, axis: str, places: list[int], more: bool) -> list[str]:
    labels: Sequence[str] | None = explanation.labels(axis)
    names = (
        visible([labels[place] for place in places])
        if labels
        else [str(place) if axis else "" for place in places]
    )
    return [*names, MORE] if more else names
