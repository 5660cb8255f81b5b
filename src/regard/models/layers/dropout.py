"""Dropout whose masks cost little on a CPU (Srivastava et al. 2014).

PyTorch's CPU dropout draws one random float per element on one thread and is a tenth of a small
Transformer's training step. Here eight mask bytes come from each 64-bit random word, so the
probability is rounded to a multiple of 1/256; kept elements are scaled by the rounded one.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.models.configs.config import check_dropout


class Dropout(nn.Module):
    """Zeroes elements with the given probability in training; otherwise the identity.

    The probability is rounded to a multiple of 1/256 (0.1 → 26/256) on every device.

    >>> Dropout(0.5).eval()(torch.ones(3))
    tensor([1., 1., 1.])
    >>> sorted(set(Dropout(0.5)(torch.ones(1000)).tolist()))
    [0.0, 2.0]
    """

    def __init__(self, probability: float):
        super().__init__()
        check_dropout(probability)
        self.dropped = round(probability * 256)

    def forward(self, input: Tensor) -> Tensor:
        """(…) → the same shape."""
        if not self.training or self.dropped == 0:
            return input
        if input.device.type != "cpu":
            return functional.dropout(input, self.dropped / 256)
        return _Scale.apply(input, keep_scale(input, self.dropped))

    def add(self, residual: Tensor, input: Tensor) -> Tensor:
        """`residual + dropout(input)` in one pass over memory; all of one shape."""
        if not self.training or self.dropped == 0:
            return residual + input
        if input.device.type != "cpu":
            return residual + functional.dropout(input, self.dropped / 256)
        return _AddScaled.apply(residual, input, keep_scale(input, self.dropped))

    def extra_repr(self) -> str:
        return f"probability={self.dropped}/256"


def keep_scale(like: Tensor, dropped: int) -> Tensor:
    """Like (…) → (…): 0 with probability dropped/256, else 256/(256 − dropped)."""
    words = torch.empty((like.numel() + 7) // 8, dtype=torch.int64).random_(-(2**63), None)
    survives = words.view(torch.uint8)[: like.numel()] >= dropped
    return survives.to(like.dtype).mul_(256 / (256 - dropped)).view(like.shape)


class _Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx: torch.autograd.Function, input: Tensor, scale: Tensor) -> Tensor:
        ctx.save_for_backward(scale)
        return input * scale

    @staticmethod
    def backward(ctx: torch.autograd.Function, *grads: Tensor) -> tuple[Tensor, None]:
        (scale,) = ctx.saved_tensors
        return grads[0] * scale, None


class _AddScaled(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: torch.autograd.Function, residual: Tensor, input: Tensor, scale: Tensor
    ) -> Tensor:
        ctx.save_for_backward(scale)
        return torch.addcmul(residual, input, scale)

    @staticmethod
    def backward(ctx: torch.autograd.Function, *grads: Tensor) -> tuple[Tensor, Tensor, None]:
        (scale,) = ctx.saved_tensors
        return grads[0], grads[0] * scale, None
