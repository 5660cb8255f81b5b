"""Heads that look from one position to another, over all layers."""

from dataclasses import dataclass

from regard.arrays import without_gradients
from regard.errors import BadArgumentError
from regard.inspection.tap import one
from regard.inspection.trace_data import TraceData

LITTLE = 0.01  # of a row: 1 - α₀ of float32 numbers has too few digits below


@dataclass(frozen=True)
class Look:
    """The weight of one head at one cell."""

    tap: str
    head: int
    weight: float


@without_gradients
def between(
    trace: TraceData, tap: str, query: int, key: int, *, count: int = 10, sink: bool = True
) -> list[Look]:
    """Return the heads with most weight from a query to a key, largest first, of all layers that
    compare the same two sequences as `tap`. Of each head two cells are computed, and a row
    where the sink leaves little, never its map.

    Args:
        sink: False leaves the first key out of the row (attention sinks: Xiao et al. 2024, section
            3.1): the weights of the others, α / (1 - α₀), add up to 1, and its own is 0.

    Raises:
        BadArgumentError: a position that is not there, or a count below 1.
    """
    if count < 1:
        raise BadArgumentError(f"count must be at least 1; got {count}.")
    axes = (trace[tap].queries, trace[tap].keys)
    looks = []
    for layer in (each for each in trace.values() if (each.queries, each.keys) == axes):
        rows = layer.rows_of(one("query", query, layer.rows))
        column = layer.columns_of(one("key", key, layer.columns))
        first = layer.columns_of(slice(0, 1))
        for head in range(layer.heads):
            weight = float(layer.tile(head, rows, column)[0, 0])
            if not sink:
                rest = 1 - float(layer.tile(head, rows, first)[0, 0])
                if rest < LITTLE:
                    rest = float(layer.row(head, query)[1:].sum())
                weight = weight / rest if key > 0 and rest > 0 else 0.0
            looks.append(Look(layer.name, head, weight))
    return sorted(looks, key=lambda look: -look.weight)[:count]
