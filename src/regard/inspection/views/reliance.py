"""Dependence of an output on each word of its source."""

from collections.abc import Iterator

import torch

from regard.errors import UnsupportedError
from regard.inspection.answers import Reliance
from regard.inspection.hiding import Position, SwitchedOff
from regard.inspection.trace_data import TraceData
from regard.inspection.views.ablation import log_probabilities


def reliances(trace: TraceData) -> Iterator[Reliance]:
    """Word by word of the source, the change of the output's log-probability without it.

    The output stays as it was written: each word is hidden from all other positions, in every layer
    and head, and the same tokens are scored again. Special tokens are left out.

    Raises:
        UnsupportedError: a trace without its model, or of a model that reads no source.
    """
    if trace.rerun is None or trace.generation is None or "source" not in trace.axes:
        raise UnsupportedError(
            "what an output depends on is known for a translation or a summary, with its model:"
            " this trace was loaded from a file, or is of another kind of model."
        )
    source, ids = trace.axes["source"], trace.output_ids
    assert ids is not None  # generation has them
    tokens = torch.tensor(ids)[:, None]

    def score(positions: range) -> float:
        parts = tuple(Position("source", each) for each in positions)
        edit = SwitchedOff(parts, trace.axes_of).under(lambda tap, call: None)
        logs = log_probabilities(trace, trace.rerun(edit))  # type: ignore[misc]
        return float(logs.gather(1, tokens.to(logs.device)).sum())

    whole = score(range(0))
    words = source.words or [(k, k + 1) for k in range(len(source.tokens))]
    for first, end in words:
        yield Reliance(first, end, score(range(first, end)) - whole)
