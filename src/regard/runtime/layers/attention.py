"""Multi-head attention: the operators of MultiHeadAttention, with and without a cache."""

from typing import Any

import numpy as np
import torch

from regard.attention.scores import dot, scaled, scaled_dot
from regard.layers import MultiHeadAttention, Rotary
from regard.runtime.graph import MICROSOFT, Graph, cannot_pack
from regard.runtime.linear import linear, split

# What a masked score becomes; its exponential is 0 beside any other.
MASKED = float(np.finfo(np.float32).min)


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
    graph: Graph, x: str, module: MultiHeadAttention, past: tuple[str, str], *, bias: str = ""
) -> tuple[str, str, str]:
    """x (rows, new, d_model) → the same shape, and all keys and values.

    Args:
        past: keys and values so far, (rows, heads, past, head_dim) each; the new ones follow them.
        bias: (1, heads, new, past + new), added to the scores.
    """
    query, key, value = _projected(graph, x, module)
    inputs = (query, key, value, "", "", bias, *past)
    settings = _settings(module) | {"unidirectional": 1}
    y, keys, values = graph.ops("MultiHeadAttention", *inputs, outputs=3, **settings)
    return linear(graph, y, module.output), keys, values


def memory_of(graph: Graph, memory: str, module: MultiHeadAttention) -> tuple[str, str]:
    """The keys and values of cross-attention: memory (batch, source, d_model) → (batch, heads,
    source, head_dim) each."""
    both = linear(graph, memory, module.key, module.value)
    width = module.num_key_heads * module.head_dim
    key, value = split(graph, both, (width, width))
    return _heads(graph, key, module), _heads(graph, value, module)


def cross_attention(
    graph: Graph, x: str, module: MultiHeadAttention, memory: tuple[str, str], *, mask: str
) -> str:
    """x (rows, new, d_model) → the same shape.

    Args:
        memory: what `memory_of` returned. Its batch divides the rows: neighboring rows share a
            source, and are further queries of it here, so that the memory is not repeated.
        mask: (batch, source) of int32, 0 for padding.
    """
    query = linear(graph, x, module.query)
    batch = graph.op("Shape", memory[0], start=0, end=1)
    width = module.num_heads * module.head_dim
    grouped = graph.op("Concat", batch, graph.integers(-1, width), axis=0)
    y = graph.op(
        "MultiHeadAttention",
        graph.op("Reshape", query, grouped),
        *memory,
        "",
        mask,
        **_settings(module),
    )
    y = graph.op("Reshape", y, graph.op("Shape", query))
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
    if module.rotary is not None or module.num_key_heads != module.num_heads:
        raise cannot_pack("attention with rotary positions or shared keys, outside a decoder,")
    together = linear(graph, x, module.query, module.key, module.value)
    return split(graph, together, (module.num_heads * module.head_dim,) * 3)


def _heads(graph: Graph, x: str, module: MultiHeadAttention) -> str:
    parted = graph.op("Reshape", x, graph.integers(0, 0, -1, module.head_dim))
    return graph.op("Transpose", parted, perm=[0, 2, 1, 3])


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
