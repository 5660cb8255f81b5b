"""Attention without the map: tiles of scores and a running softmax, for any score function.

The online softmax of Milakov & Gimelshein 2018, tile by tile as in Rabe & Staats 2021 and
FlashAttention (Dao et al. 2022). Memory grows with the length, not with its square, forward and
backward: each block of rows is computed again when its gradient is wanted, so whatever the score
function captured (a matrix, a bandwidth) gets its gradient as well.
"""

from functools import partial

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from regard.attention.masks import may_ask
from regard.attention.record import KEY_BLOCK, Attention, masked_scores, repeat_heads, rows_per_tile
from regard.attention.softmax import normalized
from regard.shapes import Float


def blocked(
    attention: Attention, query_block: int | None = None, key_block: int | None = None
) -> tuple[Float[Tensor, "batch heads queries value_dim"], Float[Tensor, "batch heads queries"]]:
    """Return the weighted average of the values, (batch, heads, queries, value_dim), and the
    log-sum-exp of each row of scores, (batch, heads, queries)."""
    query, key, value, score, mask, bias = attention
    heads, queries, keys = query.shape[1], query.shape[2], key.shape[2]
    query_block, key_block = query_block or rows_per_tile(query), key_block or KEY_BLOCK
    # Split once: the gradient of a split is one concatenation, that of each slice a whole tensor.
    key_parts, value_parts = key.split(key_block, 2), value.split(key_block, 2)
    bias_rows = _split(bias, 2, query_block, queries)
    positions = torch.arange(keys, device=key.device).split(key_block)
    rows = torch.arange(keys - queries, keys, device=key.device).split(query_block)

    def attend_rows(query: Tensor, bias: Tensor | None, rows: Tensor) -> tuple[Tensor, Tensor]:
        running = RunningAverage(query, value.shape[-1])
        bias_parts = _split(bias, 3, key_block, keys)
        parts = zip(key_parts, value_parts, bias_parts, positions, strict=True)
        for key, value_part, bias_part, columns in parts:
            allowed = None if mask is None else mask.tile(rows, columns)
            hidden = allowed is not None and may_ask() and not allowed.any()
            # Rows that see nothing at all still take one tile, and with it a gradient of zero.
            if hidden and (running.started or columns is not positions[-1]):
                continue
            # Adding is several times faster here than filling, which takes entries one at a time.
            bias_part = _with_mask(bias_part, allowed, running.total.dtype)
            scores = masked_scores(score, query, key, bias_part, None)
            running.add(scores, repeat_heads(value_part, heads))
        return running.result()

    computed_again = partial(checkpoint, use_reentrant=False, preserve_rng_state=False)
    # torch.func does not support the hooks by which checkpoint drops and recomputes tensors.
    recompute = torch.is_grad_enabled() and may_ask()
    parts = []
    row_parts = zip(query.split(query_block, 2), bias_rows, rows, strict=True)
    for query_part, bias_part, row in row_parts:
        if recompute:
            parts.append(computed_again(attend_rows, query_part, bias_part, row))
        else:
            parts.append(attend_rows(query_part, bias_part, row))
    outputs, lses = zip(*parts, strict=True)
    return torch.cat(outputs, 2).to(value.dtype), torch.cat(lses, 2)


def _with_mask(bias: Tensor | None, allowed: Tensor | None, dtype: torch.dtype) -> Tensor | None:
    """Return the bias of one tile, -inf where the mask hides."""
    if allowed is None or (may_ask() and allowed.all()):
        return bias
    hidden = torch.zeros_like(allowed, dtype=dtype)
    hidden = hidden.masked_fill_(~allowed, float("-inf"))
    return hidden if bias is None else bias + hidden


class RunningAverage:
    """The weighted average over the keys seen so far, of rows of queries."""

    def __init__(self, query: Tensor, value_dim: int) -> None:
        rows = query.shape[:-1]
        dtype = torch.promote_types(query.dtype, torch.float32)
        self.top = query.new_full((*rows, 1), torch.finfo(dtype).min, dtype=dtype)
        self.total = query.new_zeros((*rows, 1), dtype=dtype)
        self.sum = query.new_zeros((*rows, value_dim), dtype=dtype)
        self.started = False

    def add(
        self,
        scores: Float[Tensor, "batch heads queries keys"],
        value: Float[Tensor, "batch heads keys value_dim"],
    ) -> None:
        # The top is only there so that exp cannot overflow: a constant for the gradient.
        top = torch.maximum(self.top, scores.detach().amax(-1, keepdim=True))
        fade = torch.exp(self.top - top)
        weights = torch.exp(scores - top)
        self.total = self.total * fade + weights.sum(-1, keepdim=True)
        self.sum = self.sum * fade + weights.to(value.dtype) @ value
        self.top = top
        self.started = True

    def result(self) -> tuple[Tensor, Tensor]:
        """Return the average and the log-sum-exp; zeros and -inf for a row that saw nothing."""
        return normalized(self.sum, self.total, self.top)


def _split(bias: Tensor | None, dim: int, block: int, length: int) -> list[Tensor | None]:
    """Return the bias of each block; a bias that is one along this dimension serves every block."""
    if bias is None or bias.shape[dim] == 1:
        return [bias] * -(-length // block)
    return list(bias.split(block, dim))
