"""Positions: attention is blind to order, so order is added to what it sees, or to its scores."""

from regard.configs.scaling import (
    DynamicScaling,
    LinearScaling,
    Llama3Scaling,
    LongScaling,
    Scaling,
    YarnScaling,
)
from regard.positions.alibi import alibi, alibi_slopes
from regard.positions.grid import grid
from regard.positions.learned import learned, learned_at
from regard.positions.relative import relative_buckets
from regard.positions.rotary import rotary_frequencies, rotate
from regard.positions.sinusoidal import Layout, shift_matrix, sinusoidal

__all__ = [
    "DynamicScaling",
    "Layout",
    "LinearScaling",
    "Llama3Scaling",
    "LongScaling",
    "Scaling",
    "YarnScaling",
    "alibi",
    "alibi_slopes",
    "grid",
    "learned",
    "learned_at",
    "relative_buckets",
    "rotary_frequencies",
    "rotate",
    "shift_matrix",
    "sinusoidal",
]
