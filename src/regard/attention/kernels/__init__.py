"""Ways to compute one thing: the same attention, for short rows, long rows, and any score."""

from regard.attention.kernels.choice import run

__all__ = ["run"]
