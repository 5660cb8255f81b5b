"""The stack of decoder-only models: each token sees the past, all of it or a window's worth."""

from collections.abc import Iterable, Sequence

from torch import Tensor, nn

from regard.attention import Causal, Mask, Padding, Window
from regard.layers.cache import LayerCache
from regard.layers.embeddings import Embedding
from regard.layers.norm import Norm
from regard.layers.transformer_layer import TransformerLayer


class CausalStack(nn.Module):
    """Embedding, layers, normalisation, where a token sees itself and the past only.

    Args:
        embed: from token ids to the first hidden states.
        layers: from the lowest up.
        norm: applied to the last layer's output.
        windows: how many tokens each layer's tokens see, themselves included; None for all.
    """

    def __init__(
        self,
        embed: Embedding,
        layers: Iterable[TransformerLayer],
        *,
        norm: Norm,
        windows: Sequence[int | None],
    ):
        super().__init__()
        self.embed = embed
        self.layers = nn.ModuleList(layers)
        self.norm = norm
        self.windows = tuple(windows)

    def forward(
        self,
        ids: Tensor,
        real: Tensor | None = None,
        caches: Sequence[LayerCache] | None = None,
    ) -> Tensor:
        """(batch, length) token ids → (batch, length, d_model).

        Args:
            real: (batch, cached and given), True where there is a token.
            caches: one for each layer; ids are then those that follow what the caches hold.
        """
        start, length = caches[0].self_attention.length if caches else 0, ids.shape[1]
        positions = None
        if real is not None:
            positions = (real.cumsum(1) - 1).clamp(min=0)[:, start:]
        masks = {window: _mask(window, real, length) for window in set(self.windows)}
        hidden = self.embed(ids, start=start, positions=positions)
        own: Sequence[LayerCache | None] = caches or [None] * len(self.layers)
        for layer, window, cache in zip(self.layers, self.windows, own, strict=True):
            hidden = layer(hidden, mask=masks[window], positions=positions, cache=cache)
        return self.norm(hidden)


def _mask(window: int | None, real: Tensor | None, queries: int) -> Mask | None:
    """What the newest `queries` tokens may see."""
    mask: Mask | None = None
    if window is not None:
        mask = Window(window - 1, 0)
    elif queries > 1:  # a single query may see all that is cached
        mask = Causal()
    if real is None:
        return mask
    return Padding(real) if mask is None else mask & Padding(real)
