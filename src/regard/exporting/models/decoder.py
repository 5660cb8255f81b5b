"""The graphs of Decoder: one step of a language model, whose keys and values are written into
shared storage; or, of a model that reads a text for a head, the whole text at once.

step.onnx    ids, positions, lengths, longest, last, past keys and values
             → the tokens after each row's last (`heads.next_tokens`), the same keys and values
               with the new ones
body.onnx    ids, mask → states; of a classification, the last token's
head.onnx    states → output
"""

import numpy as np

from regard.exporting.graph import INT32, INT64, Graph, as_array
from regard.exporting.layers.embeddings import embedding
from regard.exporting.layers.shared_cache import SharedCache, shared_cache_attention
from regard.exporting.layers.transformer import Attend, stack
from regard.exporting.linear import product
from regard.exporting.models.heads import (
    add_not_padding,
    head_graphs,
    last_state,
    next_tokens,
    positions_of,
)
from regard.layers import Embedding, MultiHeadAttention
from regard.models import Decoder


def graphs(model: Decoder, precision: str) -> dict[str, Graph]:
    """The graphs by the names of their files."""
    if model.head is None:
        return {"step": _step(model, Graph(precision))}
    body = {"body": _body(model, Graph(precision))}
    return body | head_graphs(model.head, model.config.d_model, precision)


def _step(model: Decoder, graph: Graph) -> Graph:
    config = model.config
    ids = graph.input("ids", np.int64, ("rows", "new"))
    last = graph.input("last", np.int64, ("rows", 1))
    positions = ""
    if config.positions == "learned":
        positions = graph.input("positions", np.int64, ("rows", "new"))
    cache = SharedCache(graph, max_positions=config.max_positions)

    def attend(index: int, x: str, module: MultiHeadAttention) -> str:
        return cache.attend(index, x, module, window=model.decoder.windows[index])

    states = _states(model, graph, ids, positions, attend)
    newest = graph.op("GatherND", states, last, batch_dims=1)
    logits = product(graph, newest, as_array(model.output_weight))
    if (cap := config.output_cap) is not None:
        level, shrink = (graph.constant(np.array(x, np.float32)) for x in (cap, 1 / cap))
        logits = graph.op("Mul", graph.op("Tanh", graph.op("Mul", logits, shrink)), level)
    next_tokens(graph, logits, config.vocab_size)
    cache.to_outputs()
    return graph


def _body(model: Decoder, graph: Graph) -> Graph:
    """Padding is on the right, where no token sees it."""
    config = model.config
    ids = graph.input("ids", np.int64, ("batch", "length"))
    mask = graph.input("mask", np.int32, ("batch", "length"))
    count = graph.op("ReduceSum", mask, graph.integers(1), keepdims=0)
    lengths = graph.op("Sub", count, graph.constant(np.array(1, np.int32)))
    longest = graph.op("Cast", graph.op("Shape", ids, start=1, end=2), to=INT32)

    def attend(index: int, x: str, module: MultiHeadAttention) -> str:
        return shared_cache_attention(
            graph,
            x,
            module,
            ("", ""),
            lengths=lengths,
            longest=longest,
            window=model.decoder.windows[index],
            max_positions=config.max_positions,
        )[0]

    states = _states(model, graph, ids, positions_of(graph, ids), attend)
    if config.head == "classification":
        tokens = graph.op("Cast", mask, to=INT64)
        if config.pad_id is not None:  # a pad_id that the mask lets through is padding
            tokens = graph.op("Mul", tokens, add_not_padding(graph, ids, config.pad_id, INT64))
        states = last_state(graph, states, tokens)
    graph.output(states, "states", np.float32, ("batch", "chosen", config.d_model))
    return graph


def _states(model: Decoder, graph: Graph, ids: str, positions: str, attend: Attend) -> str:
    assert isinstance(model.decoder.embed, Embedding)
    x = embedding(graph, ids, model.decoder.embed, positions=positions)
    return stack(graph, x, model.decoder, attend)
