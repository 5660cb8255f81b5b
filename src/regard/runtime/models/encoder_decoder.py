"""The graphs of EncoderDecoder: the encoder once for each text, the decoder once for each token.

encoder.onnx    ids, mask → states, and for each decoder layer the memory's keys and values, whose
                length is padded to whole blocks
step.onnx       tokens, position, memory and its mask, past keys and values and their mask
                → the next tokens (`heads.next_tokens`), and the new keys and values
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
from regard.runtime.models.heads import next_tokens

BLOCK = 16  # keys


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
    states = graph.output(states, "states", np.float32, ("batch", "source", model.config.d_model))
    padded = _in_whole_blocks(graph, states)
    for index, module in enumerate(_cross(model)):
        heads, width = module.num_heads, module.head_dim
        key, value = memory_of(graph, padded, module)
        graph.output(key, f"memory_k{index}", np.float32, ("batch", heads, width, "padded"))
        graph.output(value, f"memory_v{index}", np.float32, ("batch", heads, "padded", width))
    return graph


def _in_whole_blocks(graph: Graph, states: str) -> str:
    """States (batch, source, d_model) → (batch, padded, d_model): zeros behind each source.

    A product with one query adds the keys that are left over from its blocks in another order, so
    without this a row's bits would depend on the longest source in its batch.
    """
    length = graph.op("Shape", states, start=1, end=2)
    missing = graph.op("Mod", graph.op("Neg", length), graph.integers(BLOCK))
    pads = graph.op("Concat", graph.integers(0, 0, 0, 0), missing, graph.integers(0), axis=0)
    return graph.op("Pad", states, pads)


def _step(model: EncoderDecoder, graph: Graph) -> Graph:
    config = model.config
    heads, width = config.decoder_heads, _own(model)[0].head_dim
    layers = len(model.decoder.layers)
    tokens = graph.input("tokens", np.int64, ("rows", 1))
    position = graph.input("position", np.int64, (1,))
    mask = graph.input("mask", np.float32, ("batch", 1, 1, "source"))
    past_mask = graph.input("past_mask", np.float32, (1, 1, 1, "keys"))  # room, and the new one
    bias = _past_bias(model, graph, position, past_mask)
    batch = graph.op("Shape", mask, start=0, end=1)
    grouped = graph.op("Concat", batch, graph.integers(-1, heads, width), axis=0)
    rows = graph.op("Concat", graph.op("Shape", tokens), graph.integers(-1), axis=0)
    keys = graph.op("Shape", past_mask, start=3, end=4)
    room = graph.op("Sub", keys, graph.integers(1))
    parts = graph.op("Concat", room, graph.integers(1), axis=0)
    new: list[str] = []

    def attend(index: int, x: str, module: MultiHeadAttention) -> str:
        shape = ("rows", heads, "room", width)
        key, value = (graph.input(f"past_{n}{index}", np.float32, shape) for n in "kv")
        y, *own = cached_self_attention(graph, x, module, (key, value), bias=bias, parts=parts)
        new.extend(own)
        return y

    def cross(index: int, x: str, module: MultiHeadAttention) -> str:
        key = graph.input(f"memory_k{index}", np.float32, ("batch", heads, width, "source"))
        value = graph.input(f"memory_v{index}", np.float32, ("batch", heads, "source", width))
        return cross_attention(
            graph, x, module, (key, value), bias=mask, grouped=grouped, rows=rows
        )

    assert isinstance(model.decoder.embed, Embedding)
    x = embedding(graph, tokens, model.decoder.embed, positions=position)
    states = stack(graph, x, model.decoder, attend, cross)
    output = as_array(model.output_weight)
    if config.scale_output:
        output = output * np.float32(config.d_model**-0.5)
    bias_of_logits = None if model.logits_bias is None else as_array(model.logits_bias)
    logits = product(graph, _squeezed(graph, states), output, bias_of_logits)
    next_tokens(graph, logits, config.decoder_vocab_size)
    together = graph.op("Concat", *new, axis=0)  # (2 · layers · rows, heads, 1, head_dim)
    together = graph.op("Reshape", together, graph.integers(2 * layers, -1, heads, width))
    graph.output(together, "new", np.float32, (2 * layers, "rows", heads, width))
    return graph


def _squeezed(graph: Graph, x: str) -> str:
    """x (rows, 1, width) → (rows, width)."""
    return graph.op("Squeeze", x, graph.integers(1))


def _past_bias(model: EncoderDecoder, graph: Graph, position: str, past_mask: str) -> str:
    """The mask of the past, (1, 1, 1, room + 1), with the bias of relative positions."""
    if model.decoder.relative_bias is None:
        return past_mask
    keys = graph.op("Squeeze", graph.op("Shape", past_mask, start=3, end=4))
    room = graph.op("Sub", keys, graph.integer(1))
    before = graph.op("Range", graph.integer(0), room, graph.integer(1))
    places = graph.op("Concat", before, position, axis=0)
    bias = relative_bias(graph, position, places, model.decoder.relative_bias)
    return graph.op("Add", bias, past_mask)


def _own(model: EncoderDecoder) -> list[MultiHeadAttention]:
    return [layer.self_attention for layer in model.decoder.layers]  # type: ignore[misc]


def _cross(model: EncoderDecoder) -> list[MultiHeadAttention]:
    return [layer.cross_attention for layer in model.decoder.layers]  # type: ignore[misc]
