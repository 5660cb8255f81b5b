"""Normalization of hidden states: LayerNorm and RMSNorm."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.errors import check_choice


class RMSNorm(nn.Module):
    """factor ⊙ x / √(mean(x²) + eps), without a mean or a bias (Zhang & Sennrich 2019).

    >>> RMSNorm(2)(torch.tensor([[3.0, 4.0]])).detach()
    tensor([[0.8485, 1.1314]])

    Args:
        width: of the vectors.
        eps: added to the mean square, so that it is not zero.
        offset: added to the weight, for the factor (Gemma has 1, and weights about 0).
    """

    def __init__(self, width: int, eps: float = 1e-6, offset: float = 0.0):
        super().__init__()
        self.weight = nn.Parameter(torch.full((width,), 1.0 - offset))
        self.eps, self.offset = eps, offset

    @property
    def factor(self) -> Tensor:
        """(width,)."""
        return self.weight + self.offset if self.offset else self.weight

    def forward(self, x: Tensor) -> Tensor:
        """(…, width) → the same shape."""
        return functional.rms_norm(x, self.weight.shape, self.factor, self.eps)

    def extra_repr(self) -> str:
        return f"{len(self.weight)}, eps={self.eps}"


Norm = nn.LayerNorm | RMSNorm
# "layer": of mean and deviation; "rms": of the root mean square.
NORMS: dict[str, Callable[[int, float], Norm]] = {
    "layer": nn.LayerNorm,
    "layer_without_bias": partial(nn.LayerNorm, bias=False),
    "rms": RMSNorm,
    "rms_plus_one": partial(RMSNorm, offset=1.0),
}


def make_norm(kind: str, width: int, eps: float = 1e-5) -> Norm:
    """Return a normalization of vectors, (…, width); `kind` is a name in NORMS.

    >>> make_norm("rms", 64)
    RMSNorm(64, eps=1e-05)
    """
    check_choice("norm kind", kind, NORMS)
    return NORMS[kind](width, eps)
