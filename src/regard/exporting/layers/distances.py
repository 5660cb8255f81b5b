"""Scores of queries and keys with the distance between them: the operators of DistanceStates."""

import numpy as np
import torch

from regard.attention.scores import scaled
from regard.configs.tables import every_distance_row
from regard.exporting.graph import Graph
from regard.exporting.linear import linear
from regard.layers import DistanceStates, MultiHeadAttention


def distance_rows_of(graph: Graph, positions: str, module: DistanceStates) -> str:
    """Rows of the table, (length, length), of the positions, (length,)."""
    rows = every_distance_row(np, buckets=module.buckets, longest=module.longest)
    reach = len(rows) // 2
    ahead, behind = (graph.op("Unsqueeze", positions, graph.integers(axis)) for axis in (0, 1))
    apart = graph.op("Sub", behind, ahead)
    near = graph.op("Clip", apart, graph.integer(-reach), graph.integer(reach))
    return graph.op("Gather", graph.constant(rows), graph.op("Add", near, graph.integer(reach)))


@torch.no_grad()
def distance_bias(
    graph: Graph,
    x: str,
    module: MultiHeadAttention,
    states: DistanceStates,
    *,
    positions: str,
    rows: str,
) -> str:
    """x (batch, length, d_model) → content to position and position to content, (batch, heads,
    length, length), to be added to the scores.

    Args:
        positions: (length,).
        rows: what `distance_rows_of` returned.
    """
    assert isinstance(module.score, scaled)
    table = module.distances(states.norm(states.table.weight), torch.zeros(1, 1))
    length = graph.op("Shape", positions)

    def looked_up(products: str, places: str) -> str:
        flat = graph.op("Reshape", products, graph.integers(0, 0, -1))
        return graph.op("Gather", flat, places, axis=2)

    def heads(projection: torch.nn.Module, order: list[int]) -> str:
        parted = graph.op(
            "Reshape", linear(graph, x, projection), graph.integers(0, 0, -1, module.head_dim)
        )
        return graph.op("Transpose", parted, perm=order)

    query, key = heads(module.query, [0, 2, 1, 3]), heads(module.key, [0, 2, 3, 1])
    of_query = graph.op("MatMul", query, graph.constant(table.key.mT * module.score.factor))
    of_key = graph.op("MatMul", graph.constant(table.query * module.score.factor), key)
    first = graph.op("Unsqueeze", positions, graph.integers(1))
    count = graph.integer(len(states.table.weight))
    to_position = looked_up(of_query, graph.op("Add", graph.op("Mul", first, count), rows))
    places = graph.op("Add", graph.op("Mul", rows, length), positions)
    return graph.op("Add", to_position, looked_up(of_key, places))
