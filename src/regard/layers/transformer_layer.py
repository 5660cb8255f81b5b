"""A layer of a Transformer: attention and a feed-forward network, each added to the residual stream
(Attention Is All You Need, section 3.1)."""

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from regard.attention import Mask
from regard.layers.attention import MultiHeadAttention
from regard.layers.cache import LayerCache
from regard.layers.dropout import Dropout
from regard.layers.norm import Norm


class TransformerLayer(nn.Module):
    """Self-attention, then cross-attention in a decoder that reads a source, then feed-forward.

    Each of these sub-layers f is added to its input x, with a normalisation and dropout:

        post-norm   x = norm(x + dropout(f(x)))     the paper
        pre-norm    x = x + dropout(f(norm(x)))     Xiong et al. 2020, On Layer Normalization

    Args:
        self_attention: from the sequence to itself.
        feed_forward: any module from (batch, length, d_model) to the same shape.
        cross_attention: from the sequence to the memory, the output of another stack.
        norm: makes a normalisation; called once for each sub-layer.
        norm_first: pre-norm instead of post-norm.
        dropout: probability of zeroing an element of a sub-layer's output.
    """

    def __init__(
        self,
        self_attention: MultiHeadAttention,
        feed_forward: nn.Module,
        *,
        cross_attention: MultiHeadAttention | None = None,
        norm: Callable[[], Norm],
        norm_first: bool = False,
        dropout: float = 0.0,
    ):
        super().__init__()
        self.norm_first = norm_first
        self.self_attention = self_attention
        self.self_attention_norm = norm()
        self.cross_attention = cross_attention
        self.cross_attention_norm = nn.Identity() if cross_attention is None else norm()
        self.feed_forward = feed_forward
        self.feed_forward_norm = norm()
        self.dropout = Dropout(dropout)

    def forward(
        self,
        x: Tensor,
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
            memory_mask: of cross-attention, likewise.
            cache: keys and values of the steps before, to which this call's are appended.
        """
        own: dict[str, Any] = dict(mask=mask, bias=bias, positions=positions)
        cross: dict[str, Any] = dict(mask=memory_mask)
        if cache is not None:
            own["cache"], cross["cache"] = cache.self_attention, cache.cross_attention
        if self.cross_attention is not None:
            assert memory is not None, "a layer with cross-attention needs memory"

        add = self.dropout.add  # add(x, y) is x + dropout(y)
        if self.norm_first:
            x = add(x, self.self_attention(self.self_attention_norm(x), **own))
            if self.cross_attention is not None:
                x = add(x, self.cross_attention(self.cross_attention_norm(x), memory, **cross))
            x = add(x, self.feed_forward(self.feed_forward_norm(x)))
        else:
            x = self.self_attention_norm(add(x, self.self_attention(x, **own)))
            if self.cross_attention is not None:
                x = self.cross_attention_norm(add(x, self.cross_attention(x, memory, **cross)))
            x = self.feed_forward_norm(add(x, self.feed_forward(x)))
        return x
