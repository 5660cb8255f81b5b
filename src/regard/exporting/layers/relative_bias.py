"""A learned bias on scores by distance: the operators of RelativeBias."""

import torch

from regard.exporting.graph import Graph
from regard.layers import RelativeBias


@torch.no_grad()
def relative_bias(graph: Graph, queries: str, keys: str, module: RelativeBias) -> str:
    """The positions of queries, (queries,), and keys, (keys,) → (1, heads, queries, keys)."""
    far = module.max_distance
    square = module(far + 1, far + 1)[0]  # its last row has the keys before, its first those after
    by_distance = torch.cat([square[:, -1], square[:, 0, 1:]], dim=1).mT  # from −far to far
    apart = graph.op("Sub", keys, graph.op("Unsqueeze", queries, graph.integers(1)))
    near = graph.op("Clip", apart, graph.integer(-far), graph.integer(far))
    rows = graph.op("Add", near, graph.integer(far))
    bias = graph.op("Gather", graph.constant(by_distance), rows)  # (queries, keys, heads)
    return graph.op("Unsqueeze", graph.op("Transpose", bias, perm=[2, 0, 1]), graph.integers(0))
