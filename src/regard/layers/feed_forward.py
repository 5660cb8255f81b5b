"""The position-wise feed-forward network (Attention Is All You Need, equation 2)."""

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu,
    "gelu": functional.gelu,
    "swish": functional.silu,
}


class FeedForward(nn.Module):
    """max(0, x W_1 + b_1) W_2 + b_2, or another activation in place of max(0, ·).

    Args:
        d_model: width of input and output.
        d_ff: width of the inner layer.
        activation: a name in ACTIVATIONS.
    """

    def __init__(self, d_model: int, d_ff: int, *, activation: str = "relu"):
        super().__init__()
        self.inner = nn.Linear(d_model, d_ff)
        self.outer = nn.Linear(d_ff, d_model)
        self.activation = ACTIVATIONS[activation]

    def forward(self, input: Tensor) -> Tensor:
        return self.outer(self.activation(self.inner(input)))
