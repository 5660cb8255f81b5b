"""Attention step by step with its numbers: the one contract of `regard explain`, page and sheet."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from regard.errors import unknown

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
        """The step or parameter of that name. Raises BadArgumentError for an unknown name."""
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
