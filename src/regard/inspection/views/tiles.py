"""Maps as a street map has them: tiles at levels, from the whole sequence down to single cells.

At level l a cell covers 2^l x 2^l positions and shows their maximum or mean. The maximum is there
because a mean hides what people look for: one strong cell among thousands of weak ones.
"""

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from regard.arrays import Array, arrays_of, as_numpy, pieces
from regard.errors import BadArgumentError, check_choice
from regard.inspection.answers import Group, Quantity, Reduce
from regard.inspection.tap import TILE_COLUMNS, TILE_ROWS, Tap
from regard.inspection.trace_data import TraceData

Spans = Sequence[tuple[int, int]]
"""Half-open ranges of positions, in order and apart: the words or sentences of an axis."""


class Cells:
    """The cells of a tile along one axis, and the positions that they cover."""

    def __init__(
        self, length: int, spans: Spans | None, level: int, first: int, count: int, name: str
    ) -> None:
        self.spans = spans
        if not 0 <= level <= 40:
            raise BadArgumentError(f"level must be from 0, single positions, to 40; got {level}.")
        self.block = 2**level
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
        """Return some of the cells, counted from this tile's first."""
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


LARGEST_TILE = 2**22  # cells

Head = int | Literal["mean"]


@dataclass(frozen=True)
class TileRequest:
    """A rectangle of cells of a head's map, or of the mean over heads. What reaches beyond the map
    is cut off."""

    tap: str
    head: Head
    level: int = 0  # a cell covers 2^level x 2^level positions
    row: int = 0  # of the first cell
    column: int = 0
    height: int = 256  # in cells
    width: int = 256
    quantity: Quantity = "weight"  # α; "norm", ‖α·f(x)‖; or "score", before the softmax
    reduce: Reduce = "max"  # or "mean": what a cell shows of the positions that the mask allows
    group: Group = "token"  # what a position is: a token, a word or a sentence
    every: int = 1  # row stride, a power of two: a preview of a large tile reads every n-th row


@dataclass(frozen=True, eq=False)
class Tile:
    """A rectangle of cells of one level, and how it travels to a page."""

    values: NDArray[np.float32]  # (…, height, width); NaN where the mask forbids all of a cell
    level: int = 0
    row: int = 0  # of its first cell
    column: int = 0
    quantity: str = "weight"
    reduce: str = "max"
    every: int = 1  # row stride; 1: every row was read

    def to_bytes(self) -> bytes:
        """float32, little-endian, row-major; NaN is masked."""
        return np.ascontiguousarray(self.values, dtype="<f4").tobytes()

    def headers(self) -> dict[str, str]:
        """Headers of HTTP that describe the bytes."""
        return {
            "X-Regard-Shape": ",".join(map(str, self.values.shape)),
            "X-Regard-Origin": f"{self.row},{self.column}",
            "X-Regard-Level": str(self.level),
            "X-Regard-Quantity": self.quantity,
            "X-Regard-Reduce": self.reduce,
            "X-Regard-Every": str(self.every),
            "X-Regard-Dtype": "float32",
        }


def tile_of(trace: TraceData, request: TileRequest) -> Tile:
    """Return the tile of a trace that is requested; `tile` says what it raises."""
    tap = trace[request.tap]
    return tile(
        tap,
        request,
        row_spans=spans(trace, tap.queries, request.group),
        column_spans=spans(trace, tap.keys, request.group),
    )


def spans(trace: TraceData, axis: str, group: Group) -> Spans | None:
    """Spans that one row or column stands for: None for tokens, and where no words are known."""
    check_choice("group", group, get_args(Group))
    info = trace.axes[axis]
    return {"token": None, "word": info.words, "sentence": info.sentences}[group]


def tile(
    tap: Tap,
    request: TileRequest,
    *,
    row_spans: Spans | None = None,
    column_spans: Spans | None = None,
) -> Tile:
    """Return the tile of a layer's map that is requested, of the first sequence of the batch.

    >>> trace = regard.load("en-de").trace("Where is the station?")
    >>> request = TileRequest("decoder.layers.1.cross", head=1, height=2, width=3)
    >>> tile(trace[request.tap], request).values.shape
    (2, 3)

    Args:
        row_spans, column_spans: words or sentences instead of positions, as `request.group` names
            them. What a word is looked at is the sum over its pieces, what it looks at the mean
            over its pieces' rows.

    Raises:
        BadArgumentError: a tile that begins outside the map or is too large, an unknown name.
    """
    level, every, reduce = request.level, request.every, request.reduce
    rows = Cells(tap.rows, row_spans, level, request.row, request.height, "row")
    columns = Cells(tap.columns, column_spans, level, request.column, request.width, "column")
    check_choice("quantity", request.quantity, get_args(Quantity))
    check_choice("reduce", reduce, get_args(Reduce))
    if every < 1 or every & (every - 1):
        raise BadArgumentError(f"every must be a power of two; got {every}.")
    if len(rows) * len(columns) > LARGEST_TILE:
        raise BadArgumentError(
            f"a tile may have {LARGEST_TILE:,} cells; got {len(rows)} x {len(columns)}."
            " Ask for a smaller one, or a coarser level."
        )
    request = replace(request, every=min(every, 2**level) if row_spans is None else 1)
    values = np.full((len(rows), len(columns)), np.nan, dtype=np.float32)
    for top, bottom in rows.strips(TILE_ROWS * request.every):
        for left, right in columns.strips(TILE_COLUMNS):
            part = cells(tap, request, rows.part(top, bottom), columns.part(left, right))
            if part is not None:
                values[top:bottom, left:right] = as_numpy(part)
    every = request.every
    return Tile(values, level, request.row, request.column, request.quantity, reduce, every)


def thumbnails(tap: Tap, size: int = 48, *, rows: int = 512) -> tuple[NDArray[np.float32], int]:
    """Return a small picture of each head, (heads, height, width) of block maxima with sides of at
    most `size`, and how many rows were looked at: at least one in each block, about `rows` in all.

    >>> trace = regard.load("en-de").trace("Where is the station?")
    >>> pictures, rows = thumbnails(trace["decoder.layers.1.cross"], size=3)
    >>> pictures.shape
    (4, 3, 3)
    """
    block = -(-max(tap.rows, tap.columns) // size)
    height, width = -(-tap.rows // block), -(-tap.columns // block)
    step = max(tap.rows // rows, 1)
    every = tap.positions(tap.rows)
    looked_at = every[min(step // 2, tap.rows - 1) :: step]
    if int(looked_at[-1]) != tap.rows - 1:  # the last block may be short
        looked_at = tap.arrays.library.concatenate([looked_at, every[-1:]])
    pictures = np.full((tap.heads, height, width), np.nan, dtype=np.float32)
    for head in range(tap.heads):
        for strip in pieces(looked_at, TILE_ROWS):
            for left in range(0, width, max(TILE_COLUMNS // block, 1)):
                right = min(left + max(TILE_COLUMNS // block, 1), width)
                columns = tap.positions(tap.columns)[left * block : right * block]
                if tap.is_seen(head, strip, columns, 0):
                    maxima = largest(tap, head, strip, columns, "weight", 1, block)
                    place = as_numpy(strip // block)
                    np.fmax.at(pictures[head, :, left:right], place, as_numpy(maxima))
    return pictures, len(looked_at)


def cells(tap: Tap, request: TileRequest, rows: Cells, columns: Cells) -> Array | None:
    """Return a few rows and columns of cells; None where the mask forbids all of them."""
    head, quantity, reduce, every = request.head, request.quantity, request.reduce, request.every
    of_rows = tap.positions(tap.rows)[slice(*rows.range, every)]
    of_columns = tap.positions(tap.columns)[slice(*columns.range)]
    first_head = 0 if head == "mean" else tap.heads_of(head)[0]
    if not tap.is_seen(first_head, of_rows, of_columns, 0):
        return None
    height, width = max(rows.block // every, 1), columns.block
    if head != "mean" and reduce == "max" and rows.spans is None and columns.spans is None:
        return largest(tap, head, of_rows, of_columns, quantity, height, width)
    heads = range(tap.heads) if head == "mean" else [head]
    parts = [visible(tap, number, of_rows, of_columns, quantity) for number in heads]
    seen = tap.arrays.library.stack(parts).mean(0)
    if columns.inner_spans is not None:
        seen = grouped(seen.mT, columns.inner_spans, "sum").mT
    if rows.inner_spans is not None:
        seen = grouped(seen, rows.inner_spans, "mean")
    return block_reduced(seen, height, width, reduce)


def largest(
    tap: Tap, head: int, rows: Array, columns: Array, quantity: str, height: int, width: int
) -> Array:
    """Block maxima, found among logarithms: so only the largest of a block is exponentiated."""
    if quantity == "score":
        logs = tap.tile_of_scores(head, rows, columns)
    else:
        logs = tap.log_weights(head, rows, columns)
    if quantity == "norm":
        logs = logs + tap.arrays.library.log(tap.norms_of_keys(head, columns))
    logs = block_maxima(logs, height, width)
    hidden = logs == float("-inf")
    values = logs if quantity == "score" else tap.arrays.library.exp(logs)
    return tap.arrays.filled(values, hidden, float("nan"))


def visible(tap: Tap, head: int, rows: Array, columns: Array, quantity: str) -> Array:
    """Return the quantity at those rows and columns, NaN where the mask forbids."""
    allowed = tap.allowed(head, rows, columns)
    if quantity == "score":
        values = tap.tile_of_scores(head, rows, columns)
    else:
        values = tap.tile(head, rows, columns)
    if quantity == "norm":
        values = values * tap.norms_of_keys(head, columns)
    return values if allowed is None else tap.arrays.filled(values, ~allowed, float("nan"))


def block_maxima(values: Array, height: int, width: int) -> Array:
    """Return the maximum of each block; those at the edges are of what there is."""
    if height == width == 1:
        return values
    values, library = padded(values, height, width, float("-inf")), arrays_of(values).library
    # Along the rows first: a vector register takes the maximum of neighboring columns last.
    tall = library.amax(values.reshape(-1, height, values.shape[1]), 1)
    return library.amax(tall.reshape(len(tall), -1, width), 2)


def padded(values: Array, height: int, width: int, value: float) -> Array:
    """Rows and columns, (rows, columns), up to whole blocks."""
    rows, columns = values.shape
    arrays = arrays_of(values)
    if columns % width:
        values = arrays.padded(values, -columns % width, value)
    return arrays.padded(values.mT, -rows % height, value).mT if rows % height else values


def block_reduced(values: Array, height: int, width: int, reduce: str) -> Array:
    """Return the maximum or mean of each block's entries that are not NaN; NaN where none is."""
    if height == width == 1:
        return values
    arrays = arrays_of(values)
    if reduce == "max":
        values = arrays.filled(values, arrays.library.isnan(values), float("-inf"))
        top = block_maxima(values, height, width)
        return arrays.filled(top, top == float("-inf"), float("nan"))
    blocks = padded(values, height, width, float("nan"))
    blocks = blocks.reshape(len(blocks) // height, height, -1, width)
    seen = (~arrays.library.isnan(blocks)).sum((1, 3))
    with np.errstate(invalid="ignore"):  # 0 / 0 is the NaN of an empty block
        return arrays.floats(arrays.library.nansum(blocks, (1, 3)) / seen)


def grouped(values: Array, spans: Spans, how: str) -> Array:
    """Return the sum or mean of the rows of each span; NaN where all of them are."""
    arrays = arrays_of(values)
    parts = []
    for start, end in spans:
        hidden = arrays.library.isnan(part := values[start:end])
        total = arrays.library.nansum(part, 0)
        total = total / (end - start) if how == "mean" else total
        parts.append(arrays.filled(total, hidden.all(0), float("nan")))
    return arrays.library.stack(parts) if parts else values[:0]
