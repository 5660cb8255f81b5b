"""Normalization of hidden states: LayerNorm and RMSNorm."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.errors import check_choice


class RMSNorm(nn.Module):
    """weight ⊙ x / √(mean(x²) + eps), without a mean or a bias (Zhang & Sennrich 2019).

    >>> RMSNorm(2)(torch.tensor([[3.0, 4.0]])).detach()
    tensor([[0.8485, 1.1314]])

    Args:
        width: of the vectors.
        eps: added to the mean square, so that it is not zero.
    """

    def __init__(self, width: int, eps: float = 1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        """(…, width) → the same shape."""
        return functional.rms_norm(x, self.weight.shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{len(self.weight)}, eps={self.eps}"


Norm = nn.LayerNorm | RMSNorm
# "layer": of mean and deviation; "rms": of the root mean square.
NORMS: dict[str, type[Norm]] = {"layer": nn.LayerNorm, "rms": RMSNorm}


def make_norm(kind: str, width: int, eps: float = 1e-5) -> Norm:
    """A normalization of vectors, (…, width); `kind` is a name in NORMS.

    >>> make_norm("rms", 64)
    RMSNorm(64, eps=1e-05)
    """
    check_choice("norm kind", kind, NORMS)
    return NORMS[kind](width, eps)
