"""Layers one above the other: what encoders and decoders of every family are."""

from collections.abc import Iterable, Sequence
from typing import Any

from torch import Tensor, nn

from regard.attention import Causal, Mask
from regard.layers.cache import LayerCache
from regard.layers.embeddings import Embedding
from regard.layers.relative_bias import RelativeBias
from regard.layers.transformer_layer import TransformerLayer


class Stack(nn.Module):
    """The layers, then the normalisation that pre-norm needs at the end.

    Args:
        layers: from the lowest up.
        norm: applied to the last layer's output; None leaves it as it is.
    """

    def __init__(self, layers: Iterable[TransformerLayer], *, norm: nn.Module | None = None):
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.norm = nn.Identity() if norm is None else norm

    def forward(
        self,
        hidden: Tensor,
        memory: Tensor | None = None,
        *,
        mask: Mask | Tensor | None = None,
        memory_mask: Mask | Tensor | None = None,
        bias: Tensor | None = None,
        positions: Tensor | None = None,
        caches: Sequence[LayerCache] | None = None,
    ) -> Tensor:
        """(batch, length, d_model) → the same shape; what is given goes to every layer.

        Args:
            caches: one for each layer.
        """
        given = dict(mask=mask, memory_mask=memory_mask, bias=bias, positions=positions)
        return self.norm(climb(self.layers, hidden, memory, caches, given))


class TokenStack(nn.Module):
    """Embedding, layers, normalisation: one side of a model that reads one text and writes another.

    Args:
        embed: from token ids to the first hidden states.
        layers: from the lowest up.
        norm: applied to the last layer's output; None leaves it as it is.
        relative_bias: added to the scores of self-attention in every layer.
        causal: whether a token sees itself and the past only.
    """

    def __init__(
        self,
        embed: Embedding,
        layers: Iterable[TransformerLayer],
        *,
        norm: nn.Module | None = None,
        relative_bias: RelativeBias | None = None,
        causal: bool = False,
    ):
        super().__init__()
        self.embed = embed
        self.relative_bias = relative_bias
        self.layers = nn.ModuleList(layers)
        self.norm = nn.Identity() if norm is None else norm
        self.causal = causal

    def forward(
        self,
        ids: Tensor,
        memory: Tensor | None = None,
        memory_mask: Mask | Tensor | None = None,
        caches: Sequence[LayerCache] | None = None,
        *,
        mask: Mask | Tensor | None = None,
    ) -> Tensor:
        """(batch, length) token ids → (batch, length, d_model).

        Args:
            memory: what another stack gave, (batch, source, d_model), and which of it may be seen.
            caches: one for each layer; ids are then those that follow what the caches hold.
            mask: of self-attention, besides the causal one.
        """
        start, length = caches[0].self_attention.length if caches else 0, ids.shape[1]
        if self.causal and length > 1:  # a single query may see all that is cached
            mask = Causal() if mask is None else Causal() & mask
        bias = None
        if self.relative_bias is not None:
            bias = self.relative_bias(length, start + length)
        hidden = self.embed(ids, start=start)
        given = dict(mask=mask, memory_mask=memory_mask, bias=bias)
        return self.norm(climb(self.layers, hidden, memory, caches, given))


def climb(
    layers: nn.ModuleList,
    hidden: Tensor,
    memory: Tensor | None,
    caches: Sequence[LayerCache] | None,
    given: dict[str, Any],
) -> Tensor:
    """Through one layer after another, each with its own cache."""
    for index, layer in enumerate(layers):
        hidden = layer(hidden, memory, cache=caches[index] if caches else None, **given)
    return hidden
