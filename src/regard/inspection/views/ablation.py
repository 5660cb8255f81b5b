"""Switching something off and looking at the output: what a weight shows is where information may
flow, and this is whether it mattered (Jain & Wallace 2019 is why one should ask)."""

from typing import Literal

import torch
from torch import Tensor

from regard.attention import Call
from regard.attention.kernels import run
from regard.errors import BadArgumentError, UnsupportedError, check_choice
from regard.inspection.answers import Ablation
from regard.inspection.hiding import Hidden, hide
from regard.inspection.tap import one
from regard.inspection.trace_data import Edit, TraceData
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
    """The change in the output's probabilities when one thing is switched off.

    - "edge": this query no longer sees this key in this head; its other weights make up for it
      (the attention knockout of Geva et al. 2023, section 5).
    - "head": the head adds nothing to its layer's output (Michel et al. 2019, equation 2, ξ = 0).
    - "token": no other position sees this one, in any layer and head that looks at its sequence.

    Args:
        tap, head, query, key: what is switched off; "token" takes key, "head" the head.
        step: the output whose probability is looked at, a generated token by its number or, where
            nothing was generated, a position; the one that changes most if not given. The token is
            the one generated there, or the likeliest before.

    Raises:
        UnsupportedError: a trace without its model or logits.
        BadArgumentError: a head or step that does not exist.
    """
    check_choice("what", what, KINDS)
    if trace.rerun is None:
        raise UnsupportedError(
            "ablation needs the model and its logits: this trace was loaded from a file, or its"
            " model returns no logits."
        )
    layer = trace[tap]
    layer.heads_of(head)
    one("query", query, layer.rows)
    one("key", key, layer.columns)
    edits: dict[str, Edit] = {
        "edge": lambda name, call: without_edge(call, head, query, key) if name == tap else None,
        "head": lambda name, call: without_head(call, head) if name == tap else None,
        "token": lambda name, call: (
            without_token(call, key, own=trace[name].queries == layer.keys)
            if name in trace and trace[name].keys == layer.keys
            else None
        ),
    }
    before = probabilities(trace, trace.rerun(lambda name, call: None))
    after = probabilities(trace, trace.rerun(edits[what]))
    ids = before.argmax(-1).tolist() if trace.output_ids is None else trace.output_ids
    tokens = torch.tensor(ids, device=before.device)[:, None]
    changes = (after.gather(1, tokens) - before.gather(1, tokens)).abs()[:, 0]
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


def without_edge(call: Call, head: int, query: int, key: int) -> Tensor:
    """The output with one weight made zero and the rest of its row normalized again."""
    attention = hide(call.inputs.of_head(head), Hidden([key], own=False))
    row = torch.tensor([query], device=call.output.device)
    output = call.output.clone()
    output[:, head, query] = attention.output(row)[:, 0, 0].to(output.dtype)
    return output


def without_head(call: Call, head: int) -> Tensor:
    output = call.output.clone()
    output[:, head] = 0
    return output


def without_token(call: Call, key: int, *, own: bool) -> Tensor:
    """The output with a key hidden from all queries, except its own where it has one."""
    return run("auto", hide(call.inputs, Hidden([key], own)), False)[0]


def probabilities(trace: TraceData, logits: Tensor) -> Tensor:
    """Of the first sequence's outputs, (steps, entries)."""
    return log_probabilities(trace, logits).exp()


def log_probabilities(trace: TraceData, logits: Tensor) -> Tensor:
    """The logarithms of `probabilities`, (steps, entries)."""
    rows = logits[0]
    if trace.generation is not None:
        first = trace.axes[trace.generation.axis].prompt - 1
        rows = rows[first : first + len(trace.generation.steps)]
    return rows.float().log_softmax(-1)


def readable(token: str) -> str:
    """Without the mark of a word's beginning."""
    return token.lstrip("▁Ġ") or token
