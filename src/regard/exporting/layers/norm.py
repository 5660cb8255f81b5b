"""Normalization: the operators of LayerNorm and RMSNorm."""

from torch import nn

from regard.exporting.graph import Graph, cannot_export
from regard.layers import RMSNorm


def norm(graph: Graph, x: str, module: nn.Module) -> str:
    """x (…, width) → the same shape."""
    if isinstance(module, nn.Identity):
        return x
    if isinstance(module, RMSNorm):
        weight = graph.constant(module.weight)
        return graph.op("SimplifiedLayerNormalization", x, weight, axis=-1, epsilon=module.eps)
    if isinstance(module, nn.LayerNorm):
        weight, bias = graph.constant(module.weight), graph.constant(module.bias)
        return graph.op("LayerNormalization", x, weight, bias, axis=-1, epsilon=module.eps)
    raise cannot_export(f"the normalization {type(module).__name__}")
