"""The graphs of EncoderDecoder: the encoder once for each text, the decoder once for each token;
or, of a model that reads a text for a head, both at once.

encoder.onnx    ids, mask → states, and for each decoder layer the memory's keys and values
step.onnx       tokens, positions, mask, memory, past keys and values → logits, all keys and values
body.onnx       ids → the decoder's states; of a classification, the last end token's, and ended:
                whether there is one
head.onnx       states → output
"""

import numpy as np

from regard.layers import Embedding, MultiHeadAttention, Stack
from regard.models import EncoderDecoder
from regard.runtime.graph import INT32, INT64, Graph, as_array
from regard.runtime.layers.attention import (
    cached_self_attention,
    cross_attention,
    memory_of,
    self_attention,
)
from regard.runtime.layers.embeddings import embedding
from regard.runtime.layers.relative_bias import relative_bias
from regard.runtime.layers.transformer import Attend, stack
from regard.runtime.linear import product
from regard.runtime.models.heads import head_graphs, last_state, positions_of


def graphs(model: EncoderDecoder, precision: str) -> dict[str, Graph]:
    """The graphs by the names of their files."""
    if model.head is not None:
        body = {"body": _body(model, Graph(precision))}
        return body | head_graphs(model.head, model.config.d_model, precision)
    return {
        "encoder": _encoder(model, Graph(precision)),
        "step": _step(model, Graph(precision)),
    }


def _encoder(model: EncoderDecoder, graph: Graph) -> Graph:
    ids = graph.input("ids", np.int64, ("batch", "source"))
    mask = graph.input("mask", np.int32, ("batch", "source"))
    states = _states(graph, ids, model.encoder, mask=mask)
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


def _body(model: EncoderDecoder, graph: Graph) -> Graph:
    config = model.config
    ids = graph.input("ids", np.int64, ("batch", "length"))
    padding = graph.op("Equal", ids, graph.integer(config.pad_id))
    mask = graph.op("Cast", graph.op("Not", padding), to=INT32)
    memory = _states(graph, ids, model.encoder, mask=mask)

    def cross(index: int, x: str, module: MultiHeadAttention) -> str:
        pair = memory_of(graph, memory, module)
        return cross_attention(graph, x, module, pair, mask=mask)

    batch = graph.op("Shape", ids, start=0, end=1)
    shape = graph.op("Concat", batch, graph.integers(1), axis=0)
    start = graph.op("Expand", graph.integer(config.start_id), shape)
    before = graph.op("Slice", ids, graph.integers(0), graph.integers(-1), graph.integers(1))
    shifted = graph.op("Concat", start, before, axis=1)
    states = _states(graph, shifted, model.decoder, cross=cross)
    if config.scale_output:
        states = graph.op("Mul", states, graph.number(config.d_model**-0.5))
    if config.head == "classification":
        ends = graph.op("Cast", graph.op("Equal", ids, graph.integer(config.eos_id)), to=INT64)
        ended = graph.op("ReduceMax", ends, graph.integers(1), keepdims=0)
        graph.output(ended, "ended", np.int64, ("batch",))
        states = last_state(graph, states, ends)
    graph.output(states, "states", np.float32, ("batch", "chosen", config.d_model))
    return graph


def _states(
    graph: Graph, ids: str, module: Stack, *, mask: str = "", cross: Attend | None = None
) -> str:
    """ids (batch, length), all at once → (batch, length, d_model)."""
    positions, bias = positions_of(graph, ids), ""
    if module.relative_bias is not None:
        bias = relative_bias(graph, positions, positions, module.relative_bias)

    def attend(index: int, x: str, attention: MultiHeadAttention) -> str:
        causal = module.causal
        return self_attention(graph, x, attention, mask=mask, bias=bias, causal=causal)

    assert isinstance(module.embed, Embedding)
    x = embedding(graph, ids, module.embed, positions=positions)
    return stack(graph, x, module, attend, cross)


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
