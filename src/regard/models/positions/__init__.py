"""Positions: attention is blind to order, so order is added to what it sees, or to its scores."""

from regard.models.configs.scaling import (
    DynamicScaling,
    LinearScaling,
    Llama3Scaling,
    LongScaling,
    Scaling,
    YarnScaling,
)
from regard.models.positions.alibi import alibi, alibi_slopes
from regard.models.positions.grid import grid
from regard.models.positions.learned import learned, learned_at
from regard.models.positions.relative import relative_buckets
from regard.models.positions.rotary import rotary_frequencies, rotate
from regard.models.positions.sinusoidal import Layout, shift_matrix, sinusoidal

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
