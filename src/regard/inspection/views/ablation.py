"""Switching something off and looking at the output: what a weight shows is where information may
flow, and this is whether it mattered (Jain & Wallace 2019 is why one should ask)."""

from collections.abc import Sequence
from typing import Literal

from regard.arrays import Array, arrays_of
from regard.errors import BadArgumentError, UnsupportedError, check_choice
from regard.inspection.answers import Ablation
from regard.inspection.hiding import Edge, Head, Part, Position, SwitchedOff
from regard.inspection.naming import readable
from regard.inspection.tap import one
from regard.inspection.trace_data import TraceData
from regard.inspection.writing import likeliest

KINDS = ("edge", "head", "token")


def ablate(
    trace: TraceData,
    what: Literal["edge", "head", "token"],
    tap: str,
    *,
    head: int = 0,
    query: int = 0,
    key: int = 0,
    step: int | None = None,
) -> Ablation:
    """Return the change in the output's probabilities when one thing is switched off.

    "edge", "head" and "token" are the parts `hiding.Edge`, `hiding.Head` and `hiding.Position`.

    Args:
        tap, head, query, key: what is switched off; "token" takes key, "head" the head.
        step: the output whose probability is looked at, a generated token by its number or, where
            nothing was generated, a position; the one that changes most if not given. The token is
            the one generated there, or the likeliest before.
    """
    check_choice("what", what, KINDS)
    if trace.rerun is None:
        raise UnsupportedError(
            "ablation needs the model and its logits: this trace was loaded from a file, or its"
            " model returns no logits, or hands out its weights itself."
        )
    layer = trace[tap]
    layer.heads_of(head)
    one("query", query, layer.rows)
    one("key", key, layer.columns)
    parts: dict[str, Part] = {
        "edge": Edge(tap, head, query, key),
        "head": Head(tap, head),
        "token": Position(layer.keys, key),
    }
    off = SwitchedOff((parts[what],), trace.axes_of)
    before = log_probabilities(trace, trace.rerun(lambda name, call: None))
    after = log_probabilities(trace, trace.rerun(lambda name, call: off(name, call).output))
    before, after = (arrays_of(logs).library.exp(logs) for logs in (before, after))
    ids = before.argmax(-1).tolist() if trace.output_ids is None else trace.output_ids
    changes = abs(of_tokens(after, ids) - of_tokens(before, ids))
    step = int(changes.argmax()) if step is None else step
    if not 0 <= step < len(changes):
        raise BadArgumentError(f"step must be from 0 to {len(changes) - 1}; got {step}.")
    keys = trace.axes[layer.keys].tokens
    queries = trace.axes[layer.queries].tokens
    notes = {
        "edge": f"{tap}, head {head}: “{readable(queries[query])}” no longer sees"
        f" “{readable(keys[key])}”",
        "head": f"{tap}: head {head} adds nothing",
        "token": f"no other position sees “{readable(keys[key])}”, in any layer and head",
    }
    name = trace.token_of or str
    p_before, p_after = float(before[step, ids[step]]), float(after[step, ids[step]])
    return Ablation(
        what=what,
        step=step,
        token=name(ids[step]),
        before=p_before,
        after=p_after,
        delta=p_after - p_before,
        candidates_before=likeliest(before[step], name),
        candidates_after=likeliest(after[step], name),
        note=notes[what],
    )


def log_probabilities(trace: TraceData, logits: Array) -> Array:
    """Log-probabilities of the first sequence's outputs, (steps, entries); of labels that do not
    exclude each other, each for itself."""
    rows = logits[0]
    if trace.generation is not None:
        first = trace.axes[trace.generation.axis].prompt - 1
        rows = rows[first : first + len(trace.generation.steps)]
    arrays = arrays_of(rows)
    if trace.several:
        rows = arrays.floats(rows)
        return -arrays.library.logaddexp(0 * rows, -rows)
    return arrays.log_softmax(rows)


def of_tokens(rows: Array, ids: Sequence[int]) -> Array:
    """Return the entry of each step's token, (steps,), of (steps, vocab)."""
    arrays = arrays_of(rows)
    return arrays.take(rows, arrays.array(ids, like=rows)[:, None])[:, 0]
