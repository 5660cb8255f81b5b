"""Importance of each input token for an output token by five measures, and how their orders
agree with what happens when a token is hidden.

weight          α, the mean over layers and heads
norm            ‖Σ_h α_h·f_h(x)‖, the mean over layers (Kobayashi et al. 2020)
gradient        ‖∂ log p / ∂x ⊙ x‖₂ of the token's embedding x (Denil et al. 2014)
value_zeroing   cosine distance of a layer's output from what it is when the token's value is zero,
                the mean over layers (Mohebbi et al. 2023)
hiding          p without the token - p: no other position sees it, in any layer and head
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from regard.arrays import without_gradients
from regard.attention import Call
from regard.errors import UnsupportedError, unknown
from regard.inspection.answers import Measure, MeasureName, Measures
from regard.inspection.attribution.stream import Stream, as_module, unchanged
from regard.inspection.hiding import Position, SwitchedOff, computed
from regard.inspection.tap import Tap
from regard.inspection.trace_data import TraceData
from regard.inspection.watching import watching
from regard.lazy import torch

if TYPE_CHECKING:
    from torch import Tensor

MOST_TOKENS = 512  # each takes two runs of the model


def measures(
    trace: TraceData, steps: Sequence[int] | None = None, axis: str | None = None
) -> list[Measures]:
    """Return importance of each token of an axis for each step, by every measure.

    Takes two runs of the model for each token, and a backward pass for each step. A measure that
    is not known here (norm without the output projections, gradient without a table of embeddings)
    is left out.

    >>> trace = regard.load("en-de").trace("Where is the station?")
    >>> [step] = measures(trace, steps=[2])
    >>> [measure.name for measure in step.measures]
    ['weight', 'norm', 'gradient', 'value_zeroing', 'hiding']

    Args:
        steps: generated tokens by number or, where nothing was generated, positions; all if not
            given.
        axis: whose tokens; by default "source" where there is one.

    Raises:
        UnsupportedError: a trace without its model, a model without logits at each position, or
            more tokens than MOST_TOKENS.
        BadArgumentError: no such step, or an axis that the output does not attend to.
    """
    trace = as_module(trace)  # for its gradients
    stream = Stream(trace)
    chosen = [stream.check_step(s) for s in (range(len(stream.ids)) if steps is None else steps)]
    taps = taps_over(trace, stream, axis)
    axis = taps[0].keys
    count = len(trace.axes[axis].tokens)
    if count > MOST_TOKENS:
        raise UnsupportedError(
            f"the measures take two runs of the model for each token, and {axis} has {count:,};"
            f" look at a text of at most {MOST_TOKENS} tokens."
        )
    rows = torch.tensor([stream.first_row + step for step in chosen])
    tables: dict[MeasureName, Tensor | None] = {
        "weight": mean_weights(taps, rows),
        "norm": mean_norms(taps, rows),
        "gradient": gradients(stream, chosen, axis),
        "value_zeroing": value_zeroing(stream, taps, rows),
        "hiding": hiding(stream, taps, chosen),
    }
    written = axis == stream.axis and any(tap.causal for tap in taps)  # later tokens are not seen
    return [
        Measures(
            step=step,
            token=stream.token(stream.ids[step]),
            axis=axis,
            tokens=trace.axes[axis].tokens[: int(rows[place]) + 1 if written else count],
            measures=compared(tables, place, int(rows[place]) + 1 if written else count),
        )
        for place, step in enumerate(chosen)
    ]


def compared(tables: dict[MeasureName, Tensor | None], place: int, count: int) -> list[Measure]:
    """Measures of one step for the first `count` tokens, each beside hiding."""
    hidden = cast(torch.Tensor, tables["hiding"])[place, :count]
    results = []
    for name, table in tables.items():
        if table is None:
            continue
        values = table[place, :count]
        correlation = None if name == "hiding" else spearman(values, hidden.abs())
        results.append(Measure(name, values.tolist(), correlation))
    return results


def taps_over(trace: TraceData, stream: Stream, axis: str | None) -> list[Tap]:
    """Return the attention from the output's positions to an axis."""
    layers = [tap for tap in trace.values() if tap.queries == stream.axis]
    axes = list(dict.fromkeys(tap.keys for tap in layers))
    if axis is None:
        axis = "source" if "source" in axes else axes[0]
    if axis not in axes:
        raise unknown("axis", axis, axes)
    return [tap for tap in layers if tap.keys == axis]


def mean_weights(taps: list[Tap], rows: Tensor) -> Tensor:
    """Return (steps, tokens)."""
    return torch.stack([tap.weights().mean(0)[rows] for tap in taps]).mean(0).cpu()


def mean_norms(taps: list[Tap], rows: Tensor) -> Tensor | None:
    """Return the sizes (steps, tokens) of what all heads together take from a token; None without
    W_O."""
    norms = []
    for tap in taps:
        if tap.output_weight is None:
            return None
        values = tap.value[0].repeat_interleave(tap.heads // tap.key_heads, 0).float()
        added = torch.einsum(
            "hqk,hkv,hvd->qkd", tap.weights()[:, rows], values, tap.output_weight.float()
        )
        norms.append(added.norm(dim=-1))
    return torch.stack(norms).mean(0).cpu()


def gradients(stream: Stream, steps: list[int], axis: str) -> Tensor | None:
    """Return (steps, tokens); None for an axis of which the model looks up no ids."""
    tables = [module for module in stream.model.modules() if isinstance(module, torch.nn.Embedding)]
    embedded: dict[str, Tensor] = {}

    def look_up(module: torch.nn.Module, args: tuple[Any, ...], output: Tensor) -> Tensor | None:
        for name, ids in stream.trace.read.items():
            if name not in embedded and args and torch.equal(args[0], ids):
                embedded[name] = output.detach().requires_grad_()
                return embedded[name].clone()
        return None

    with torch.enable_grad():
        with watching(tables, after=look_up):
            logs = stream.log_probabilities(stream.run())
        if axis not in embedded:
            return None
        x = embedded[axis]
        per_step = [
            torch.autograd.grad(logs[step, stream.ids[step]], x, retain_graph=True)[0]
            for step in steps
        ]
    return torch.stack([(gradient * x.detach())[0].norm(dim=-1) for gradient in per_step]).cpu()


@without_gradients
def value_zeroing(stream: Stream, taps: list[Tap], rows: Tensor) -> Tensor:
    """Return (steps, tokens): a layer at a time, each on the states that it had."""
    names, outputs = {tap.name for tap in taps}, stream.states[1:]
    columns = []
    for key in range(taps[0].columns):
        distances: list[Tensor] = []

        def zero(name: str, call: Call) -> Tensor | None:
            if name not in names:
                return None
            value = call.inputs.value.clone()
            value[:, :, key] = 0  # noqa: B023
            return computed(call.inputs._replace(value=value))

        def restore(layer: int, state: Tensor) -> Tensor:
            whole = outputs[layer]
            # In float64: most distances are smaller than float32 tells from 1.
            pair = state[0, rows].double(), whole[0, rows].double()
            alike = torch.cosine_similarity(*pair, dim=-1)
            distances.append(1 - alike)  # noqa: B023
            return whole

        stream.run(zero, restore)
        columns.append(torch.stack(distances).mean(0))
    return torch.stack(columns, 1).cpu()


@without_gradients
def hiding(stream: Stream, taps: list[Tap], steps: list[int]) -> Tensor:
    """Return (steps, tokens): the change of p, the probability of the token that was written."""
    axis = taps[0].keys
    ids = torch.tensor([stream.ids[step] for step in steps])[:, None]

    def written(logits: Tensor) -> Tensor:
        return stream.log_probabilities(logits)[steps].exp().cpu().gather(1, ids)[:, 0]

    before = written(stream.run(unchanged))
    columns = []
    for key in range(taps[0].columns):
        off = SwitchedOff((Position(axis, key),), stream.trace.axes_of)
        columns.append(written(stream.run(off.under(unchanged))) - before)
    return torch.stack(columns, 1)


def spearman(first: Tensor, second: Tensor) -> float | None:
    """Pearson's correlation of the ranks of two lists of numbers, (n,) each; ties share their mean
    rank (Spearman 1904). None for fewer than 3 numbers, or where all of a list are equal.

    >>> round(spearman(torch.tensor([1.0, 2.0, 30.0]), torch.tensor([5.0, 6.0, 7.0])), 6)
    1.0
    """
    a, b = (ranks(values) - (len(values) + 1) / 2 for values in (first, second))
    scale = a.norm() * b.norm()
    return float(a @ b / scale) if len(a) > 2 and scale > 0 else None


def ranks(values: Tensor) -> Tensor:
    """(n,) → (n,): 1 for the smallest; equal values share the mean of their ranks."""
    below = (values[:, None] > values).sum(1)
    equal = (values[:, None] == values).sum(1)
    return below.double() + (equal.double() + 1) / 2
