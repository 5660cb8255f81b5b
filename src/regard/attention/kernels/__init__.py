"""Ways to compute one thing: the same attention, for short rows, long rows, and any score."""

from regard.attention.kernels.choice import KERNELS, run

__all__ = ["KERNELS", "run"]
