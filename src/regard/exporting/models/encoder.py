"""The graphs of Encoder: body.onnx, ids, mask and, where there are any, token types → states;
head.onnx, states → output."""

import numpy as np

from regard.exporting.graph import INT64, Graph
from regard.exporting.layers.attention import self_attention
from regard.exporting.layers.embeddings import embedding
from regard.exporting.layers.transformer import stack
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

    def attend(index: int, x: str, module: MultiHeadAttention) -> str:
        return self_attention(graph, x, module, mask=mask)

    positions = _positions(model, graph, ids)
    x = embedding(graph, ids, model.embed, positions=positions, token_type_ids=types)
    states = stack(graph, x, model.encoder, attend)
    graph.output(states, "states", np.float32, ("batch", "length", config.d_model))
    return {"body": graph} | head_graphs(
        model.head, config.d_model, precision, table=model.embed.tokens
    )


def _positions(model: Encoder, graph: Graph, ids: str) -> str:
    """(length,), or (batch, length) where padding has no position: RoBERTa's."""
    config = model.config
    if config.count_padding:
        return positions_of(graph, ids)
    assert config.pad_id is not None  # the config has checked it
    token = add_not_padding(graph, ids, config.pad_id, INT64)
    counted = graph.op("CumSum", token, graph.integer(1))
    return graph.op("Sub", graph.op("Mul", counted, token), graph.integer(1))
