"""Heads that look from one word at another: of each a few cells, of none its map."""

from __future__ import annotations

from dataclasses import dataclass

from regard.errors import BadArgumentError, check_choice
from regard.inspection.hiding import placed
from regard.inspection.trace_data import TraceData


@dataclass(frozen=True)
class HeadWeight:
    """Weight that a head gives from one word to another."""

    tap: str
    head: int
    weight: float

    @property
    def name(self) -> str:
        """The head as `without` names it, "decoder.layers.2.self:1"."""
        return f"{self.tap}:{self.head}"


def between(
    trace: TraceData, query: int | str, key: int | str, *, axes: tuple[str, str] | None = None
) -> list[HeadWeight]:
    """Return the weight of each head between two words, the largest first: over the pieces of the
    key the sum, over those of the query the mean.

    Args:
        query, key: positions, or words that stand once, as `looks` of a trace names them: on an
            axis that predicts, a query is the row in which the word began to be predicted.
        axes: of the query and of the key; by default what was written, and what was read first.

    Raises:
        BadArgumentError: axes between which no layer looks, or a position or a word that is not
            there, or is there several times.
    """
    names = list(trace.axes)
    axes = (names[-1], names[0]) if axes is None else axes
    taps = {name: tap for name in trace if trace.axes_of(name) == axes for tap in [trace[name]]}
    if not taps:
        pairs_of_axes = dict.fromkeys(" and ".join(trace.axes_of(name)) for name in trace)
        check_choice("axes", " and ".join(axes), pairs_of_axes)
    pairs = placed([(str(query), str(key))], trace.axes, axes)
    rows, columns = (sorted({int(pair[side]) for pair in pairs}) for side in (0, 1))
    for what, positions, axis in (("query", rows, axes[0]), ("key", columns, axes[1])):
        length = len(trace.axes[axis].tokens)
        if positions[-1] >= length:
            raise BadArgumentError(f"{what} must be from 0 to {length - 1}; got {positions[-1]}.")
    weights = [
        HeadWeight(name, head, float(tap.tile(head, *places).sum(-1).mean()))
        for name, tap in taps.items()
        for places in [[tap.arrays.array(at, like=tap.query) for at in (rows, columns)]]
        for head in range(tap.heads)
    ]
    return sorted(weights, key=lambda head: -head.weight)
