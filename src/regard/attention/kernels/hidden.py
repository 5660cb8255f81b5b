"""A hidden key has no part, whatever its numbers: a kernel multiplies it by a weight of zero, which
of NaN and infinity is NaN."""

from collections.abc import Callable
from math import isfinite

import torch
from torch import Tensor

from regard.arrays import pieces
from regard.attention.masks import may_ask
from regard.attention.record import Attention, repeat_heads, rows_per_tile
from regard.shapes import Bool, Float, Int


def may_leak(inputs: Attention, output: Float[Tensor, "batch heads queries value_dim"]) -> bool:
    """Return True if hidden keys may have spoiled the output of a kernel, (batch, heads, queries,
    value_dim), or would its gradient.

    Sums tell, at a small part of the kernel's price; compiled code cannot branch on them, and
    asking a GPU would wait for it.
    """
    _, key, value, _, mask, bias = inputs
    if (mask is None and bias is None) or output.device.type != "cpu":
        return False
    if not may_ask() or torch.compiler.is_compiling():
        return False
    read = (output, key, value) if output.requires_grad else (output,)
    if all(isfinite(tensor.detach().sum().item()) for tensor in read):
        return False
    return not (key.isfinite().all() and value.isfinite().all() and _is_usual(bias))


def without_hidden(
    inputs: Attention, compute: Callable[[Attention], tuple[Tensor, Tensor | None]]
) -> tuple[Tensor, Tensor | None]:
    """Return result of a kernel for the finite numbers, with NaN in the entries whose query sees
    one that is not: output, (batch, heads, queries, value_dim), and log-sum-exp, (batch, heads,
    queries)."""
    _, key, value, _, mask, bias = inputs
    strange_keys = ~key.isfinite().all(-1, keepdim=True)
    strange_values = ~value.isfinite()
    if bias is not None and mask is not None and not _is_usual(bias):
        shown = mask.whole(inputs.query.shape[2], key.shape[2], key.device).allowed
        bias = torch.where(shown, bias, 0)
    output, lse = compute(
        inputs._replace(
            key=key.masked_fill(strange_keys, 0),
            value=value.masked_fill(strange_values, 0),
            bias=bias,
        )
    )
    output = output.masked_fill(_see(inputs, strange_keys | strange_values), float("nan"))
    if lse is not None:
        lse = lse.masked_fill(_see(inputs, strange_keys)[..., 0], float("nan"))
    return output, lse


def _see(
    inputs: Attention, strange: Bool[Tensor, "batch key_heads keys dim"]
) -> Bool[Tensor, "batch heads queries dim"]:
    """Return whether a query sees a key that is strange, in each dimension by itself."""
    columns = strange.any(-1).flatten(0, 1).any(0).nonzero()[:, 0]
    strange = repeat_heads(strange[:, :, columns].float(), inputs.query.shape[1])
    queries = torch.arange(inputs.query.shape[2], device=strange.device)
    parts = pieces(queries, rows_per_tile(inputs.query))
    return torch.cat([_visible(inputs, rows, columns) @ strange > 0 for rows in parts], 2)


def _visible(
    inputs: Attention, rows: Int[Tensor, " rows"], columns: Int[Tensor, " columns"]
) -> Float[Tensor, "batch heads rows columns"]:
    """1 where the mask and the bias let a query see a key, else 0."""
    visible = torch.ones(*inputs.query.shape[:2], len(rows), len(columns))
    if (allowed := inputs.allowed(rows, columns)) is not None:
        visible = visible * allowed
    if inputs.bias is not None:
        size = (*visible.shape[:2], inputs.query.shape[2], inputs.key.shape[2])
        visible = visible * ~inputs.bias.expand(size)[:, :, rows][..., columns].isneginf()
    return visible


def _is_usual(bias: Tensor | None) -> bool:
    """Return True for a bias of finite numbers and of -inf, which hides."""
    return bias is None or not bool((bias.isnan() | bias.isposinf()).any())
