"""Attention: a weighted average of values.

    scores  = score(query, key) + bias                     how well each key fits each query
    weights = softmax(scores) over the keys mask allows    each row is positive and sums to 1
    output  = weights · value                              for each query, an average of the values

`record.Attention` is these three lines for any rectangle of the map; `kernels` compute the output
alone, faster.
"""

from typing import Literal, overload

from jaxtyping import Float
from torch import Tensor

from regard.attention.inputs import check
from regard.attention.kernels import run
from regard.attention.listening import Call, tell
from regard.attention.masks import Mask
from regard.attention.scores import Score


@overload
def attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    score: str | Score = ...,
    mask: Mask | Tensor | None = ...,
    bias: Tensor | None = ...,
    kernel: str = ...,
    return_lse: Literal[False] = ...,
) -> Tensor: ...


@overload
def attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    score: str | Score = ...,
    mask: Mask | Tensor | None = ...,
    bias: Tensor | None = ...,
    kernel: str = ...,
    return_lse: Literal[True],
) -> tuple[Tensor, Tensor]: ...


def attend(
    query: Float[Tensor, "*query_heads queries query_dim"],
    key: Float[Tensor, "*key_heads keys key_dim"],
    value: Float[Tensor, "*key_heads keys value_dim"],
    *,
    score: str | Score = "scaled_dot",
    mask: Mask | Tensor | None = None,
    bias: Float[Tensor, "*any"] | None = None,
    kernel: str = "auto",
    return_lse: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """softmax(score(query, key) + bias, over the keys that mask allows) · value.

    Tensors are (batch, heads, positions, dim), or without batch, or (positions, dim) alone. Key
    and value may have fewer heads than query if their number divides it: each then serves a group
    of neighbouring query heads. Derivatives of any order are exact, also under `torch.func` and in
    forward mode; those beyond the first are computed by the definition, at its cost.

    The ladder from averaging to attention, each rung one call:

    >>> x = torch.tensor([[1.0, 0.0], [0.0, 2.0], [2.0, 2.0]])
    >>> attend(x, x, x, score="average")                          # the plain average
    tensor([[1.0000, 1.3333],
            [1.0000, 1.3333],
            [1.0000, 1.3333]])
    >>> oracle = torch.tensor([[0.25, 0.75, 0.0]])                # weights that an oracle knows
    >>> attend(x[:1], x, x, score="average", bias=oracle.log())
    tensor([[0.2500, 1.5000]])
    >>> attend(x, x, x, score="dot").shape                        # parameter-free self-attention
    torch.Size([3, 2])
    >>> attend(x, x, x, score="average", mask=Window(1, 0))       # a local window
    tensor([[1.0000, 0.0000],
            [0.5000, 1.0000],
            [1.0000, 2.0000]])

    Args:
        score: a name (dot, scaled_dot, cosine, gaussian, average), `general(matrix)`,
            `additive(query_weight, key_weight, vector)`, `gaussian(bandwidth)`, or any function of
            (query, key) that gives scores (..., queries, keys).
        mask: a `Mask`, or a boolean tensor; True means "may attend". A query that may attend to
            nothing gets zeros.
        bias: added to the scores; broadcasts to (batch, heads, queries, keys). -inf hides a key.
        kernel: plain (the definition), short, blocked, fused, or auto for the fastest that can.
        return_lse: also return the log-sum-exp of each row's scores, (batch, heads, queries), from
            which `attention_weights` gives any tile of the map; -inf where nothing was seen.

    Raises:
        BadArgumentError: shapes or dtypes that do not fit, an unknown name.
        UnsupportedError: a kernel that cannot compute the score, or takes no bias.

    Source: Vaswani et al. 2017, section 3.2; Bahdanau et al. 2015, section 3.1.
    """
    inputs = check(query, key, value, score, mask, bias)
    output, lse = run(kernel, inputs, return_lse)
    output = tell(Call(inputs, output, lse))
    missing = (0,) * (4 - query.ndim)  # leading axes that the caller left out
    output = output[missing] if missing else output
    if not return_lse:
        return output
    assert lse is not None, "kernels return the log-sum-exp when asked"
    return output, lse[missing] if missing else lse
