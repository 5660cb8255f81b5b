"""Images as sequences: the operators of PatchEmbedding."""

from torch import Tensor

from regard.exporting.graph import Graph, as_array
from regard.exporting.layers.norm import norm
from regard.exporting.linear import product
from regard.layers import PatchEmbedding


def patch_embedding(graph: Graph, pixels: str, module: PatchEmbedding) -> str:
    """pixels (batch, channels, height, width) → (batch, length, d_model).

    The patches do not overlap, so the convolution is a product of each patch's pixels.
    """
    weight = as_array(module.patches.weight)  # (d_model, channels, rows, columns)
    d_model, channels, rows, columns = weight.shape
    height, width = module.grid
    parted = graph.op("Reshape", pixels, graph.integers(0, channels, height, rows, width, columns))
    together = graph.op("Transpose", parted, perm=[0, 2, 4, 1, 3, 5])
    flat = graph.op("Reshape", together, graph.integers(0, height * width, weight[0].size))
    bias = module.patches.bias
    x = product(graph, flat, weight.reshape(d_model, -1), None if bias is None else as_array(bias))
    if module.class_token is not None:
        x = graph.op("Concat", for_each(graph, module.class_token, pixels), x, axis=1)
    return norm(graph, graph.op("Add", x, graph.constant(module.positions)), module.norm)


def for_each(graph: Graph, vector: Tensor, x: str) -> str:
    """A learned vector, (1, 1, d_model), for each row of x (batch, …) → (batch, 1, d_model)."""
    batch = graph.op("Shape", x, start=0, end=1)
    shape = graph.op("Concat", batch, graph.integers(1, vector.shape[2]), axis=0)
    return graph.op("Expand", graph.constant(vector), shape)
