"""The definition, with the whole map in memory."""

from jaxtyping import Float
from torch import Tensor

from regard.attention.record import Attention, repeat_heads
from regard.attention.softmax import softmax


def plain(
    attention: Attention,
) -> tuple[Float[Tensor, "batch heads queries value_dim"], Float[Tensor, "batch heads queries"]]:
    """The weighted average of the values, (batch, heads, queries, value_dim), and the log-sum-exp
    of each row of scores, (batch, heads, queries)."""
    scores = attention.scores()
    weights, lse = softmax(scores)
    value = repeat_heads(attention.value, attention.query.shape[1])
    return weights.to(value.dtype) @ value, lse
