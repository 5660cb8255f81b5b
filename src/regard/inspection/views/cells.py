"""The cells along one axis of a tile: which positions, words or sentences each of them covers."""

from collections.abc import Iterator, Sequence
from copy import copy

from regard.errors import BadArgumentError

Spans = Sequence[tuple[int, int]]
"""Half-open ranges of positions, in order and apart: the words or sentences of an axis."""


class Cells:
    """The cells of a tile along one axis, and the positions that they cover."""

    def __init__(
        self, length: int, spans: Spans | None, level: int, first: int, count: int, name: str
    ) -> None:
        self.spans = spans
        self.block = 2 ** check_level(level)
        total = -(-(length if spans is None else len(spans)) // self.block)
        if not 0 <= first < max(total, 1) or count < 1:
            raise BadArgumentError(
                f"{name} must be from 0 to {max(total - 1, 0)} at level {level}, and the tile at"
                f" least one cell wide; got {name} {first} and {count} cells."
            )
        self.first, self.last = first, min(first + count, total)
        self.length = length

    def __len__(self) -> int:
        return self.last - self.first

    def part(self, first: int, last: int) -> "Cells":
        """Some of the cells, counted from this tile's first."""
        part = copy(self)
        part.first, part.last = self.first + first, self.first + last
        return part

    @property
    def members(self) -> tuple[int, int]:
        """The positions or spans that the cells cover."""
        total = self.length if self.spans is None else len(self.spans)
        return self.first * self.block, min(self.last * self.block, total)

    @property
    def range(self) -> tuple[int, int]:
        """The positions from the first cell's first to the last cell's last."""
        start, end = self.members
        if self.spans is None:
            return start, end
        return self.spans[start][0], self.spans[end - 1][1]

    @property
    def inner_spans(self) -> Spans | None:
        """The spans, counted from the first position in range."""
        if self.spans is None:
            return None
        start = self.range[0]
        return [(a - start, b - start) for a, b in self.spans[slice(*self.members)]]

    def strips(self, positions: int) -> Iterator[tuple[int, int]]:
        """Cuts the cells into runs of at most so many positions, but of one cell at least."""
        first = 0
        while first < len(self):
            last = first + max(positions // self.block, 1) if self.spans is None else first + 1
            last = min(last, len(self))
            while self.spans is not None and last < len(self):
                start, end = self.part(first, last + 1).range
                if end - start > positions:
                    break
                last += 1
            yield first, last
            first = last


def check_level(level: int) -> int:
    if not 0 <= level <= 40:
        raise BadArgumentError(f"level must be from 0, single positions, to 40; got {level}.")
    return level
