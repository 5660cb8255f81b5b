"""A layer: sub-layers, each in a residual connection with a normalisation."""

from collections.abc import Callable

from torch import Tensor, nn

from regard.attention import Mask
from regard.errors import RegardError
from regard.layers.cache import LayerCache
from regard.layers.dropout import Dropout
from regard.layers.heads import MultiHeadAttention
from regard.layers.norm import Norm

ORDERS = ("post", "pre")


class Residual(nn.Module):
    """The connection around a sub-layer.

    "post": norm(x + dropout(f(x))), the paper's (section 3.1).
    "pre":  x + dropout(f(norm(x))), Xiong et al. 2020, On Layer Normalization.
    """

    def __init__(self, norm: Norm, *, order: str, dropout: float = 0.0):
        super().__init__()
        if order not in ORDERS:
            raise RegardError(f"order must be one of {', '.join(ORDERS)}; got {order!r}.")
        self.norm = norm
        self.order = order
        self.dropout = Dropout(dropout)

    def forward(self, input: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if self.order == "pre":
            return self.dropout.add(input, sublayer(self.norm(input)))
        return self.norm(self.dropout.add(input, sublayer(input)))


class Layer(nn.Module):
    """Self-attention, cross-attention where there is one, then the feed-forward network.

    Args:
        self_attention: over the input itself.
        feed_forward: any module from (batch, length, d_model) to the same shape.
        cross_attention: over the memory that another stack gave.
        norm: makes the normalisation of one residual connection; called for each.
        order: "post" or "pre", where that normalisation stands.
        dropout: probability of zeroing an element of a sub-layer's output.
    """

    def __init__(
        self,
        self_attention: MultiHeadAttention,
        feed_forward: nn.Module,
        *,
        cross_attention: MultiHeadAttention | None = None,
        norm: Callable[[], Norm],
        order: str = "post",
        dropout: float = 0.0,
    ):
        super().__init__()

        def residual() -> Residual:
            return Residual(norm(), order=order, dropout=dropout)

        self.self_attention = self_attention
        self.self_residual = residual()
        self.cross_attention = cross_attention
        self.cross_residual = None if cross_attention is None else residual()
        self.feed_forward = feed_forward
        self.feed_forward_residual = residual()

    def forward(
        self,
        input: Tensor,
        memory: Tensor | None = None,
        *,
        mask: Mask | Tensor | None = None,
        memory_mask: Mask | Tensor | None = None,
        bias: Tensor | None = None,
        positions: Tensor | None = None,
        cache: LayerCache | None = None,
    ) -> Tensor:
        """(batch, length, d_model), memory (batch, source, d_model) → (batch, length, d_model).

        Args:
            mask, bias, positions: of self-attention, as MultiHeadAttention takes them.
            memory_mask: which positions of memory may be seen.
        """
        own = cache.self_attention if cache else None
        hidden = self.self_residual(
            input,
            lambda x: self.self_attention(x, mask=mask, bias=bias, cache=own, positions=positions),
        )
        if self.cross_attention is not None and self.cross_residual is not None:
            assert memory is not None, "a layer with cross-attention needs memory"
            cross, cross_cache = self.cross_attention, cache.cross_attention if cache else None
            hidden = self.cross_residual(
                hidden, lambda x: cross(x, memory, mask=memory_mask, cache=cross_cache)
            )
        return self.feed_forward_residual(hidden, self.feed_forward)
