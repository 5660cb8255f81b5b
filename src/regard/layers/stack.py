"""Transformer layers one above the other: the encoder or the decoder of every family."""

from collections.abc import Iterable, Sequence

from torch import Tensor, nn

from regard.attention import Causal, Mask, Window
from regard.layers.cache import LayerCache
from regard.layers.embeddings import Embedding
from regard.layers.relative_bias import RelativeBias
from regard.layers.transformer_layer import TransformerLayer


class Stack(nn.Module):
    """Embedding, layers, normalisation.

    Args:
        layers: from the lowest to the highest.
        embed: maps token ids to the first layer's input; None if forward is given that input.
        norm: applied to the last layer's output, as pre-norm layers need; None for none.
        relative_bias: added to the scores of self-attention in every layer.
        causal: whether a position attends to itself and the past only.
        windows: for each layer of a causal stack, how many positions a position attends to, itself
            included; None for all. All for every layer if not given.
    """

    def __init__(
        self,
        layers: Iterable[TransformerLayer],
        *,
        embed: Embedding | None = None,
        norm: nn.Module | None = None,
        relative_bias: RelativeBias | None = None,
        causal: bool = False,
        windows: Sequence[int | None] | None = None,
    ):
        super().__init__()
        self.embed = embed
        self.relative_bias = relative_bias
        self.layers = nn.ModuleList(layers)
        self.norm = nn.Identity() if norm is None else norm
        self.causal = causal
        self.windows = (None,) * len(self.layers) if windows is None else tuple(windows)

    def forward(
        self,
        x: Tensor,
        memory: Tensor | None = None,
        *,
        mask: Mask | Tensor | None = None,
        memory_mask: Mask | Tensor | None = None,
        positions: Tensor | None = None,
        caches: Sequence[LayerCache] | None = None,
    ) -> Tensor:
        """Token ids (batch, length), or states (batch, length, d_model) where there is no
        embedding → (batch, length, d_model).

        Args:
            memory: the output of another stack, (batch, source, d_model), for cross-attention.
            mask: of self-attention, in addition to the causal mask.
            memory_mask: of cross-attention.
            positions: (batch or 1, length); by default they follow those in the caches.
            caches: one for each layer; x then follows what they hold, and mask covers both.
        """
        start = caches[0].self_attention.length if caches else 0
        if self.embed is not None:
            x = self.embed(x, start=start, positions=positions)
        length = x.shape[1]
        bias = None if self.relative_bias is None else self.relative_bias(length, start + length)
        masks = {window: self._mask(mask, window, length) for window in set(self.windows)}
        for index, (layer, window) in enumerate(zip(self.layers, self.windows, strict=True)):
            x = layer(
                x,
                memory,
                mask=masks[window],
                memory_mask=memory_mask,
                bias=bias,
                positions=positions,
                cache=None if caches is None else caches[index],
            )
        return self.norm(x)

    def _mask(
        self, mask: Mask | Tensor | None, window: int | None, queries: int
    ) -> Mask | Tensor | None:
        """`mask`, restricted to what a causal stack allows the newest `queries` positions."""
        allowed: Mask | None = None
        if window is not None:
            allowed = Window(window - 1, 0)
        elif self.causal and queries > 1:  # a single query attends to everything in the cache
            allowed = Causal()
        if allowed is None:
            return mask
        return allowed if mask is None else allowed & mask
