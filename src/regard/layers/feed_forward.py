"""The position-wise feed-forward network (Attention Is All You Need, equation 2)."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.errors import unknown

_gelu_tanh = partial(functional.gelu, approximate="tanh")

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu,
    "gelu": functional.gelu,
    "gelu_tanh": _gelu_tanh,
    "gelu_new": _gelu_tanh,  # its name in checkpoints
    "gelu_pytorch_tanh": _gelu_tanh,
    "silu": functional.silu,
    "swish": functional.silu,
}


class FeedForward(nn.Module):
    """f(x W_1 + b_1) W_2 + b_2, with max(0, ·) or another activation as f.

    Gated, it is (f(x W_g + b_g) ⊙ (x W_1 + b_1)) W_2 + b_2 (Shazeer 2020, GLU Variants).

    Args:
        d_model: width of input and output.
        d_ff: width of the inner layer.
        activation: a name in ACTIVATIONS.
        gated: whether the activation gates a second projection.
        bias: whether the projections have one.
    """

    def __init__(
        self,
        d_model: int,
        d_ff: int,
        *,
        activation: str = "relu",
        gated: bool = False,
        bias: bool = True,
    ):
        super().__init__()
        if activation not in ACTIVATIONS:
            raise unknown("activation", activation, ACTIVATIONS)
        self.gate = nn.Linear(d_model, d_ff, bias=bias) if gated else None
        self.inner = nn.Linear(d_model, d_ff, bias=bias)
        self.outer = nn.Linear(d_ff, d_model, bias=bias)
        self.activation = ACTIVATIONS[activation]

    def forward(self, x: Tensor) -> Tensor:
        """(…, d_model) → the same shape."""
        if self.gate is None:
            return self.outer(self.activation(self.inner(x)))
        return self.outer(self.activation(self.gate(x)) * self.inner(x))
