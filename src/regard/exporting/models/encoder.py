"""The graphs of Encoder: body.onnx, ids, mask and, where there are any, token types → states;
head.onnx, states → output."""

from functools import partial

import numpy as np

from regard.exporting.graph import FLOAT, INT64, Graph
from regard.exporting.layers.attention import self_attention
from regard.exporting.layers.distances import distance_bias, distance_rows_of
from regard.exporting.layers.embeddings import embedding
from regard.exporting.layers.transformer import stack
from regard.exporting.linear import split
from regard.exporting.models.heads import add_not_padding, head_graphs, positions_of
from regard.layers import MultiHeadAttention
from regard.models import Encoder


def graphs(model: Encoder, precision: str) -> dict[str, Graph]:
    """The graphs by the names of their files."""
    graph, config = Graph(precision), model.config
    ids = graph.input("ids", np.int64, ("batch", "length"))
    mask = graph.input("mask", np.int32, ("batch", "length"))
    types = ""
    if config.token_types is not None:
        types = graph.input("token_type_ids", np.int64, ("batch", "length"))

    positions = _positions(model, graph, ids)
    seen = {window: _window(graph, positions, window) for window in {*config.windows} - {None}}

    states_of_distances = model.encoder.distances
    if states_of_distances is not None:
        rows = distance_rows_of(graph, positions, states_of_distances)

    def attend(index: int, x: str, module: MultiHeadAttention) -> str:
        bias, rotary = seen.get(config.windows[index], ""), module.rotary
        if states_of_distances is not None:
            bias = distance_bias(
                graph, x, module, states_of_distances, positions=positions, rows=rows
            )
        rotate = None if rotary is None else partial(_rotated, graph, module, positions)
        return self_attention(
            graph, x, module, mask=mask, bias=bias, causal=config.causal, rotate=rotate
        )

    x = embedding(graph, ids, model.embed, positions=positions, token_type_ids=types)
    states = stack(graph, x, model.encoder, attend)
    shape = ("batch", "length", config.d_model)
    if config.head == "classification" and config.pooling == "mean":
        weights = graph.op("Unsqueeze", graph.op("Cast", mask, to=FLOAT), graph.integers(2))
        total = graph.op("ReduceSum", graph.op("Mul", states, weights), graph.integers(1))
        count = graph.op("ReduceSum", weights, graph.integers(1))
        states, shape = graph.op("Div", total, count), ("batch", "chosen", config.d_model)
    if config.head == "embedding" and config.pooling != "first":
        states, shape = _read(model, graph, ids, states), ("batch", "chosen", config.d_model)
    graph.output(states, "states", np.float32, shape)
    return {"body": graph} | head_graphs(
        model.head, config.d_model, precision, table=model.embed.tokens
    )


def _read(model: Encoder, graph: Graph, ids: str, states: str) -> str:
    """The state that the head "embedding" reads, (batch, 1, d_model): see `place_read`."""
    if model.config.pooling == "last":
        return graph.op("Gather", states, graph.integers(-1), axis=1)
    if model.config.end_id is not None:
        ends = graph.op("Equal", ids, graph.integer(model.config.end_id))
        ids = graph.op("Cast", ends, to=INT64)
    place = graph.op("ArgMax", ids, axis=1, keepdims=1)
    state = graph.op("GatherND", states, place, batch_dims=1)
    return graph.op("Unsqueeze", state, graph.integers(1))


def _window(graph: Graph, positions: str, window: int | None) -> str:
    """Bias of a window, for the scores, (1, 1, length, length)."""
    assert window is not None
    ahead, behind = (graph.op("Unsqueeze", positions, graph.integers(axis)) for axis in (0, 1))
    far = graph.op(
        "Greater", graph.op("Abs", graph.op("Sub", ahead, behind)), graph.integer(window - 1)
    )
    hides, shows = (graph.constant(np.array(x, np.float32)) for x in (np.finfo(np.float32).min, 0))
    return graph.op("Unsqueeze", graph.op("Where", far, hides, shows), graph.integers(0, 1))


def _rotated(graph: Graph, module: MultiHeadAttention, positions: str, x: str) -> str:
    """Queries or keys of an attention layer, (batch, length, heads · head_dim), rotated."""
    rotary = module.rotary
    assert rotary is not None
    half = rotary.dim // 2
    angles = graph.op(
        "Mul",
        graph.op("Cast", graph.op("Unsqueeze", positions, graph.integers(1)), to=FLOAT),
        graph.constant(rotary.frequencies),
    )
    angles = graph.op("Unsqueeze", angles, graph.integers(1))  # (length, 1, half)
    cosine, sine = graph.op("Cos", angles), graph.op("Sin", angles)
    heads = graph.op("Reshape", x, graph.integers(0, 0, -1, rotary.dim))
    first, second = split(graph, heads, (half, half))
    rotated = graph.op(
        "Concat",
        graph.op("Sub", graph.op("Mul", first, cosine), graph.op("Mul", second, sine)),
        graph.op("Add", graph.op("Mul", second, cosine), graph.op("Mul", first, sine)),
        axis=-1,
    )
    return graph.op("Reshape", rotated, graph.integers(0, 0, -1))


def _positions(model: Encoder, graph: Graph, ids: str) -> str:
    """(length,), or (batch, length) where padding has no position: RoBERTa's."""
    config = model.config
    if config.count_padding:
        return positions_of(graph, ids)
    assert config.pad_id is not None  # the config has checked it
    token = add_not_padding(graph, ids, config.pad_id, INT64)
    counted = graph.op("CumSum", token, graph.integer(1))
    return graph.op("Sub", graph.op("Mul", counted, token), graph.integer(1))
