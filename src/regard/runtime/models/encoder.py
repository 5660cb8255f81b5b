"""The graph of Encoder: ids, mask and, where there are any, token types → the head's output."""

import numpy as np

from regard.layers import MultiHeadAttention
from regard.models import Encoder
from regard.runtime.graph import Graph
from regard.runtime.layers.attention import self_attention
from regard.runtime.layers.embeddings import embedding
from regard.runtime.layers.transformer import stack
from regard.runtime.models.heads import head


def graphs(model: Encoder, precision: str) -> dict[str, Graph]:
    """The graph by the name of its file."""
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
    output = head(graph, states, model.head, model.embed.tokens)
    graph.output(output, "output", np.float32, _shape(model))
    return {"encoder": graph}


def _positions(model: Encoder, graph: Graph, ids: str) -> str:
    """(length,), or (batch, length) where padding has no position: RoBERTa's."""
    config = model.config
    if config.count_padding:
        length = graph.op("Squeeze", graph.op("Shape", ids, start=1, end=2))
        return graph.op("Range", graph.integer(0), length, graph.integer(1))
    assert config.pad_id is not None  # the config has checked it
    padding = graph.op("Equal", ids, graph.integer(config.pad_id))
    token = graph.op("Cast", graph.op("Not", padding), to=_INT64)
    counted = graph.op("CumSum", token, graph.integer(1))
    return graph.op("Sub", graph.op("Mul", counted, token), graph.integer(1))


_INT64 = 7  # TensorProto.INT64


def _shape(model: Encoder) -> tuple[int | str, ...]:
    config = model.config
    return {
        "none": ("batch", "length", config.d_model),
        "pooler": ("batch", config.d_model),
        "masked_lm": ("batch", "length", config.vocab_size),
        "classification": ("batch", len(config.labels)),
        "question_answering": ("batch", "length", 2),
    }[config.head]
