"""Scaled dot products of short rows in the fewest passes over memory, as training wants them.

On a CPU, rows of some 14 keys spend most of their time in the softmax: it works on whole vector
registers and takes what is left of a row one number at a time. So keys are padded to a full
register, and the padding is hidden by the same addition that applies the mask.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import pad

from regard.attention.record import Attention, outside_autocast
from regard.attention.softmax import zero_where_empty
from regard.attention.whole_mask import lowest
from regard.shapes import Float

REGISTER = 16  # float32 numbers in 512 bits


def short(attention: Attention, scale: float) -> Float[Tensor, "batch heads queries value_dim"]:
    """Return the weighted average of the values, (batch, heads, queries, value_dim), with its first
    derivative. The whole map is in memory."""
    query, key, value, _, mask, _ = attention
    queries, keys = query.shape[2], key.shape[2]
    # A single query, as in decoding, does not earn back the copy of all keys that padding is.
    fill = -keys % REGISTER if queries > 1 and query.device.type == "cpu" else 0
    addend, live_rows = None, None
    # float16 ends at 65504, which scores of ordinary numbers may pass.
    dtype = torch.float32 if query.dtype == torch.float16 else query.dtype
    if mask is not None:
        whole = mask.whole(queries, keys, query.device)
        addend, live_rows = whole.additive(dtype, keys + fill), whole.live_rows
    elif fill:
        addend = query.new_zeros(1, 1, 1, keys + fill, dtype=dtype)
        addend[..., keys:] = lowest(dtype)
    if torch.is_grad_enabled() and (
        query.requires_grad or key.requires_grad or value.requires_grad
    ):
        return _ShortAttention.apply(query, key, value, addend, live_rows, scale)
    return _average(query, key, value, addend, live_rows, scale)[0]


class Flat(NamedTuple):
    """Tensors for the derivative: the heads of all batches in one axis, keys padded."""

    query: Float[Tensor, "all_key_heads rows head_dim"]
    key: Float[Tensor, "all_key_heads width head_dim"]
    value: Float[Tensor, "all_key_heads width value_dim"]
    weights: Float[Tensor, "all_key_heads rows width"]


def _average(
    query: Float[Tensor, "batch heads queries head_dim"],
    key: Float[Tensor, "batch key_heads keys head_dim"],
    value: Float[Tensor, "batch key_heads keys value_dim"],
    addend: Float[Tensor, "#batch #heads #queries width"] | None,
    live_rows: Tensor | None,
    scale: float,
) -> tuple[Float[Tensor, "batch heads queries value_dim"], Flat]:
    """softmax(scale · query keyᵀ + addend) · value, and what it was made of."""
    batch, heads, queries, head_dim = query.shape
    key_heads, keys, value_dim = value.shape[1:]
    width = keys if addend is None else addend.shape[-1]
    if width > keys:
        key, value = pad(key, (0, 0, 0, width - keys)), pad(value, (0, 0, 0, width - keys))
    # Grouped query heads stand below one another, as more rows for the keys that they share.
    query = query.reshape(batch * key_heads, heads // key_heads * queries, head_dim)
    key = key.reshape(batch * key_heads, width, head_dim)
    value = value.reshape(batch * key_heads, width, value_dim)

    if query.dtype == torch.float16:
        with outside_autocast(query.device.type):
            scores = _scores(query.float(), key.float(), addend, (batch, heads, queries), scale)
    else:
        scores = _scores(query, key, addend, (batch, heads, queries), scale)
    weights = torch.softmax(scores, -1, dtype=_softmax_dtype(scores))
    if live_rows is not None:
        by_head = weights.view(batch, heads, queries, width)
        weights = zero_where_empty(by_head, ~live_rows).view_as(weights)
    weights = weights.to(query.dtype)
    output = torch.bmm(weights, value).view(batch, heads, queries, value_dim)
    return output, Flat(query, key, value, weights)


def _scores(
    query: Float[Tensor, "all_key_heads rows head_dim"],
    key: Float[Tensor, "all_key_heads width head_dim"],
    addend: Float[Tensor, "#batch #heads #queries width"] | None,
    shape: tuple[int, int, int],
    scale: float,
) -> Float[Tensor, "all_key_heads rows width"]:
    """scale · query keyᵀ + addend, which broadcasts to (*shape, width)."""
    if addend is None:
        return torch.bmm(query * scale, key.mT)
    scores = query.new_empty(*shape, key.shape[1]).copy_(addend)
    return scores.view(*query.shape[:2], key.shape[1]).baddbmm_(query, key.mT, alpha=scale)


class _ShortAttention(torch.autograd.Function):
    """`_average` with its derivative written out."""

    @staticmethod
    def forward(ctx: Any, query: Tensor, key: Tensor, value: Tensor, *rest: Any) -> Tensor:
        output, flat = _average(query, key, value, *rest)
        ctx.save_for_backward(*flat)
        ctx.set_materialize_grads(False)
        ctx.scale, ctx.query_shape, ctx.key_shape = rest[-1], query.shape, key.shape
        return output

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, output_grad: Tensor | None) -> tuple[Tensor | None, ...]:
        if output_grad is None:  # the definition gives the gradients instead
            return None, None, None, None, None, None
        flat = Flat(*ctx.saved_tensors)
        output_grad = output_grad.reshape(*flat.query.shape[:2], flat.value.shape[-1])
        weights_grad = torch.bmm(output_grad, flat.value.mT).to(_softmax_dtype(flat.weights))
        # The derivative of softmax, w ⊙ (g - Σ w g), is zero in rows whose weights are.
        scores_grad = torch._softmax_backward_data(
            weights_grad, flat.weights.to(weights_grad.dtype), -1, weights_grad.dtype
        )
        scores_grad = scores_grad.mul_(ctx.scale).to(flat.query.dtype)
        query_grad = torch.bmm(scores_grad, flat.key).view(ctx.query_shape)
        key_grad = torch.bmm(scores_grad.mT, flat.query)
        value_grad = torch.bmm(flat.weights.mT, output_grad)
        batch, key_heads, keys, _ = ctx.key_shape

        def without_padding(grad: Tensor) -> Tensor:
            return grad.view(batch, key_heads, *grad.shape[1:])[:, :, :keys]

        return query_grad, without_padding(key_grad), without_padding(value_grad), None, None, None


def _softmax_dtype(scores: Tensor) -> torch.dtype:
    """Return a register holds 32 numbers of 16 bits: other widths are faster as float32, where 16
    fill it.

    Either way sums are kept in float32.
    """
    sixteen_bits = scores.dtype in (torch.bfloat16, torch.float16)
    if sixteen_bits and scores.device.type == "cpu" and scores.shape[-1] % (2 * REGISTER):
        return torch.float32
    return scores.dtype
