"""The graphs of VisionTransformer: body.onnx, pixels → states; head.onnx, states → output."""

import numpy as np

from regard.exporting.graph import Graph
from regard.exporting.layers.attention import self_attention
from regard.exporting.layers.patches import patch_embedding
from regard.exporting.layers.transformer import stack
from regard.exporting.models.heads import head_graphs
from regard.layers import MultiHeadAttention
from regard.models import VisionTransformer


def graphs(model: VisionTransformer, precision: str) -> dict[str, Graph]:
    """The graphs by the names of their files."""
    config, graph = model.config, Graph(precision)
    pixels = graph.input("pixels", np.float32, ("batch", config.channels, *config.image_size))

    def attend(index: int, x: str, module: MultiHeadAttention) -> str:
        return self_attention(graph, x, module)

    states = stack(graph, patch_embedding(graph, pixels, model.embed), model.encoder, attend)
    graph.output(states, "states", np.float32, ("batch", "length", config.d_model))
    return {"body": graph} | head_graphs(model.head, config.d_model, precision)
