"""A curve measured badly: what the first four examples have to recover."""

import torch
from torch import Tensor

NOISE = 0.5  # deviation of an error of measurement

_random = torch.Generator().manual_seed(0)
X = torch.rand(120, 1, generator=_random, dtype=torch.float64).sort(0).values * 4 * torch.pi
TRUTH = X.sin()
Y = TRUTH + NOISE * torch.randn(120, 1, generator=_random, dtype=torch.float64)


def error(estimate: Tensor) -> float:
    """Root of the mean squared distance from the truth."""
    return (estimate - TRUTH).square().mean().sqrt().item()


def drawn(**estimates: Tensor) -> dict[str, tuple[Tensor, Tensor]]:
    """The truth and estimates of it as lines over x."""
    lines = {"the truth": TRUTH} | {name.replace("_", " "): y for name, y in estimates.items()}
    return {name: (X[:, 0], y[:, 0]) for name, y in lines.items()}


MEASURED = {"measured": (X[:, 0], Y[:, 0])}
