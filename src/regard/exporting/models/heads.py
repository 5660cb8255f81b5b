"""Heads of models that read, and the next tokens of models that write: the operators after the
last states."""

import math

import numpy as np
from torch import nn

from regard.exporting.graph import Graph, as_array, cannot_export
from regard.exporting.layers.attention import whole_cross_attention
from regard.exporting.layers.norm import norm
from regard.exporting.layers.patches import for_each
from regard.exporting.layers.transformer import activation, feed_forward
from regard.exporting.linear import linear, product
from regard.models.encoder import MaskedLMHead, NormalizedHead
from regard.models.heads import (
    AttentionPooling,
    ClassificationHead,
    EmbeddingHead,
    LinearHead,
    Pooler,
    TokenHead,
)


def head_graphs(
    module: nn.Module, d_model: int, precision: str, table: nn.Embedding | None = None
) -> dict[str, Graph]:
    """The graph of a head by the name of its file: states (batch, length, d_model) → output; none
    of a model without a head.

    Args:
        table: of token embeddings, which "masked_lm" projects to.
    """
    if isinstance(module, nn.Identity):
        return {}
    graph = Graph(precision)
    states = graph.input("states", np.float32, ("batch", "length", d_model))
    output, width = head(graph, states, module, table, d_model)
    of_tokens = isinstance(module, TokenHead | MaskedLMHead)
    if isinstance(module, NormalizedHead):
        of_tokens = not module.of_first
    shape = ("batch", "length", width) if of_tokens else ("batch", width)
    graph.output(output, "output", np.float32, shape)
    return {"head": graph}


def head(
    graph: Graph, states: str, module: nn.Module, table: nn.Embedding | None, d_model: int
) -> tuple[str, int]:
    """States (batch, length, d_model) → what the head gives, and its width; see the models."""
    if isinstance(module, Pooler):
        return pooled(graph, states, module), module.dense.out_features
    if isinstance(module, ClassificationHead | LinearHead | TokenHead):
        if isinstance(module, ClassificationHead):
            states = pooled(graph, states, module.pooler)
        elif isinstance(module, LinearHead):
            states = _first(graph, states)
        return linear(graph, states, module.output), module.output.out_features
    if isinstance(module, NormalizedHead):
        states = _first(graph, states) if module.of_first else states
        return linear(
            graph, _transformed(graph, states, module), module.output
        ), module.output.out_features
    if isinstance(module, MaskedLMHead):
        assert table is not None, "a masked language model projects to its embeddings"
        transformed = _transformed(graph, states, module)
        logits = product(graph, transformed, as_array(table.weight), as_array(module.bias))
        return logits, table.num_embeddings
    if isinstance(module, EmbeddingHead):
        if isinstance(module.pool, AttentionPooling):
            states = _attended(graph, states, module.pool)
        vector = _first(graph, states)
        if isinstance(module.output, nn.Identity):
            return vector, d_model
        return linear(graph, vector, module.output), module.output.out_features
    raise cannot_export(f"the head {type(module).__name__}")


def _attended(graph: Graph, states: str, module: AttentionPooling) -> str:
    """States (batch, length, d_model) → (batch, 1, d_model)."""
    probe = for_each(graph, module.probe, states)
    y = whole_cross_attention(graph, probe, module.cross_attention, states)
    fed = feed_forward(graph, norm(graph, y, module.norm), module.feed_forward)
    return graph.op("Add", y, fed)


def _transformed(graph: Graph, states: str, module: MaskedLMHead | NormalizedHead) -> str:
    dense = activation(graph, linear(graph, states, module.dense), module.activation)
    return norm(graph, dense, module.norm)


def pooled(graph: Graph, states: str, module: Pooler) -> str:
    """States (batch, length, d_model) → (batch, d_model)."""
    return activation(graph, linear(graph, _first(graph, states), module.dense), module.activation)


def last_state(graph: Graph, states: str, chosen: str) -> str:
    """The state at the last chosen position of each row, (batch, 1, d_model).

    Args:
        states: (batch, length, d_model).
        chosen: (batch, length) of int64, 1 for the positions to choose among, else 0; of a row
            without any, the first position is taken.
    """
    positions = positions_of(graph, chosen)
    last = graph.op("ArgMax", graph.op("Mul", positions, chosen), axis=1, keepdims=1)
    state = graph.op("GatherND", states, last, batch_dims=1)
    return graph.op("Unsqueeze", state, graph.integers(1))


def positions_of(graph: Graph, ids: str) -> str:
    """0, 1, …, of (batch, length) → (length,)."""
    length = graph.op("Squeeze", graph.op("Shape", ids, start=1, end=2))
    return graph.op("Range", graph.integer(0), length, graph.integer(1))


def add_not_padding(graph: Graph, ids: str, pad_id: int, dtype: int) -> str:
    """1 for a token, 0 for padding, (batch, length)."""
    padding = graph.op("Equal", ids, graph.integer(pad_id))
    return graph.op("Cast", graph.op("Not", padding), to=dtype)


def _first(graph: Graph, states: str) -> str:
    return graph.op("Gather", states, graph.integer(0), axis=1)


def next_tokens(graph: Graph, logits: str, vocab: int) -> None:
    """Makes outputs of logits (rows, vocab).

    logits       (rows, vocab)
    best         (rows, count), the likeliest tokens, likeliest first; count is an input
    log_probs    (rows, count), their log-probabilities

    The likeliest tokens are in the blocks with the largest maxima, as in `choosers.likeliest`.
    """
    graph.output(logits, "logits", np.float32, ("rows", vocab))
    count = graph.input("count", np.int64, (1,))
    log_probs = graph.op("LogSoftmax", logits, axis=-1)
    padded = logits
    if vocab % _BLOCK:
        pads = graph.integers(0, 0, 0, -vocab % _BLOCK)
        padded = graph.op("Pad", logits, pads, graph.number(-math.inf))
    number = -(-vocab // _BLOCK)
    blocks = graph.op("Reshape", padded, graph.integers(-1, number, _BLOCK))
    maxima = graph.op("ReduceMax", blocks, graph.integers(-1), keepdims=0)
    few = graph.op("Min", count, graph.integers(number))
    _, best = graph.ops("TopK", maxima, few, outputs=2, axis=-1)  # (rows, blocks)
    chosen = graph.op("Unsqueeze", best, graph.integers(-1))
    candidates = graph.op("GatherND", blocks, chosen, batch_dims=1)  # (rows, blocks, _BLOCK)
    width = graph.op("Mul", few, graph.integers(_BLOCK))
    shape = graph.op("Concat", graph.integers(-1), width, axis=0)
    flat = graph.op("Reshape", candidates, shape)
    _, places = graph.ops("TopK", flat, count, outputs=2, axis=-1)
    size = graph.integer(_BLOCK)
    block = graph.op("GatherElements", best, graph.op("Div", places, size), axis=1)
    inside = graph.op("Mod", places, size)
    tokens = graph.op("Add", graph.op("Mul", block, size), inside)
    graph.output(tokens, "best", np.int64, ("rows", "count"))
    chosen = graph.op("GatherElements", log_probs, tokens, axis=1)
    graph.output(chosen, "log_probs", np.float32, ("rows", "count"))


_BLOCK = 64  # tokens
