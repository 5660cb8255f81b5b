"""Positions: attention is blind to order, so order is added to the vectors that it sees."""

from regard.positions.learned import learned, learned_at
from regard.positions.sinusoidal import Layout, shift_matrix, sinusoidal

__all__ = ["Layout", "learned", "learned_at", "shift_matrix", "sinusoidal"]
