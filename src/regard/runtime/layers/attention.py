"""Multi-head attention: the operators of MultiHeadAttention, with and without a cache."""

from typing import Any

import torch

from regard.attention.scores import dot, scaled, scaled_dot
from regard.layers import MultiHeadAttention, Rotary
from regard.runtime.graph import MICROSOFT, Graph, cannot_pack
from regard.runtime.linear import linear, scaled_projection, split


def self_attention(
    graph: Graph,
    x: str,
    module: MultiHeadAttention,
    *,
    mask: str = "",
    bias: str = "",
    causal: bool = False,
) -> str:
    """x (batch, length, d_model) → the same shape.

    Args:
        mask: (batch, length) of int32, 0 for padding.
        bias: (1, heads, length, length), added to the scores.
        causal: whether a position attends to itself and the past only.
    """
    query, key, value = _projected(graph, x, module)
    settings = _settings(module) | {"unidirectional": int(causal)}
    y = graph.op("MultiHeadAttention", query, key, value, "", mask, bias, **settings)
    return linear(graph, y, module.output)


def cached_self_attention(
    graph: Graph,
    x: str,
    module: MultiHeadAttention,
    past: tuple[str, str],
    *,
    bias: str,
    parts: str,
) -> tuple[str, str, str]:
    """x (rows, 1, d_model) → the same shape, and its own keys and values, (rows, heads, 1,
    head_dim) each, for which the caller has room behind the past.

    The past is read where it is: putting the new keys behind it would copy all of it at each step.

    Args:
        past: keys and values so far, (rows, heads, room, head_dim) each.
        bias: (1, 1 or heads, 1, room + 1), added to the scores; it masks the room that is empty.
            The last is the score of x itself.
        parts: the numbers room and 1.
    """
    _check_plain(module)
    scaled_query = scaled_projection(module.query, _settings(module)["scale"])
    together = linear(graph, x, scaled_query, module.key, module.value)
    shape = graph.integers(0, 3 * module.num_heads, 1, module.head_dim)
    heads = graph.op("Reshape", together, shape)
    query, key, value = split(graph, heads, (module.num_heads,) * 3, axis=1)
    before = graph.op("FusedMatMul", query, past[0], domain=MICROSOFT, transB=1)
    own = graph.op("ReduceSum", graph.op("Mul", query, key), graph.integers(-1), keepdims=1)
    scores = graph.op("Add", graph.op("Concat", before, own, axis=-1), bias)
    weights = graph.op("Softmax", scores, axis=-1)
    of_past, of_own = graph.ops("Split", weights, parts, outputs=2, axis=-1)
    before = graph.op("MatMul", of_past, past[1])
    y = graph.op("Add", before, graph.op("Mul", of_own, value))
    together = graph.op("Reshape", y, graph.integers(0, 1, module.num_heads * module.head_dim))
    return linear(graph, together, module.output), key, value


def memory_of(graph: Graph, memory: str, module: MultiHeadAttention) -> tuple[str, str]:
    """The keys and values of cross-attention: memory (batch, source, d_model) → (batch, heads,
    head_dim, source) and (batch, heads, source, head_dim)."""
    both = linear(graph, memory, module.key, module.value)
    width = module.num_key_heads * module.head_dim
    key, value = split(graph, both, (width, width))
    return _heads(graph, key, module, [0, 2, 3, 1]), _heads(graph, value, module, [0, 2, 1, 3])


def cross_attention(
    graph: Graph,
    x: str,
    module: MultiHeadAttention,
    memory: tuple[str, str],
    *,
    bias: str,
    grouped: str,
    rows: str,
) -> str:
    """x (rows, 1, d_model) → the same shape.

    Args:
        memory: what `memory_of` returned. Its batch divides the rows: neighboring rows share a
            source, and are further queries of it here, so that the memory is not repeated.
        bias: (batch, 1, 1, source), added to the scores; it masks padding.
        grouped: the shape (batch, −1, heads, head_dim).
        rows: the shape of the heads side by side, (rows, 1, −1).
    """
    query = graph.op("Reshape", linear(graph, x, module.query), grouped)
    query = graph.op("Transpose", query, perm=[0, 2, 1, 3])
    scale = _settings(module)["scale"]
    scores = graph.op("FusedMatMul", query, memory[0], domain=MICROSOFT, alpha=scale)
    weights = graph.op("Softmax", graph.op("Add", scores, bias), axis=-1)
    y = graph.op("Transpose", graph.op("MatMul", weights, memory[1]), perm=[0, 2, 1, 3])
    return linear(graph, graph.op("Reshape", y, rows), module.output)


def whole_cross_attention(
    graph: Graph, x: str, module: MultiHeadAttention, memory: str, *, mask: str
) -> str:
    """x (batch, length, d_model), of a whole text at once → the same shape.

    Args:
        memory: (batch, source, d_model).
        mask: (batch, source) of int32, 0 for padding.
    """
    query = linear(graph, x, module.query)
    width = module.num_key_heads * module.head_dim
    key, value = split(graph, linear(graph, memory, module.key, module.value), (width, width))
    settings = _settings(module)
    y = graph.op("MultiHeadAttention", query, key, value, "", mask, **settings)
    return linear(graph, y, module.output)


def shared_cache_attention(
    graph: Graph,
    x: str,
    module: MultiHeadAttention,
    past: tuple[str, str],
    *,
    lengths: str,
    longest: str,
    window: int | None,
    max_positions: int,
) -> tuple[str, str, str]:
    """x (rows, new, d_model) → the same shape, and the caches with what is new written into them.

    Query heads may share key heads, and rotary positions are in the operator.

    Args:
        past: storage of keys and values, (rows, key_heads, room, head_dim) each; two "" where
            x is the whole text.
        lengths: (rows,) of int32: how many tokens each row has with these, minus 1.
        longest: (1,) of int32: the largest number of tokens of a row.
        window: how many positions a position attends to, itself included; None: all so far.
        max_positions: of the rotary tables.
    """
    together = linear(graph, x, module.query, module.key, module.value)
    tables: tuple[str, ...] = ()
    settings = _settings(module) | {"kv_num_heads": module.num_key_heads}
    if module.head_dim % (8 if module.rotary is None else 16):
        rotary = "" if module.rotary is None else " and rotary positions"
        raise cannot_pack(f"a decoder with heads of {module.head_dim} numbers{rotary}")
    if module.rotary is not None:
        tables = _tables(graph, module.rotary, max_positions)
        settings |= {"do_rotary": 1, "rotary_interleaved": 0}
    if window is not None:
        settings["local_window_size"] = window
    inputs = (together, "", "", *past, lengths, longest, *tables)
    y, keys, values = graph.ops("GroupQueryAttention", *inputs, outputs=3, **settings)
    return linear(graph, y, module.output), keys, values


def _projected(graph: Graph, x: str, module: MultiHeadAttention) -> tuple[str, ...]:
    _check_plain(module)
    together = linear(graph, x, module.query, module.key, module.value)
    return split(graph, together, (module.num_heads * module.head_dim,) * 3)


def _check_plain(module: MultiHeadAttention) -> None:
    if module.rotary is not None or module.num_key_heads != module.num_heads:
        raise cannot_pack("attention with rotary positions or shared keys, outside a decoder,")


def _heads(graph: Graph, x: str, module: MultiHeadAttention, order: list[int]) -> str:
    """x (batch, length, heads · head_dim) → (batch, length, heads, head_dim) in another order."""
    parted = graph.op("Reshape", x, graph.integers(0, 0, -1, module.head_dim))
    return graph.op("Transpose", parted, perm=order)


def _settings(module: MultiHeadAttention) -> dict[str, Any]:
    if module.score is scaled_dot:
        scale = module.head_dim**-0.5
    elif module.score is dot:
        scale = 1.0
    elif isinstance(module.score, scaled):
        scale = module.score.factor
    else:
        name = getattr(module.score, "__name__", type(module.score).__name__)
        raise cannot_pack(f"the score {name}")
    return {"domain": MICROSOFT, "num_heads": module.num_heads, "scale": scale}


def _tables(graph: Graph, rotary: Rotary, max_positions: int) -> tuple[str, str]:
    angles = torch.arange(max_positions)[:, None].float() * rotary.frequencies
    cosine, sine = angles.cos() * rotary.attention_factor, angles.sin() * rotary.attention_factor
    return graph.constant(cosine), graph.constant(sine)
