"""Multi-head attention: the operators of MultiHeadAttention, without a cache of its own keys."""

from collections.abc import Callable
from typing import Any

from torch import nn

from regard.attention.scores import capped, dot, scaled, scaled_dot
from regard.exporting.graph import MICROSOFT, Graph, cannot_export
from regard.exporting.linear import linear, product, side_by_side, split
from regard.layers import MultiHeadAttention


def self_attention(
    graph: Graph,
    x: str,
    module: MultiHeadAttention,
    *,
    mask: str = "",
    bias: str = "",
    causal: bool = False,
    rotate: Callable[[str], str] | None = None,
) -> str:
    """x (batch, length, d_model) → the same shape.

    Args:
        mask: (batch, length) of int32, 0 for padding.
        bias: (1, heads or 1, length, length), added to the scores.
        causal: whether a position attends to itself and the past only.
        rotate: rotates queries, or keys, (batch, length, heads · head_dim).
    """
    if (module.rotary is None) != (rotate is None) or module.num_key_heads != module.num_heads:
        raise cannot_export("attention with rotary positions or shared keys, outside a decoder,")
    weight, added = side_by_side(module.query, module.key, module.value)
    width = module.num_heads * module.head_dim
    settings = settings_of(module) | {"unidirectional": int(causal)}
    biases = graph.constant(added)
    if rotate is None:
        query, key, value = split(graph, product(graph, x, weight), (width,) * 3)
    else:
        query, key, value = split(graph, product(graph, x, weight, added), (width,) * 3)
        query, key, biases = rotate(query), rotate(key), ""
    inputs = (query, key, value, biases, mask, bias)
    y = graph.op("MultiHeadAttention", *inputs, **settings)
    return linear(graph, y, module.output)


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
    scale = settings_of(module)["scale"]
    scores = graph.op("FusedMatMul", query, memory[0], domain=MICROSOFT, alpha=scale)
    weights = graph.op("Softmax", graph.op("Add", scores, bias), axis=-1)
    y = graph.op("Transpose", graph.op("MatMul", weights, memory[1]), perm=[0, 2, 1, 3])
    return linear(graph, graph.op("Reshape", y, rows), module.output)


def whole_cross_attention(
    graph: Graph, x: str, module: MultiHeadAttention, memory: str, *, mask: str = ""
) -> str:
    """x (batch, length, d_model), all at once → the same shape.

    Args:
        memory: (batch, source, d_model).
        mask: (batch, source) of int32, 0 for padding.
    """
    query = linear(graph, x, module.query)
    both = linear(graph, memory, module.key, module.value)
    key, value = split(graph, both, (module.num_key_heads * module.head_dim,) * 2)
    y = graph.op("MultiHeadAttention", query, key, value, "", mask, **settings_of(module))
    return linear(graph, y, module.output)


def _heads(graph: Graph, x: str, module: MultiHeadAttention, order: list[int]) -> str:
    """x (batch, length, heads · head_dim) → (batch, length, heads, head_dim) in another order."""
    parted = graph.op("Reshape", x, graph.integers(0, 0, -1, module.head_dim))
    return graph.op("Transpose", parted, perm=order)


def settings_of(module: MultiHeadAttention, *, decodes: bool = False) -> dict[str, Any]:
    """The attributes of ONNX Runtime's attention operators. That which `decodes` can cap scores,
    and is given queries and keys that have been normalized where the module does so."""
    if module.sinks is not None:
        raise cannot_export("attention with a learned sink")
    if not decodes and not isinstance(module.query_norm, nn.Identity):
        raise cannot_export("attention with normalized queries and keys, outside a decoder,")
    settings, score = {"domain": MICROSOFT, "num_heads": module.num_heads}, module.score
    if decodes and isinstance(score, capped):
        settings["softcap"], score = score.cap, score.score
    if score is scaled_dot:
        scale = module.head_dim**-0.5
    elif score is dot:
        scale = 1.0
    elif isinstance(score, scaled):
        scale = score.factor
    else:
        name = getattr(score, "__name__", type(score).__name__)
        raise cannot_export(f"the score {name}")
    return settings | {"scale": scale}
