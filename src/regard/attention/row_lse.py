"""The log-sum-exp of each row of scores, from blocks of keys: the map is never built."""

import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention.masks import Mask
from regard.attention.scores import Score

KEY_BLOCK = 512
TILE_ENTRIES = 2**19  # over all batches and heads: a tile's scores then stay in a core's cache


def row_lse(
    query: Float[Tensor, "batch heads queries query_dim"],
    key: Float[Tensor, "batch key_heads keys key_dim"],
    score: Score,
    mask: Mask | None,
    bias: Tensor | None,
    rows: Tensor | None = None,
) -> Float[Tensor, "batch heads rows"]:
    """log Σ exp(score) over the keys that each row may see; -inf where there are none.

    `rows` are the indices of the wanted queries; all of them if not given. Memory is one block.
    """
    wanted = torch.arange(query.shape[2], device=query.device) if rows is None else rows
    parts = []
    for part in wanted.split(rows_per_tile(query)):
        blocks = [
            log_sum_exp(tile_of_scores(query, key, score, mask, bias, part, columns))
            for columns in torch.arange(key.shape[2], device=query.device).split(KEY_BLOCK)
        ]
        parts.append(log_sum_exp(torch.stack(blocks, -1)))
    return torch.cat(parts, -1)


def rows_per_tile(query: Float[Tensor, "batch heads queries query_dim"]) -> int:
    """How many rows of KEY_BLOCK columns to take at a time."""
    maps = max(query.shape[0] * query.shape[1], 1)
    return min(max(TILE_ENTRIES // (maps * KEY_BLOCK), 16), 256)


def tile_of_scores(
    query: Float[Tensor, "batch heads queries query_dim"],
    key: Float[Tensor, "batch key_heads keys key_dim"],
    score: Score,
    mask: Mask | None,
    bias: Tensor | None,
    rows: Tensor,
    columns: Tensor,
) -> Float[Tensor, "batch heads rows columns"]:
    """The scores of some queries for some keys, in float32 at least; -inf where hidden."""
    queries, keys = query.shape[2], key.shape[2]
    part = repeat_heads(key[:, :, columns], query.shape[1])
    scores = at_least_float32(score(query[:, :, rows], part))
    if bias is not None:
        bias = bias if bias.shape[2] == 1 else bias[:, :, rows]
        bias = bias if bias.shape[3] == 1 else bias[:, :, :, columns]
        scores = scores + bias
    if mask is not None:
        allowed = mask.tile(rows + (keys - queries), columns)
        scores = scores.masked_fill(~allowed, float("-inf"))
    return scores


def log_sum_exp(scores: Float[Tensor, "*rows keys"]) -> Float[Tensor, "*rows"]:
    """log Σ exp over the keys; -inf, with a gradient of zero, for a row of -inf alone."""
    hidden = scores == float("-inf")
    empty = hidden.all(-1)
    return (
        scores.masked_fill(empty.unsqueeze(-1), 0).logsumexp(-1).masked_fill(empty, float("-inf"))
    )


def repeat_heads(
    tensor: Float[Tensor, "batch key_heads keys dim"], heads: int
) -> Float[Tensor, "batch heads keys dim"]:
    """Grouped heads: neighbouring query heads share one head of keys and values."""
    groups = heads // tensor.shape[1]
    return tensor if groups == 1 else tensor.repeat_interleave(groups, dim=1)


def at_least_float32(scores: Tensor) -> Tensor:
    """Sums over many keys lose too much in 16 bits."""
    return scores.float() if scores.dtype in (torch.bfloat16, torch.float16) else scores
