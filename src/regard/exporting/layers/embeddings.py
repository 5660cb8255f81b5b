"""Token embeddings with positions added: the operators of Embedding."""

import numpy as np

from regard.exporting.graph import Graph, as_array
from regard.exporting.layers.norm import norm
from regard.exporting.linear import linear
from regard.layers import Embedding


def embedding(
    graph: Graph,
    ids: str,
    module: Embedding,
    *,
    positions: str = "",
    token_type_ids: str = "",
) -> str:
    """ids (batch, length) → (batch, length, d_model).

    Args:
        positions: (length,) or (batch, length), at least −offset; not needed where the embedding
            has no table of positions.
        token_type_ids: (batch, length); 0 by default.
    """
    table = as_array(module.tokens.weight)
    if module.scale is not None:
        table = table * np.float32(module.scale)
    x = graph.op("Gather", graph.constant(table), ids)
    if module.token_types is not None:
        types = module.token_types.weight
        if token_type_ids:
            type_rows = graph.op("Gather", graph.constant(types), token_type_ids)
        else:
            type_rows = graph.constant(types[0])
        x = graph.op("Add", x, type_rows)
    if module.positions is not None:
        rows = positions
        if module.offset:
            rows = graph.op("Add", positions, graph.integers(module.offset))
        x = graph.op("Add", x, graph.op("Gather", graph.constant(module.positions.weight), rows))
    if module.norm is not None:
        x = norm(graph, x, module.norm)
    return x if module.projection is None else linear(graph, x, module.projection)
