"""Normalization: the operators of LayerNorm and RMSNorm."""

import numpy as np
from torch import nn

from regard.exporting.graph import Graph, as_array, cannot_export
from regard.layers import RMSNorm


def norm(graph: Graph, x: str, module: nn.Module) -> str:
    """x (…, width) → the same shape."""
    if isinstance(module, nn.Identity):
        return x
    if isinstance(module, RMSNorm):
        weight = graph.constant(module.factor)
        return graph.op("SimplifiedLayerNormalization", x, weight, axis=-1, epsilon=module.eps)
    if isinstance(module, nn.LayerNorm):
        parts = [graph.constant(part) for part in (module.weight, module.bias) if part is not None]
        return graph.op("LayerNormalization", x, *parts, axis=-1, epsilon=module.eps)
    raise cannot_export(f"the normalization {type(module).__name__}")


def heads_norm(graph: Graph, x: str, module: nn.Module, head_dim: int, width: int) -> str:
    """Queries or keys, (rows, new, heads · width), normalized by head or as one vector.

    The zeros behind a head are normalized with it, so what divides its sum of squares is too large
    by width / head_dim.
    """
    if not isinstance(module, RMSNorm):
        raise cannot_export(f"the normalization {type(module).__name__} of queries and keys")
    weight, excess = as_array(module.factor).reshape(-1, head_dim), width / head_dim
    padded = np.pad(weight / np.float32(excess**0.5), ((0, 0), (0, width - head_dim)))
    if by_head := len(weight) == 1:
        x = graph.op("Reshape", x, graph.integers(0, 0, -1, width))
    inputs, epsilon = (x, graph.constant(padded.ravel())), module.eps / excess
    y = graph.op("SimplifiedLayerNormalization", *inputs, axis=-1, epsilon=epsilon)
    return graph.op("Reshape", y, graph.integers(0, 0, -1)) if by_head else y
