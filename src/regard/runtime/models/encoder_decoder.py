"""The graphs of EncoderDecoder: the encoder once for each text, the decoder once for each token.

encoder.onnx    ids, mask → states, and for each decoder layer the memory's keys and values
step.onnx       tokens, positions, mask, memory, past keys and values → logits, all keys and values
"""

import numpy as np

from regard.layers import Embedding, MultiHeadAttention
from regard.models import EncoderDecoder
from regard.runtime.graph import Graph, as_array, cannot_pack
from regard.runtime.layers.attention import (
    cached_self_attention,
    cross_attention,
    memory_of,
    self_attention,
)
from regard.runtime.layers.embeddings import embedding
from regard.runtime.layers.relative_bias import relative_bias
from regard.runtime.layers.transformer import stack
from regard.runtime.linear import product


def graphs(model: EncoderDecoder, precision: str) -> dict[str, Graph]:
    """The graphs by the names of their files."""
    if model.head is not None:
        raise cannot_pack(f"an encoder–decoder with the head {model.config.head!r}")
    return {
        "encoder": _encoder(model, Graph(precision)),
        "step": _step(model, Graph(precision)),
    }


def _encoder(model: EncoderDecoder, graph: Graph) -> Graph:
    ids = graph.input("ids", np.int64, ("batch", "source"))
    mask = graph.input("mask", np.int32, ("batch", "source"))
    length = graph.op("Squeeze", graph.op("Shape", ids, start=1, end=2))
    positions = graph.op("Range", graph.integer(0), length, graph.integer(1))
    bias = ""
    if model.encoder.relative_bias is not None:
        bias = relative_bias(graph, positions, positions, model.encoder.relative_bias)

    def attend(index: int, x: str, module: MultiHeadAttention) -> str:
        return self_attention(graph, x, module, mask=mask, bias=bias)

    assert isinstance(model.encoder.embed, Embedding)
    x = embedding(graph, ids, model.encoder.embed, positions=positions)
    states = stack(graph, x, model.encoder, attend)
    graph.output(states, "states", np.float32, ("batch", "source", model.config.d_model))
    for index, module in enumerate(_cross(model)):
        shape = ("batch", module.num_heads, "source", module.head_dim)
        for name, value in zip("kv", memory_of(graph, states, module), strict=True):
            graph.output(value, f"memory_{name}{index}", np.float32, shape)
    return graph


def _step(model: EncoderDecoder, graph: Graph) -> Graph:
    config = model.config
    tokens = graph.input("tokens", np.int64, ("rows", "new"))
    positions = graph.input("positions", np.int64, ("new",))
    mask = graph.input("mask", np.int32, ("batch", "source"))
    bias = _past_bias(model, graph, positions)
    caches: list[tuple[str, str]] = []

    def attend(index: int, x: str, module: MultiHeadAttention) -> str:
        shape = ("rows", module.num_heads, "past", module.head_dim)
        key, value = (graph.input(f"past_{n}{index}", np.float32, shape) for n in "kv")
        y, *cache = cached_self_attention(graph, x, module, (key, value), bias=bias)
        caches.append((cache[0], cache[1]))
        return y

    def cross(index: int, x: str, module: MultiHeadAttention) -> str:
        shape = ("batch", module.num_heads, "source", module.head_dim)
        key, value = (graph.input(f"memory_{n}{index}", np.float32, shape) for n in "kv")
        return cross_attention(graph, x, module, (key, value), mask=mask)

    assert isinstance(model.decoder.embed, Embedding)
    x = embedding(graph, tokens, model.decoder.embed, positions=positions)
    states = stack(graph, x, model.decoder, attend, cross)
    last = graph.op("Gather", states, graph.integer(-1), axis=1)
    output = as_array(model.output_weight)
    if config.scale_output:
        output = output * np.float32(config.d_model**-0.5)
    bias_of_logits = None if model.logits_bias is None else as_array(model.logits_bias)
    logits = product(graph, last, output, bias_of_logits)
    graph.output(logits, "logits", np.float32, ("rows", config.decoder_vocab_size))
    for index, (module, cache) in enumerate(zip(_own(model), caches, strict=True)):
        shape = ("rows", module.num_heads, "total", module.head_dim)
        for name, value in zip("kv", cache, strict=True):
            graph.output(value, f"all_{name}{index}", np.float32, shape)
    return graph


def _past_bias(model: EncoderDecoder, graph: Graph, positions: str) -> str:
    if model.decoder.relative_bias is None:
        return ""
    last = graph.op("Gather", positions, graph.integer(-1))
    total = graph.op("Add", last, graph.integer(1))
    keys = graph.op("Range", graph.integer(0), total, graph.integer(1))
    return relative_bias(graph, positions, keys, model.decoder.relative_bias)


def _own(model: EncoderDecoder) -> list[MultiHeadAttention]:
    return [layer.self_attention for layer in model.decoder.layers]  # type: ignore[misc]


def _cross(model: EncoderDecoder) -> list[MultiHeadAttention]:
    return [layer.cross_attention for layer in model.decoder.layers]  # type: ignore[misc]
