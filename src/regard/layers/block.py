"""Encoder and decoder layers: sub-layers, each in a residual connection with a normalisation."""

from collections.abc import Callable

from torch import Tensor, nn

from regard.attention import Mask
from regard.layers.cache import LayerCache
from regard.layers.dropout import Dropout
from regard.layers.feed_forward import FeedForward
from regard.layers.heads import MultiHeadAttention


class Residual(nn.Module):
    """The connection around a sub-layer.

    "post": norm(x + dropout(f(x))), the paper's (section 3.1).
    "pre":  x + dropout(f(norm(x))), Xiong et al. 2020, On Layer Normalization.
    """

    def __init__(self, d_model: int, *, order: str, dropout: float):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.order = order
        self.dropout = Dropout(dropout)

    def forward(self, input: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if self.order == "pre":
            return self.dropout.add(input, sublayer(self.norm(input)))
        return self.norm(self.dropout.add(input, sublayer(input)))


class EncoderLayer(nn.Module):
    """Self-attention, then the feed-forward network."""

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        *,
        norm: str = "post",
        activation: str = "relu",
        dropout: float = 0.0,
    ):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.self_residual = Residual(d_model, order=norm, dropout=dropout)
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
        self.feed_forward_residual = Residual(d_model, order=norm, dropout=dropout)

    def forward(self, input: Tensor, *, mask: Mask | None = None) -> Tensor:
        """(batch, length, d_model) → the same shape."""
        hidden = self.self_residual(input, lambda x: self.self_attention(x, mask=mask))
        return self.feed_forward_residual(hidden, self.feed_forward)


class DecoderLayer(nn.Module):
    """Masked self-attention, attention to the encoder's output, then the feed-forward network."""

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        *,
        norm: str = "post",
        activation: str = "relu",
        dropout: float = 0.0,
    ):
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        self.self_residual = Residual(d_model, order=norm, dropout=dropout)
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        self.cross_residual = Residual(d_model, order=norm, dropout=dropout)
        self.feed_forward = FeedForward(d_model, d_ff, activation=activation)
        self.feed_forward_residual = Residual(d_model, order=norm, dropout=dropout)

    def forward(
        self,
        input: Tensor,
        memory: Tensor,
        *,
        self_mask: Mask | None = None,
        cross_mask: Mask | None = None,
        cache: LayerCache | None = None,
    ) -> Tensor:
        """(batch, length, d_model), memory (batch, source, d_model) → (batch, length, d_model)."""
        own = cache.self_attention if cache else None
        cross = cache.cross_attention if cache else None
        hidden = self.self_residual(
            input, lambda x: self.self_attention(x, mask=self_mask, cache=own)
        )
        hidden = self.cross_residual(
            hidden, lambda x: self.cross_attention(x, memory, mask=cross_mask, cache=cross)
        )
        return self.feed_forward_residual(hidden, self.feed_forward)
