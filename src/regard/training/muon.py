"""Muon: momentum whose update is made orthogonal, for the matrices of layers."""

import math
from collections.abc import Callable, Iterable
from typing import Any, overload

import torch
from torch import Tensor

from regard.training.processes import part, whole

# Of the quintic iteration: they lift small singular values fastest, to between 0.7 and 1.2.
COEFFICIENTS = (3.4445, -4.7750, 2.0315)


class Muon(torch.optim.Optimizer):
    """Jordan et al. 2024, Muon (kellerjordan.github.io/posts/muon), with Nesterov's momentum.

    An update has the root mean square of AdamW's, 0.2 times the learning rate (Liu et al. 2025,
    Muon is Scalable for LLM Training, equation 4), so one learning rate serves both.
    `torch.optim.Muon` orthogonalizes one matrix at a time; here matrices of one shape are one
    batched product.

    Args:
        params: matrices, or groups of them; each group may have its own `lr` and `weight_decay`.
        momentum: of the mean of gradients.
        iterations: of Newton and Schulz.
        dtype: in which they are computed, the gradient's if None; bfloat16 is enough (Jordan et
            al. 2024).
    """

    def __init__(
        self,
        params: Iterable[Any],
        *,
        lr: float,
        weight_decay: float = 0.0,
        momentum: float = 0.95,
        iterations: int = 5,
        dtype: torch.dtype | None = None,
    ):
        self.dtype = dtype
        defaults = {"lr": lr, "weight_decay": weight_decay, "momentum": momentum}
        super().__init__(params, defaults | {"iterations": iterations})

    @overload
    def step(self, closure: None = None) -> None: ...
    @overload
    def step(self, closure: Callable[[], float]) -> float: ...
    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:
        """One update of every matrix that has a gradient."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            shapes: dict[torch.Size, list[Tensor]] = {}
            for parameter in group["params"]:
                if parameter.grad is not None:
                    shapes.setdefault(parameter.shape, []).append(parameter)
            for matrices in shapes.values():
                self._update(matrices, group)
        return loss

    def _update(self, matrices: list[Tensor], group: dict[str, Any]) -> None:
        """Update matrices of one shape."""
        momentum, rate = group["momentum"], group["lr"]
        gradients = [matrix.grad for matrix in matrices if matrix.grad is not None]
        for matrix in matrices:
            if not self.state[matrix]:
                self.state[matrix]["momentum_buffer"] = torch.zeros_like(matrix)
        means = [self.state[matrix]["momentum_buffer"] for matrix in matrices]
        torch._foreach_lerp_(means, gradients, 1 - momentum)
        ahead = [whole(mean) for mean in torch._foreach_lerp(gradients, means, momentum)]
        stacked = torch.stack(ahead)
        updates = orthogonal(stacked.to(self.dtype or stacked.dtype), group["iterations"])
        parts = [
            part(matrix, update)
            for matrix, update in zip(matrices, updates.to(stacked.dtype), strict=True)
        ]
        torch._foreach_mul_(matrices, 1 - rate * group["weight_decay"])
        size = 0.2 * math.sqrt(max(matrices[0].shape))
        torch._foreach_add_(matrices, parts, alpha=-rate * size)


def orthogonal(matrices: Tensor, iterations: int = 5) -> Tensor:
    """Return the nearest matrices with orthonormal rows or columns, roughly: singular values near
    1.

    Newton and Schulz's iteration in odd powers up to the fifth. It never converges exactly:
    singular values end between 0.7 and 1.2.

    Args:
        matrices: (batch, rows, columns).

    Returns:
        (batch, rows, columns).
    """
    wide = matrices if matrices.shape[1] <= matrices.shape[2] else matrices.mT
    scaled = wide / wide.norm(dim=(1, 2), keepdim=True).clamp(min=1e-7)
    a, b, c = COEFFICIENTS
    for _ in range(iterations):
        square = scaled @ scaled.mT
        polynomial = torch.baddbmm(square, square, square, beta=b, alpha=c)
        scaled = torch.baddbmm(scaled, polynomial, scaled, beta=a)
    return scaled if wide is matrices else scaled.mT
