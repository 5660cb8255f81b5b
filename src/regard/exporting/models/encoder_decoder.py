"""The graphs of EncoderDecoder: the encoder once for each text, the decoder once for each token;
or, of a model that reads a text for a head, both at once.

encoder.onnx    ids, mask → states, and for each decoder layer the memory's keys and values, whose
                length is padded to whole blocks
step.onnx       tokens, their position, one for all rows or one each, memory and its mask, past keys
                and values (`SharedCache`)
                → the next tokens (`heads.next_tokens`), the same keys and values with the new ones
body.onnx       ids → the decoder's states; of a classification, the last end token's, and ended:
                whether there is one
head.onnx       states → output
"""

import numpy as np

from regard.exporting.graph import INT32, INT64, Graph, as_array
from regard.exporting.layers.attention import (
    cross_attention,
    memory_of,
    self_attention,
    whole_cross_attention,
)
from regard.exporting.layers.embeddings import embedding
from regard.exporting.layers.relative_bias import relative_bias
from regard.exporting.layers.shared_cache import SharedCache
from regard.exporting.layers.transformer import Attend, stack
from regard.exporting.linear import product
from regard.exporting.models.heads import (
    add_not_padding,
    head_graphs,
    last_state,
    next_tokens,
    positions_of,
)
from regard.layers import Embedding, MultiHeadAttention, Stack
from regard.models import EncoderDecoder

BLOCK = 16  # keys


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
    positions = ""
    if not model.config.count_padding:  # of padding: -1, the row before
        token = graph.op("Cast", mask, to=INT64)
        counted = graph.op("Mul", graph.op("CumSum", token, graph.integer(1)), token)
        positions = graph.op("Sub", counted, graph.integer(1))
    states = _states(graph, ids, model.encoder, mask=mask, positions=positions)
    states = graph.output(states, "states", np.float32, ("batch", "source", model.config.d_model))
    padded = _in_whole_blocks(graph, states)
    for index, layer in enumerate(model.decoder.layers):
        module = layer.cross_attention
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
    heads, width = config.decoder_heads, model.decoder.layers[0].self_attention.head_dim
    tokens = graph.input("tokens", np.int64, ("rows", 1))
    position = graph.input("position", np.int64, ("positions",))  # 1, or rows
    mask = graph.input("mask", np.float32, ("batch", 1, 1, "source"))
    bias = _bias(model, graph, position)
    batch = graph.op("Shape", mask, start=0, end=1)
    grouped = graph.op("Concat", batch, graph.integers(-1, heads, width), axis=0)
    rows = graph.op("Concat", graph.op("Shape", tokens), graph.integers(-1), axis=0)
    cache = SharedCache(graph, max_positions=None, bias=bias)

    def cross(index: int, x: str, module: MultiHeadAttention) -> str:
        key = graph.input(f"memory_k{index}", np.float32, ("batch", heads, width, "source"))
        value = graph.input(f"memory_v{index}", np.float32, ("batch", heads, "source", width))
        return cross_attention(
            graph, x, module, (key, value), bias=mask, grouped=grouped, rows=rows
        )

    assert isinstance(model.decoder.embed, Embedding)
    places = graph.op("Unsqueeze", position, graph.integers(1))
    x = embedding(graph, tokens, model.decoder.embed, positions=places)
    states = stack(graph, x, model.decoder, cache.attend, cross)
    output = as_array(model.output_weight)
    if config.scale_output:
        output = output * np.float32(config.d_model**-0.5)
    bias_of_logits = None if model.logits_bias is None else as_array(model.logits_bias)
    logits = product(graph, graph.op("Squeeze", states, graph.integers(1)), output, bias_of_logits)
    next_tokens(graph, logits, config.decoder_vocab_size)
    cache.to_outputs()
    return graph


def _body(model: EncoderDecoder, graph: Graph) -> Graph:
    config = model.config
    ids = graph.input("ids", np.int64, ("batch", "length"))
    mask = add_not_padding(graph, ids, config.pad_id, INT32)
    memory = _states(graph, ids, model.encoder, mask=mask)

    def cross(index: int, x: str, module: MultiHeadAttention) -> str:
        return whole_cross_attention(graph, x, module, memory, mask=mask)

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
    graph: Graph,
    ids: str,
    module: Stack,
    *,
    mask: str = "",
    positions: str = "",
    cross: Attend | None = None,
) -> str:
    """ids (batch, length), all at once → (batch, length, d_model)."""
    positions, bias = positions or positions_of(graph, ids), ""
    if module.relative_bias is not None:
        bias = relative_bias(graph, positions, positions, module.relative_bias)

    def attend(index: int, x: str, attention: MultiHeadAttention) -> str:
        causal = module.causal
        return self_attention(graph, x, attention, mask=mask, bias=bias, causal=causal)

    assert isinstance(module.embed, Embedding)
    x = embedding(graph, ids, module.embed, positions=positions)
    return stack(graph, x, module, attend, cross)


def _bias(model: EncoderDecoder, graph: Graph, position: str) -> str:
    """The bias of relative positions, (positions, heads, 1, longest), or ""."""
    if model.decoder.relative_bias is None:
        return ""
    last = graph.op("ReduceMax", position, keepdims=0)
    keys = graph.op(
        "Range", graph.integer(0), graph.op("Add", last, graph.integer(1)), graph.integer(1)
    )
    bias = relative_bias(graph, position, keys, model.decoder.relative_bias)
    return graph.op("Transpose", bias, perm=[2, 1, 0, 3])
