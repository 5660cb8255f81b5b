"""What a model makes of its last states: the operators of the heads of encoders."""

from torch import nn

from regard.models.encoder import MaskedLMHead
from regard.models.heads import ClassificationHead, LinearHead, Pooler, QuestionAnsweringHead
from regard.runtime.graph import Graph, as_array, cannot_pack
from regard.runtime.layers.norm import norm
from regard.runtime.layers.transformer import activation
from regard.runtime.linear import linear, product


def head(graph: Graph, states: str, module: nn.Module, table: nn.Embedding) -> str:
    """States (batch, length, d_model) → what the head gives; see `models.Encoder`.

    Args:
        table: of token embeddings, which "masked_lm" projects to.
    """
    if isinstance(module, nn.Identity):
        return states
    if isinstance(module, Pooler):
        return pooled(graph, states, module)
    if isinstance(module, ClassificationHead):
        return linear(graph, pooled(graph, states, module.pooler), module.output)
    if isinstance(module, LinearHead):
        return linear(graph, _first(graph, states), module.output)
    if isinstance(module, QuestionAnsweringHead):
        return linear(graph, states, module.output)
    if isinstance(module, MaskedLMHead):
        dense = activation(graph, linear(graph, states, module.dense), module.activation)
        transformed = norm(graph, dense, module.norm)
        return product(graph, transformed, as_array(table.weight), as_array(module.bias))
    raise cannot_pack(f"the head {type(module).__name__}")


def pooled(graph: Graph, states: str, module: Pooler) -> str:
    """States (batch, length, d_model) → (batch, d_model)."""
    return activation(graph, linear(graph, _first(graph, states), module.dense), module.activation)


def _first(graph: Graph, states: str) -> str:
    return graph.op("Gather", states, graph.integer(0), axis=1)
