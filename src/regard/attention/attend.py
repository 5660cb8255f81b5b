"""Attention: a weighted average of values.

    scores  = score(query, key) + bias                     how well each key fits each query
    weights = softmax(scores) over the keys mask allows    each row is positive and sums to 1
    output  = weights · value                              for each query, an average of the values

`record.Attention` is these three lines for any rectangle of the map; `kernels` compute the output
alone, faster.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from regard.arrays import NUMPY, TORCH, arrays_of, dtype_of, torch_if_imported
from regard.arrays import Array as Tensor
from regard.attention.masks import Mask, as_mask
from regard.attention.record import Attention, Call
from regard.attention.scores import Score, cosine, dot, find_score, gaussian, scaled, scaled_dot
from regard.errors import BadArgumentError, UnsupportedError, check_choice
from regard.shapes import Float

if TYPE_CHECKING:
    import torch


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

    Query is (batch, heads, queries, query_dim), key (batch, key_heads, keys, key_dim) and value
    (batch, key_heads, keys, value_dim); the result is (batch, heads, queries, value_dim). All may
    lack batch, or batch and heads. The number of key_heads divides heads: each serves a group of
    neighboring query heads. All are tensors of torch, or arrays of numpy. Derivatives of any order
    are exact, also under `torch.func` and in forward mode; those beyond the first are computed by
    the definition, at its cost.

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
        mask: a `Mask`, or a boolean array; True means "may attend". A query that may attend to
            nothing gets zeros.
        bias: added to the scores; broadcasts to (batch, heads, queries, keys). -inf hides a key.
        kernel: plain (the definition), short, blocked, fused, or auto for the fastest that can;
            arrays of numpy are computed by the definition.
        return_lse: also return the log-sum-exp of each row's scores, (batch, heads, queries), from
            which `attention_weights` gives any tile of the map; -inf where nothing was seen.

    Raises:
        BadArgumentError: shapes or dtypes that do not fit, an unknown name.
        UnsupportedError: a kernel that cannot compute the score, or takes no bias.

    Source: Vaswani et al. 2017, section 3.2; Bahdanau et al. 2015, section 3.1.
    """
    inputs = check(query, key, value, score, mask, bias)
    check_choice("kernel", kernel, KERNELS)
    if arrays_of(query) is NUMPY:
        output, lse = _by_numpy(kernel, inputs)
    else:
        from regard.attention.kernels import run

        output, lse = run(kernel, inputs, return_lse)
    output = _tell(Call(inputs, output, lse))
    missing = (0,) * (4 - query.ndim)  # leading axes that the caller left out
    output = output[missing] if missing else output
    if not return_lse:
        return output
    assert lse is not None, "kernels return the log-sum-exp when asked"
    return output, lse[missing] if missing else lse


KERNELS = ("auto", "plain", "blocked", "short", "fused")


def _by_numpy(kernel: str, inputs: Attention) -> tuple[Tensor, Tensor]:
    """Output, (batch, heads, queries, value_dim), and log-sum-exp, (batch, heads, queries), of
    arrays of numpy, by the definition."""
    if kernel not in ("auto", "plain"):
        raise UnsupportedError(
            f"kernel {kernel!r} computes tensors of torch; use kernel='plain' for arrays of numpy."
        )
    lse = inputs.lse()
    return inputs.output(lse=lse), lse


Listener = Callable[[Call], Tensor | None]
"""Called after each attention; a tensor that it returns replaces the output."""

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Within it, `listener` gets every call of `attend`; of nested ones, the innermost does.

    >>> calls = []
    >>> with listening(calls.append):
    ...     output = attend(torch.eye(2), torch.eye(2), torch.eye(2))
    >>> calls[0].output.shape
    torch.Size([1, 1, 2, 2])
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def _tell(call: Call) -> Tensor:
    """Tells the listener, if there is one, and returns the output that is to be used."""
    listener = _listener.get()
    replaced = None if listener is None else listener(call)
    return call.output if replaced is None else replaced


DTYPES = ("float64", "float32", "bfloat16", "float16")


def check(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    score: str | Score,
    mask: Mask | Tensor | None,
    bias: Tensor | None,
) -> Attention:
    """Return the record of a call, with tensors (batch, heads, positions, dim) from those that
    `attend` takes. A mask that hides nothing becomes None.

    Raises BadArgumentError for arguments that do not fit together.
    """
    _check_kinds(query, key, value, bias)
    function = score if callable(score) else find_score(score)
    if not query.ndim == key.ndim == value.ndim:
        raise BadArgumentError(
            "query, key and value must have the same number of dimensions;"
            f" got shapes {tuple(query.shape)}, {tuple(key.shape)} and {tuple(value.shape)}."
        )
    if query.ndim != 4:
        query, key, value = _four(query), _four(key), _four(value)
    if arrays_of(query) is TORCH:
        query, key, value = _under_autocast(query, key, value)
    _check_shapes(query, key, value, function)
    batch, heads, queries, _ = query.shape
    keys = key.shape[2]
    if mask is not None:
        mask = as_mask(mask)
        mask.check(batch, heads, queries, keys)
        if mask.allows_all(queries, keys):
            mask = None
    if bias is not None:
        bias = _check_bias(bias, (batch, heads, queries, keys))
    return Attention(query, key, value, function, mask, bias)


def _under_autocast(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    import torch

    device = query.device.type
    # PyTorch's question about autocast raises on the meta device, which has none.
    if device == "meta" or not torch.is_autocast_enabled(device) or query.dtype == torch.float64:
        return query, key, value
    dtype = torch.get_autocast_dtype(device)
    return query.to(dtype), key.to(dtype), value.to(dtype)


def _check_kinds(query: Tensor, key: Tensor, value: Tensor, bias: Tensor | None) -> None:
    torch = None if isinstance(query, np.ndarray) else torch_if_imported()
    kind: Any = np.ndarray if torch is None else torch.Tensor
    tensors = [("query", query), ("key", key), ("value", value)]
    for name, tensor in tensors if bias is None else [*tensors, ("bias", bias)]:
        if not isinstance(tensor, kind):
            expected = "a tensor, or an array of numpy" if tensor is query else _library(query)
            raise BadArgumentError(f"{name} must be {expected}; got {type(tensor).__name__}.")
        if torch is None or isinstance(tensor, np.ndarray):
            continue
        if tensor.layout is not torch.strided:
            raise BadArgumentError(
                f"{name} must be a dense tensor; got layout {str(tensor.layout)[6:]}."
                " Call its to_dense() first."
            )
        if tensor is not query and tensor.device != query.device:
            raise BadArgumentError(
                f"{name} must be on query's device {query.device}; got {tensor.device}."
                " Move one of them first."
            )


def _library(query: Tensor) -> str:
    kind = "an array of numpy" if arrays_of(query) is NUMPY else "a tensor"
    return f"{kind} like query"


def _check_shapes(query: Tensor, key: Tensor, value: Tensor, score: Score) -> None:
    batch, heads, _, query_dim = query.shape
    key_batch, key_heads, keys, key_dim = key.shape
    if value.shape[:3] != key.shape[:3]:
        raise BadArgumentError(
            "value must have key's batch, heads and length"
            f" {(key_batch, key_heads, keys)}; got {tuple(value.shape)[:3]}."
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
        kinds = _names(query.dtype, key.dtype, value.dtype)
        raise BadArgumentError(
            f"query, key and value must share one dtype; got {kinds}. Cast them first."
        )
    if dtype_of(query) not in DTYPES:
        raise BadArgumentError(
            f"query, key and value must have one of the dtypes {', '.join(DTYPES)};"
            f" got {_names(query.dtype)}. Cast them first."
        )


def _check_bias(bias: Tensor, expected: tuple[int, int, int, int]) -> Tensor:
    got = tuple(bias.shape)
    fits = len(got) <= 4 and all(
        size in (1, want) for size, want in zip(got[::-1], expected[::-1], strict=False)
    )
    if not fits:
        transposed = len(got) >= 2 and (got[-1], got[-2]) == expected[-2:]
        hint = " Did you transpose it?" if transposed else ""
        raise BadArgumentError(
            f"bias must broadcast to (batch, heads, queries, keys) = {expected}; got {got}.{hint}"
        )
    if not dtype_of(bias).startswith(("float", "bfloat")):
        raise BadArgumentError(
            f"bias must be floating point; got {_names(bias.dtype)}:"
            " pass True and False as mask instead."
        )
    return bias[(None,) * (4 - bias.ndim)]


def _four(tensor: Tensor) -> Tensor:
    """Axes of one for the batch and the heads that were left out."""
    if tensor.ndim not in (2, 3):
        raise BadArgumentError(
            "query, key and value must be (batch, heads, positions, dim), (heads, positions, dim)"
            f" or (positions, dim); got shape {tuple(tensor.shape)}."
        )
    return tensor[(None,) * (4 - tensor.ndim)]


def _names(*dtypes: "torch.dtype") -> str:
    return ", ".join(str(dtype).removeprefix("torch.") for dtype in dtypes)
