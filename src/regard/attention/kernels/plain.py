"""The definition: scores, weights, weighted sum, with the whole map in memory."""

import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention.masks import Mask
from regard.attention.row_lse import at_least_float32, repeat_heads
from regard.attention.scores import Score


def plain(
    query: Float[Tensor, "batch heads queries query_dim"],
    key: Float[Tensor, "batch key_heads keys key_dim"],
    value: Float[Tensor, "batch key_heads keys value_dim"],
    score: Score,
    mask: Mask | None,
    bias: Tensor | None,
) -> tuple[Float[Tensor, "batch heads queries value_dim"], Float[Tensor, "batch heads queries"]]:
    """The weighted average of the values, and the log-sum-exp of each row of scores."""
    heads = query.shape[1]
    scores = at_least_float32(score(query, repeat_heads(key, heads)))
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        hidden = mask.whole(scores.shape[-2], scores.shape[-1], scores.device).hidden
        scores = scores.masked_fill(hidden, float("-inf"))
    weights, lse = softmax(scores)
    return weights.to(value.dtype) @ repeat_heads(value, heads), lse


def softmax(
    scores: Float[Tensor, "*rows keys"],
) -> tuple[Float[Tensor, "*rows keys"], Float[Tensor, "*rows"]]:
    """Weights and log-sum-exp; a row of -inf alone has weights of zero and finite gradients."""
    # The row's largest score is subtracted only so that exp cannot overflow: a constant.
    top = scores.detach().amax(-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).min)
    exponentials = torch.exp(scores - top)
    total = exponentials.sum(-1, keepdim=True)
    live = total.clamp(min=1)  # the largest score gives exp(0) = 1, so only an empty row is below
    lse = (top + live.log()).masked_fill(total == 0, float("-inf"))
    return exponentials / live, lse.squeeze(-1)
