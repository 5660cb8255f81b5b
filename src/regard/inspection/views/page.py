"""A page's questions about a trace, answered: one place for browser, notebook and file."""

import math
from dataclasses import fields
from typing import Any, cast, get_args

import numpy as np
from numpy.typing import NDArray

from regard.arrays import Array, as_numpy, without_gradients
from regard.errors import BadArgumentError, check_choice
from regard.inspection.answers import (
    AxisInfo,
    Cell,
    Looked,
    Looks,
    ModelTask,
    Quantity,
    TapInfo,
    TraceInfo,
)
from regard.inspection.tap import Tap, one
from regard.inspection.trace_data import TraceData
from regard.inspection.views import tiles
from regard.inspection.views.formula import formula, scale
from regard.inspection.views.tiles import Head, Tile

IN_A_CELL = 10  # of a row and of a column, with a cell


def describe(trace: TraceData, id: str) -> TraceInfo:
    """Everything about a trace but its numbers."""
    return TraceInfo(
        id=id,
        model=trace.model_name,
        task=cast(ModelTask, trace.task),
        text=trace.text,
        axes=trace.axes,
        taps=[_tap(tap) for tap in trace.values()],
        receipt=trace.receipt,
        generation=trace.generation,
        can_ablate=trace.rerun is not None,
        notes=trace.notes,
        can_rewrite=trace.can_rewrite,
        labels=trace.labels,
        nearest=trace.nearest,
    )


def thumbnails(trace: TraceData, tap: str, size: int) -> Tile:
    """Return a small picture of each head, block maxima: (heads, height, width)."""
    if not 1 <= size <= 256:
        raise BadArgumentError(f"size must be from 1 to 256; got {size}.")
    pictures, looked_at = tiles.thumbnails(trace[tap], size)
    return Tile(pictures, every=max(round(trace[tap].rows / max(looked_at, 1)), 1))


@without_gradients
def cell(trace: TraceData, tap: str, head: Head, query: int, key: int) -> Cell:
    """Every number behind one weight."""
    layer = trace[tap]
    if head == "mean":
        raise BadArgumentError(
            f"the numbers behind a weight are those of one head; choose 0 to {layer.heads - 1}."
        )
    layer.heads_of(head)
    rows = layer.rows_of(one("query", query, layer.rows))
    columns = layer.columns_of(one("key", key, layer.columns))
    unmasked = layer.of_head(head)._replace(mask=None)
    score = unmasked.scores(rows, columns, dtype="float32").item()
    allowed = layer.allowed(head, rows, columns)
    row = layer.row(head, query)
    weight, lse = float(row[key]), layer.lse(head, rows).item()
    value_norm = None if layer.value_norms is None else float(layer.value_norms[0, head, key])
    in_row = looks(trace, tap, head, query=query, k=IN_A_CELL)
    key_head = head // (layer.heads // layer.key_heads)
    vectors = (layer.query[0, head, query], layer.key[0, key_head, key])
    query_vector, key_vector = (layer.arrays.converted(vector, "float64") for vector in vectors)
    alike = query_vector.shape == key_vector.shape
    return Cell(
        tap=tap,
        head=head,
        query=query,
        key=key,
        query_token=trace.axes[layer.queries].tokens[query],
        key_token=trace.axes[layer.keys].tokens[key],
        query_vector=query_vector.tolist(),
        key_vector=key_vector.tolist(),
        value_vector=layer.arrays.converted(layer.value[0, key_head, key], "float64").tolist(),
        dot=float(query_vector @ key_vector) if alike else None,
        scale=scale(layer.score, layer.head_dim),
        score=_finite(score),
        bias=None if layer.bias is None else _finite(_at(layer.bias, head, query, key)),
        allowed=(allowed is None or bool(allowed)) and score != float("-inf"),
        lse=_finite(lse),
        weight=weight,
        value_norm=value_norm,
        norm=None if value_norm is None else weight * value_norm,
        row=in_row.looks,
        row_rest=in_row.rest,
        row_entropy=entropy(as_numpy(row).astype(np.float64)),
        column=looks(trace, tap, head, key=key, k=IN_A_CELL).looks,
    )


def looks(
    trace: TraceData,
    tap: str,
    head: Head,
    *,
    query: int | None = None,
    key: int | None = None,
    k: int = 20,
    quantity: Quantity = "weight",
) -> Looks:
    """Keys that a query looks at most, or queries that look most at a key; none that is masked."""
    layer = trace[tap]
    if (query is None) == (key is None):
        raise BadArgumentError("give either a query, for its row, or a key, for its column.")
    if k < 1:
        raise BadArgumentError(f"k must be at least 1; got {k}.")
    check_choice("quantity", quantity, get_args(Quantity))
    rows = slice(None) if query is None else one("query", query, layer.rows)
    columns = slice(None) if key is None else one("key", key, layer.columns)
    heads = range(layer.heads) if head == "mean" else layer.heads_of(head)
    which = (layer.rows_of(rows), layer.columns_of(columns))
    seen = [tiles.visible(layer, number, *which, quantity) for number in heads]
    values = layer.arrays.library.stack(seen).mean(0).reshape(-1)
    return _looks(
        as_numpy(values),
        trace.axes[layer.keys if key is None else layer.queries],
        k,
        quantity != "score",
    )


def _tap(tap: Tap) -> TapInfo:
    """Return the tap's own attributes, but for its score and the quantities that are known."""
    norm: list[Quantity] = [] if tap.output_weight is None else ["norm"]
    facts: dict[str, Any] = {fact.name: getattr(tap, fact.name, None) for fact in fields(TapInfo)}
    return TapInfo(**facts | {"score": formula(tap), "quantities": ["weight", *norm, "score"]})


def entropy(row: NDArray[np.float64]) -> float:
    """-Σ α log₂ α of a row of weights, (keys,), in bits."""
    seen = row[row > 0]
    return float(-(seen * np.log2(seen)).sum())


def _looks(values: NDArray[Any], axis: AxisInfo, k: int, adds_up: bool = True) -> Looks:
    """Return the k largest that the mask allows, and the sum of the others; scores have no sum."""
    values = values.astype(np.float64)
    top = np.argsort(-np.nan_to_num(values, nan=-np.inf), kind="stable")[:k].tolist()
    seen = [
        Looked(position, axis.tokens[position], float(values[position]))
        for position in top
        if values[position] > -np.inf
    ]
    rest = float(np.nansum(values)) - sum(look.weight for look in seen)
    return Looks(seen, max(rest, 0.0) if adds_up else 0.0)


def _at(bias: Array, *where: int) -> float:
    """Return the first sequence's entry of a bias whose heads, rows or columns may be one for
    all."""
    index = (at if size > 1 else 0 for at, size in zip(where, bias.shape[1:], strict=True))
    return float(bias[(0, *index)])


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
