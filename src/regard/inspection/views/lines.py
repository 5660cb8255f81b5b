"""A small map as lines between tokens or words, as the flow and the translation show it."""

from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np

from regard.errors import BadArgumentError
from regard.inspection.answers import Group, Quantity
from regard.inspection.trace_data import TraceData
from regard.inspection.views.labels import labels, query_labels
from regard.inspection.views.part import LARGEST_SIDE, SIGNS
from regard.inspection.views.tiles import Head, TileRequest, spans, tile

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def lines(
    trace: TraceData,
    tap: str,
    heads: Sequence[Head],
    *,
    quantity: Quantity = "weight",
    group: Group = "token",
    focus: Sequence[int] = (),
    at_output: bool = False,
) -> "Figure":
    """A figure with a line for each weight, in one color per head.

    Args:
        heads: one or several of the layer's, or "mean".
        focus: the rows whose lines are wanted, in tokens; all of them if empty.
        at_output: a row for each unit of the output, of the steps that predict it, instead of those
            that read it.

    Raises:
        BadArgumentError: a tap or head that is not there, more tokens or heads than a figure holds.
    """
    layer = trace[tap]
    columns, column_spans = labels(trace, layer.keys, group), spans(trace, layer.keys, group)
    row_spans = spans(trace, layer.queries, group) or [(row, row + 1) for row in range(layer.rows)]
    rows = query_labels(trace, layer.queries, group)
    if at_output:
        # The row before a unit's first token predicts it; nothing predicts the first of all.
        units = zip(labels(trace, layer.queries, group), row_spans, strict=True)
        written = [(label, first - 1, last - 1) for label, (first, last) in units if first > 0]
        rows = [label for label, _, _ in written]
        row_spans = [(first, last) for _, first, last in written]
    if not (0 < len(rows) <= LARGEST_SIDE and 0 < len(columns) <= LARGEST_SIDE):
        raise BadArgumentError(
            f"a figure of lines has from 1 to {LARGEST_SIDE:,} rows and columns; {tap} has"
            f" {len(rows):,} x {len(columns):,}."
        )
    maps = []
    for head in heads:
        request = TileRequest(tap, head, 0, 0, 0, len(rows), len(columns), quantity, group=group)
        maps.append(tile(layer, request, row_spans=row_spans, column_spans=column_spans).values)
    followed = [
        place
        for place, (first, last) in enumerate(row_spans)
        if any(first <= row < last for row in focus)
    ]
    from regard.figures.flow import flow

    names = ["mean over heads" if head == "mean" else f"head {head}" for head in heads]
    return flow(
        np.stack(maps),
        rows,
        columns,
        heads=names if len(names) > 1 else None,
        focus=followed or None,
        title=", ".join([f"{PurePath(trace.model_name).name}: {tap}", *names[: len(names) == 1]]),
        quantity=SIGNS[quantity],
        row_name=layer.queries,
        column_name=layer.keys,
    )
