"""A Transformer: a stack of layers, each of attention and a feed-forward network, added to the
residual stream (Attention Is All You Need, section 3.1)."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.attention import Causal, Mask, Window
from regard.errors import unknown
from regard.models.layers.attention import LayerCache, MultiHeadAttention
from regard.models.layers.distances import DistanceStates
from regard.models.layers.dropout import Dropout
from regard.models.layers.embeddings import Embedding
from regard.models.layers.relative_bias import RelativeBias


class Stack(nn.Module):
    """Embedding, layers, normalization.

    >>> def layer():
    ...     attention, feed_forward = MultiHeadAttention(64, 8), FeedForward(64, 256)
    ...     return TransformerLayer(attention, feed_forward, norm=lambda: torch.nn.LayerNorm(64))
    >>> stack = Stack([layer(), layer()], causal=True)
    >>> stack(torch.randn(2, 5, 64)).shape
    torch.Size([2, 5, 64])

    Args:
        layers: from the lowest to the highest.
        embed: maps token ids to the first layer's input; None if forward is given that input.
        norm: applied to the last layer's output, as pre-norm layers need; None for none.
        relative_bias: added to the scores of self-attention in every layer.
        distances: states that self-attention compares queries and keys with in every layer.
        causal: whether a position attends to itself and the past only.
        windows: for each layer, how many positions a position attends to, itself included, and as
            many behind it in a stack that is not causal; None for all. All for every layer if not
            given.
    """

    def __init__(
        self,
        layers: Iterable["TransformerLayer"],
        *,
        embed: Embedding | None = None,
        norm: nn.Module | None = None,
        relative_bias: RelativeBias | None = None,
        distances: DistanceStates | None = None,
        causal: bool = False,
        windows: Sequence[int | None] | None = None,
    ):
        super().__init__()
        self.embed = embed
        self.relative_bias = relative_bias
        self.distances = distances
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
        distances = None if self.distances is None else self.distances(length)
        masks = {window: self._mask(mask, window, length) for window in set(self.windows)}
        for index, (layer, window) in enumerate(zip(self.layers, self.windows, strict=True)):
            x = layer(
                x,
                memory,
                mask=masks[window],
                memory_mask=memory_mask,
                bias=bias,
                positions=positions,
                distances=distances,
                cache=None if caches is None else caches[index],
            )
        return self.norm(x)

    def _mask(
        self, mask: Mask | Tensor | None, window: int | None, queries: int
    ) -> Mask | Tensor | None:
        """`mask`, restricted to what a stack allows the newest `queries` positions."""
        allowed: Mask | None = None
        if window is not None:
            allowed = Window(window - 1, 0 if self.causal else window - 1)
        elif self.causal and queries > 1:  # a single query attends to everything in the cache
            allowed = Causal()
        if allowed is None:
            return mask
        return allowed if mask is None else allowed & mask


class TransformerLayer(nn.Module):
    """Self-attention, then cross-attention in a decoder that reads a source, then feed-forward.

    Each of these sub-layers f is added to its input x, with a normalization and dropout:

        post-norm   x = norm(x + dropout(f(x)))     the paper
        pre-norm    x = x + dropout(f(norm(x)))     Xiong et al. 2020, On Layer Normalization

    Self-attention and feed-forward may end with a normalization of their own, the output norm.

    >>> layer = TransformerLayer(
    ...     MultiHeadAttention(64, 8), FeedForward(64, 256), norm=lambda: torch.nn.LayerNorm(64)
    ... )
    >>> layer(torch.randn(2, 5, 64)).shape
    torch.Size([2, 5, 64])

    Args:
        self_attention: from the sequence to itself.
        feed_forward: any module from (batch, length, d_model) to the same shape.
        cross_attention: from the sequence to the memory, the output of another stack.
        norm: makes a normalization; called once for each sub-layer.
        output_norm: makes one of a sub-layer's output, before it is added (OLMo et al. 2024, 2
            OLMo 2 Furious, section 3.2); called for self-attention and feed-forward.
        norm_first: pre-norm instead of post-norm.
        dropout: probability of zeroing an element of a sub-layer's output.
    """

    def __init__(
        self,
        self_attention: MultiHeadAttention,
        feed_forward: nn.Module,
        *,
        cross_attention: MultiHeadAttention | None = None,
        norm: Callable[[], nn.Module],
        output_norm: Callable[[], nn.Module] = nn.Identity,
        norm_first: bool = False,
        dropout: float = 0.0,
    ):
        super().__init__()
        self.norm_first = norm_first
        self.self_attention = self_attention
        self.self_attention_norm = norm()
        self.self_attention_output_norm = output_norm()
        self.cross_attention = cross_attention
        self.cross_attention_norm = nn.Identity() if cross_attention is None else norm()
        self.feed_forward = feed_forward
        self.feed_forward_norm = norm()
        self.feed_forward_output_norm = output_norm()
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
        distances: tuple[Tensor, Tensor] | None = None,
        cache: LayerCache | None = None,
    ) -> Tensor:
        """(batch, length, d_model), memory (batch, source, d_model) → (batch, length, d_model).

        Args:
            mask, bias, positions, distances: of self-attention, as MultiHeadAttention takes them.
            memory_mask: of cross-attention, likewise.
            cache: keys and values of the steps before, to which this call's are appended.
        """
        itself: dict[str, Any] = dict(
            mask=mask, bias=bias, positions=positions, distances=distances
        )
        cross: dict[str, Any] = dict(mask=memory_mask)
        if cache is not None:
            itself["cache"], cross["cache"] = cache.self_attention, cache.cross_attention
        if self.cross_attention is not None:
            assert memory is not None, "a layer with cross-attention needs memory"

        add = self.dropout.add  # add(x, y) is x + dropout(y)

        def attend(x: Tensor) -> Tensor:
            return self.self_attention_output_norm(self.self_attention(x, **itself))

        def feed(x: Tensor) -> Tensor:
            return self.feed_forward_output_norm(self.feed_forward(x))

        if self.norm_first:
            x = add(x, attend(self.self_attention_norm(x)))
            if self.cross_attention is not None:
                x = add(x, self.cross_attention(self.cross_attention_norm(x), memory, **cross))
            x = add(x, feed(self.feed_forward_norm(x)))
        else:
            x = self.self_attention_norm(add(x, attend(x)))
            if self.cross_attention is not None:
                x = self.cross_attention_norm(add(x, self.cross_attention(x, memory, **cross)))
            x = self.feed_forward_norm(add(x, feed(x)))
        return x


_gelu_tanh = partial(functional.gelu, approximate="tanh")


def quick_gelu(x: Tensor) -> Tensor:
    """x σ(1.702 x), of numbers (…): close to GELU (Hendrycks and Gimpel 2016, section 2)."""
    return x * torch.sigmoid(1.702 * x)


ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu,
    "gelu": functional.gelu,
    "gelu_tanh": _gelu_tanh,
    "gelu_new": _gelu_tanh,  # its name in checkpoints
    "gelu_pytorch_tanh": _gelu_tanh,
    "silu": functional.silu,
    "swish": functional.silu,
    "quick_gelu": quick_gelu,
    "tanh": torch.tanh,
}


class FeedForward(nn.Module):
    """f(x W_1 + b_1) W_2 + b_2, with max(0, ·) or another activation as f.

    Gated, it is (f(x W_g + b_g) ⊙ (x W_1 + b_1)) W_2 + b_2 (Shazeer 2020, GLU Variants). With a
    limit, f is g · σ(1.702 g) of a gate g that is at most the limit, times 1 + x W_1 + b_1, which
    is cut at it on both sides (OpenAI 2025, gpt-oss).

    >>> FeedForward(64, 256)(torch.randn(2, 5, 64)).shape
    torch.Size([2, 5, 64])

    Args:
        d_model: width of input and output.
        d_ff: width of the inner layer.
        activation: a name in ACTIVATIONS.
        gated: whether the activation gates a second projection.
        bias: whether the projections have one.
        gate_limit: the limit of a gated network, which then has no other activation.
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        activation: str = "relu",
        gated: bool = False,
        bias: bool = True,
        gate_limit: float | None = None,
    ):
        super().__init__()
        if activation not in ACTIVATIONS:
            raise unknown("activation", activation, ACTIVATIONS)
        self.gate = nn.Linear(d_model, d_ff, bias=bias) if gated else None
        self.inner = nn.Linear(d_model, d_ff, bias=bias)
        self.outer = nn.Linear(d_ff, d_model, bias=bias)
        self.activation = ACTIVATIONS[activation]
        self.gate_limit = gate_limit

    def forward(self, x: Tensor) -> Tensor:
        """(…, d_model) → the same shape."""
        if self.gate is None:
            return self.outer(self.activation(self.inner(x)))
        if self.gate_limit is not None:
            gate = self.gate(x).clamp(max=self.gate_limit)
            inner = self.inner(x).clamp(-self.gate_limit, self.gate_limit)
            return self.outer(quick_gelu(gate) * (inner + 1))
        return self.outer(self.activation(self.gate(x)) * self.inner(x))
