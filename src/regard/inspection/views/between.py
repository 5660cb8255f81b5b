"""Heads of all layers that look from one word at another: of each a few cells, of none its map."""

from collections.abc import Sequence
from dataclasses import dataclass

from regard.arrays import without_gradients
from regard.errors import BadArgumentError, check_choice
from regard.inspection.hiding import placed
from regard.inspection.tap import Tap, one
from regard.inspection.trace_data import TraceData

LITTLE = 0.01  # of a row: 1 - α₀ of float32 numbers has too few digits below


@dataclass(frozen=True)
class Look:
    """The weight of one head from one word to another."""

    tap: str
    head: int
    weight: float

    @property
    def name(self) -> str:
        """The head as `without` names it, "decoder.layers.2.self:1"."""
        return f"{self.tap}:{self.head}"


@without_gradients
def between(
    trace: TraceData,
    axes: tuple[str, str],
    queries: Sequence[int],
    keys: Sequence[int],
    *,
    count: int = 10,
    sink: bool = True,
) -> list[Look]:
    """Return the heads with most weight from queries to keys, largest first, of all layers that
    look between these axes. Over the keys the sum counts, over the queries the mean.

    Args:
        sink: False leaves the first key out of a row (attention sinks: Xiao et al. 2024, section
            3.1): the weights of the others, α / (1 - α₀), add up to 1, and its own is 0.

    Raises:
        BadArgumentError: a position that is not there, or a count below 1.
    """
    if count < 1:
        raise BadArgumentError(f"count must be at least 1; got {count}.")
    looks = [
        Look(tap.name, head, sum(_weight(tap, head, q, keys, sink) for q in queries) / len(queries))
        for tap in trace.values()
        if (tap.queries, tap.keys) == axes
        for head in range(tap.heads)
    ]
    return sorted(looks, key=lambda look: -look.weight)[:count]


def between_words(
    trace: TraceData,
    query: int | str,
    key: int | str,
    *,
    axes: tuple[str, str] | None = None,
    count: int = 10,
    sink: bool = True,
) -> list[Look]:
    """Return the same for words.

    Args:
        query, key: positions, or words that stand once, as `looks` of a trace names them: on an
            axis that predicts, a query is the row in which the word began to be predicted.
        axes: of the query and of the key; by default what was written, and what was read first.

    Raises:
        BadArgumentError: as `between`; axes between which no layer looks, or a word that is not
            there, or is there several times.
    """
    names = list(trace.axes)
    axes = (names[-1], names[0]) if axes is None else (axes[0], axes[1])
    known = dict.fromkeys(" and ".join(trace.axes_of(name)) for name in trace)
    check_choice("axes", " and ".join(axes), known)
    for name, place, axis in (("query", query, axes[0]), ("key", key, axes[1])):
        if not isinstance(place, str):
            one(name, place, len(trace.axes[axis].tokens))
    pairs = placed([(str(query), str(key))], trace.axes, axes)
    rows, columns = (sorted({int(pair[side]) for pair in pairs}) for side in (0, 1))
    return between(trace, axes, rows, columns, count=count, sink=sink)


def _weight(tap: Tap, head: int, query: int, keys: Sequence[int], sink: bool) -> float:
    row = tap.rows_of(one("query", query, tap.rows))
    weight = sum(
        float(tap.tile(head, row, tap.columns_of(one("key", key, tap.columns)))[0, 0])
        for key in keys
        if sink or key > 0
    )
    if sink:
        return weight
    rest = 1 - float(tap.tile(head, row, tap.columns_of(slice(0, 1)))[0, 0])
    if rest < LITTLE:
        rest = float(tap.row(head, query)[1:].sum())
    return weight / rest if rest > 0 else 0.0
