"""A stack of layers: the operators of Stack, TransformerLayer and FeedForward."""

from collections.abc import Callable
from functools import partial

import torch
from torch import nn
from torch.nn import functional

from regard.exporting.graph import MICROSOFT, Graph, cannot_export
from regard.exporting.layers.norm import norm
from regard.exporting.linear import linear
from regard.layers import FeedForward, MultiHeadAttention, Stack, TransformerLayer
from regard.layers.transformer import quick_gelu

# The number of the layer, its input and its attention → its output.
Attend = Callable[[int, str, MultiHeadAttention], str]


def stack(graph: Graph, x: str, module: Stack, attend: Attend, cross: Attend | None = None) -> str:
    """States (batch, length, d_model) → the same shape; the embedding is not part of it here.

    Args:
        attend: self-attention.
        cross: cross-attention, in a decoder that reads a source.
    """
    for index, layer in enumerate(module.layers):
        assert isinstance(layer, TransformerLayer)
        x = transformer_layer(graph, x, layer, index, attend, cross)
    return norm(graph, x, module.norm)


def transformer_layer(
    graph: Graph, x: str, layer: TransformerLayer, index: int, attend: Attend, cross: Attend | None
) -> str:
    """States (batch, length, d_model) → the same shape; the other arguments are those of `stack`.

    ONNX Runtime's operator that adds and normalizes in one step is slower than the two on a CPU.
    """
    sublayers: list[tuple[nn.Module, Callable[[str], str]]] = [
        (
            layer.self_attention_norm,
            lambda x: norm(
                graph, attend(index, x, layer.self_attention), layer.self_attention_output_norm
            ),
        )
    ]
    if (attention := layer.cross_attention) is not None:
        assert cross is not None, "a layer with cross-attention needs memory"
        sublayers.append((layer.cross_attention_norm, lambda x: cross(index, x, attention)))
    sublayers.append(
        (
            layer.feed_forward_norm,
            lambda x: norm(
                graph, feed_forward(graph, x, layer.feed_forward), layer.feed_forward_output_norm
            ),
        )
    )
    for normalization, sublayer in sublayers:
        if layer.norm_first:
            x = graph.op("Add", x, sublayer(norm(graph, x, normalization)))
        else:
            x = norm(graph, graph.op("Add", x, sublayer(x)), normalization)
    return x


def feed_forward(graph: Graph, x: str, module: nn.Module) -> str:
    """x (…, d_model) → the same shape."""
    if not isinstance(module, FeedForward):
        raise cannot_export(f"the feed-forward network {type(module).__name__}")
    if module.gate_limit is not None:
        raise cannot_export("a feed-forward network whose gate has a limit")
    inner = linear(graph, x, module.inner)
    if module.gate is None and module.activation is torch.relu:
        return linear(graph, inner, module.outer, rectified=True)
    if module.gate is None:
        inner = activation(graph, inner, module.activation)
    else:
        gate = activation(graph, linear(graph, x, module.gate), module.activation)
        inner = graph.op("Mul", gate, inner)
    return linear(graph, inner, module.outer)


def activation(graph: Graph, x: str, function: Callable[..., object]) -> str:
    """x (…) → the same shape."""
    if function is torch.relu:
        return graph.op("Relu", x)
    if function is torch.tanh:
        return graph.op("Tanh", x)
    if function is functional.gelu:
        return graph.op("Gelu", x, domain=MICROSOFT)
    if function is functional.silu:
        return graph.op("QuickGelu", x, domain=MICROSOFT, alpha=1.0)  # x · sigmoid(alpha · x)
    if function is quick_gelu:
        return graph.op("QuickGelu", x, domain=MICROSOFT, alpha=1.702)
    if isinstance(function, partial) and function.func is functional.gelu:
        return graph.op("FastGelu", x, domain=MICROSOFT)  # by tanh
    raise cannot_export(f"the activation {getattr(function, '__name__', function)}")
