"""Translation of an attention function's arguments to the call that `attend` would have made.

Nothing is taken on trust: each call's output is computed again for a few rows, and a layer whose
kernel did something else is refused. A map is shown as it was, or not at all.
"""

import math
from typing import Any

import torch
from torch import Tensor

from regard.attention import Call, Score, capped, scaled, scaled_dot
from regard.attention.record import Attention, at_least_float32, repeat_heads, with_sink
from regard.attention.softmax import log_sum_exp, log_weights
from regard.inspection.huggingface.interface import CapturedCall
from regard.inspection.huggingface.masks import MaskReader, Unreadable

SAMPLED_ROWS = 4
# How far kernels that mean the same may be apart: |difference| / |output| over the sampled rows.
# Eager attention rounds the scores themselves to 16 bits, and their exponentials with them.
OUTPUT_TOLERANCE = {torch.bfloat16: 5e-2, torch.float16: 1e-2}
TOLERANCE_OF_32_BITS = 2e-4
ON_A_GPU = 5e-3  # where products of float32 may be rounded to TF32
# An error here is one of every weight of its row. Kernels of float32 are within 3e-6 unless scores
# are large (45 in a trained BERT: 1.5e-5), those of 16 bits within 6e-5; then it is computed again.
LSE_TOLERANCE = 5e-6
LSE_TOLERANCE_OF_16_BITS = 2e-4


def understand(captured: CapturedCall, masks: MaskReader) -> Call:
    """Return the call, its log-sum-exp kept only if it is right."""
    inputs = inputs_of(captured, masks)
    with torch.autocast(inputs.query.device.type, enabled=False):
        return Call(inputs, captured.output, checked_lse(inputs, captured))


def inputs_of(captured: CapturedCall, masks: MaskReader) -> Attention:
    """Query, key, value, score, mask and bias, as far as the arguments say."""
    query, key = captured.query, captured.key
    for name, tensor in (("query", query), ("key", key), ("output", captured.output)):
        if tensor.ndim != 4:
            shape = tuple(tensor.shape)
            raise Unreadable(f"has its {name} as {shape}, not (batch, heads, positions, dim)")
    if query.shape[1] % key.shape[1]:
        raise Unreadable(f"has {query.shape[1]} heads over {key.shape[1]} of keys")
    if query.shape[0] != key.shape[0]:  # learned queries, the same for all of the batch
        query = query.expand(key.shape[0], -1, -1, -1)
    attention = Attention(query, key, captured.value, score_of(captured), *masks.read(captured))
    sink = sink_of(captured)
    return attention if sink is None else with_sink(attention, sink.detach())


def sink_of(captured: CapturedCall) -> Tensor | None:
    """Return the score of a learned sink, (1 or batch, heads, 1 or queries, 1); None without
    one."""
    s_aux = captured.options.get("s_aux")
    sink = captured.options.get("sinks") if s_aux is None else s_aux
    if sink is None:
        return None
    sink = sink.view(1, -1, 1, 1) if sink.ndim == 1 else sink
    if sink.ndim != 4 or sink.shape[1] != captured.query.shape[1] or sink.shape[3] != 1:
        raise Unreadable(f"has a learned sink of shape {tuple(sink.shape)}, not known here")
    return sink


def score_of(captured: CapturedCall) -> Score:
    factor: Any = captured.options.get("scaling")
    usual = captured.query.shape[-1] ** -0.5
    if isinstance(factor, Tensor):
        if factor.numel() != 1:
            raise Unreadable("scales the scores of each head differently")
        factor = factor.item()
    alike = factor is None or math.isclose(factor, usual, rel_tol=1e-9)
    score: Score = scaled_dot if alike else scaled(float(factor))
    cap = captured.options.get("softcap")
    return score if cap is None else capped(score, float(cap))


def checked_lse(inputs: Attention, captured: CapturedCall) -> Tensor | None:
    """Return the kernel's log-sum-exp, or None where it gave none or a wrong one."""
    queries, keys = inputs.query.shape[2], inputs.key.shape[2]
    device = inputs.query.device
    rows = torch.linspace(0, queries - 1, min(SAMPLED_ROWS, queries), device=device).long()
    query, key, value = (at_least_float32(tensor) for tensor in inputs[:3])
    scores = Attention(query, key, value, *inputs[3:]).scores(rows)
    lse = log_sum_exp(scores)
    sees = lse > -math.inf
    if "flash" in captured.implementation:  # which leaves zeros where the query is padding
        sees = sees & (captured.output[:, :, rows] != 0).any(-1)
    weights = log_weights(scores, lse).exp() * sees[..., None]
    expected = weights @ repeat_heads(value, query.shape[1])
    if expected.shape != captured.output[:, :, rows].shape:
        raise Unreadable(f"gives an output of shape {tuple(captured.output.shape)}")
    output = at_least_float32(captured.output[:, :, rows]) * sees[..., None]
    # What averages away, as values that cancel do, is measured against the values.
    size = expected.norm().clamp(min=1e-3 * float(value.norm()) * (len(rows) / keys) ** 0.5)
    error = float((output - expected).norm() / size.clamp(min=1e-30))
    if not error <= output_tolerance(inputs.query):
        raise Unreadable(
            "computes something other than softmax(scores) · value with the mask that it was"
            f" given (its output is off by {error:.1%})"
        )
    return captured.lse if is_lse(captured.lse, lse, sees, rows, inputs.query) else None


def is_lse(
    kernel_lse: Tensor | None, lse: Tensor, sees: Tensor, rows: Tensor, query: Tensor
) -> bool:
    """Return True if the kernel's log-sum-exp is natural, of these scores, and of every row."""
    if kernel_lse is None or kernel_lse.shape != query.shape[:3]:
        return False
    sixteen = query.dtype in (torch.bfloat16, torch.float16)
    tolerance = LSE_TOLERANCE_OF_16_BITS if sixteen else LSE_TOLERANCE
    near = (kernel_lse[:, :, rows] - lse).abs() <= tolerance
    return bool((near | ~sees).all()) and bool(sees.all())


def output_tolerance(query: Tensor) -> float:
    tolerance = OUTPUT_TOLERANCE.get(query.dtype, TOLERANCE_OF_32_BITS)
    return max(tolerance, ON_A_GPU) if query.device.type != "cpu" else tolerance
