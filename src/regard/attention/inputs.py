"""The arguments of `attend`, checked once and made four-dimensional."""

import torch
from torch import Tensor

from regard.attention.masks import Mask, as_mask
from regard.attention.record import Attention
from regard.attention.scores import Score, cosine, dot, find_score, gaussian, scaled, scaled_dot
from regard.errors import BadArgumentError

DTYPES = (torch.float64, torch.float32, torch.bfloat16, torch.float16)


def check(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    score: str | Score,
    mask: Mask | Tensor | None,
    bias: Tensor | None,
) -> Attention:
    """The record of a call. A mask that hides nothing becomes None.

    Raises BadArgumentError for arguments that do not fit together.
    """
    function = find_score(score)
    if not query.ndim == key.ndim == value.ndim:
        raise BadArgumentError(
            "query, key and value must have as many dimensions as one another;"
            f" got shapes {shape(query)}, {shape(key)} and {shape(value)}."
        )
    if query.ndim != 4:
        query, key, value = four(query), four(key), four(value)
    device = query.device.type
    # PyTorch's question about autocast raises on the meta device, which has none.
    if device != "meta" and torch.is_autocast_enabled(device) and query.dtype != torch.float64:
        dtype = torch.get_autocast_dtype(device)
        query, key, value = query.to(dtype), key.to(dtype), value.to(dtype)
    check_shapes(query, key, value, function)
    batch, heads, queries, _ = query.shape
    keys = key.shape[2]
    if mask is not None:
        mask = as_mask(mask)
        mask.check(batch, heads, queries, keys)
        if mask.allows_all(queries, keys):
            mask = None
    if bias is not None:
        bias = check_bias(bias, (batch, heads, queries, keys))
    return Attention(query, key, value, function, mask, bias)


def check_shapes(query: Tensor, key: Tensor, value: Tensor, score: Score) -> None:
    batch, heads, _, query_dim = query.shape
    key_batch, key_heads, keys, key_dim = key.shape
    if value.shape[:3] != key.shape[:3]:
        raise BadArgumentError(
            "value must have key's batch, heads and length"
            f" {(key_batch, key_heads, keys)}; got {shape(value)[:3]}."
        )
    if key_batch != batch:
        raise BadArgumentError(f"key must have query's batch of {batch}; got {key_batch}.")
    if key_heads == 0 or heads % key_heads:
        raise BadArgumentError(
            f"the number of key heads must divide query's {heads} heads; got {key_heads}."
        )
    alike = score in (scaled_dot, dot, cosine) or isinstance(score, scaled | gaussian)
    if alike and query_dim != key_dim:
        raise BadArgumentError(
            f"key must have query's head_dim {query_dim} for this score; got {key_dim}."
            " Project one of them, or use score=general(matrix)."
        )
    if 0 in (query_dim, key_dim):
        raise BadArgumentError(
            f"query and key must have a head_dim of at least 1; got {query_dim} and {key_dim}."
        )
    if not query.dtype == key.dtype == value.dtype:
        kinds = names(query.dtype, key.dtype, value.dtype)
        raise BadArgumentError(
            f"query, key and value must share one dtype; got {kinds}. Cast them first."
        )
    if query.dtype not in DTYPES:
        raise BadArgumentError(
            f"query, key and value must have one of the dtypes {names(*DTYPES)};"
            f" got {names(query.dtype)}. Cast them first."
        )


def check_bias(bias: Tensor, expected: tuple[int, int, int, int]) -> Tensor:
    got = shape(bias)
    fits = len(got) <= 4 and all(
        size in (1, want) for size, want in zip(got[::-1], expected[::-1], strict=False)
    )
    if not fits:
        transposed = len(got) >= 2 and (got[-1], got[-2]) == expected[-2:]
        hint = " Did you transpose it?" if transposed else ""
        raise BadArgumentError(
            f"bias must broadcast to (batch, heads, queries, keys) = {expected}; got {got}.{hint}"
        )
    if not bias.is_floating_point():
        raise BadArgumentError(
            f"bias must be floating point; got {names(bias.dtype)}:"
            " pass True and False as mask instead."
        )
    return bias[(None,) * (4 - bias.ndim)]


def four(tensor: Tensor) -> Tensor:
    """Axes of one for the batch and the heads that were left out."""
    if tensor.ndim not in (2, 3):
        raise BadArgumentError(
            "query, key and value must be (batch, heads, positions, dim), (heads, positions, dim)"
            f" or (positions, dim); got shape {shape(tensor)}."
        )
    return tensor[(None,) * (4 - tensor.ndim)]


def shape(tensor: Tensor) -> tuple[int, ...]:
    return tuple(tensor.shape)


def names(*dtypes: torch.dtype) -> str:
    return ", ".join(str(dtype).removeprefix("torch.") for dtype in dtypes)
