"""A scale that shows most of a small map, whatever its weights: the page's own rule for thumbnails.

A row with one allowed cell says nothing (its weight is 1), and a sink outshines everything else, so
neither sets the ends; where even so most cells would be pale, a root of them is shown.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]

# The page's numbers (web/src/color/survey.ts).
SINK = 0.3  # of the weight: a column that takes no more is no sink
FEW = 8  # rows that tell no sink from a word that is looked at
TOP = 0.995  # of the cells that count are below the upper end
MOST, PALE = 0.9, 0.3  # so many of them may be below this part of the ramp
ROOTS = (1, 2, 3, 4)


def automatic(values: Values, *, per_row: bool = False) -> Values:
    """Weights, (rows, columns) with NaN where masked, as places on a ramp from 0 to 1.

    Args:
        per_row: each row is held against its own largest, as long causal maps need.
    """
    allowed = ~np.isnan(values)
    known = np.where(allowed, values, 0.0)
    rows = int(allowed.any(1).sum())
    sinks = known.sum(0) / max(rows, 1) > SINK
    if rows < FEW:
        sinks[:] = False
    highs = known[:, ~sinks].max(axis=1, initial=0.0)
    against = np.where(highs > 0, highs, 1.0)[:, None] if per_row else 1.0
    parts = known / against
    counting = parts[allowed & ~sinks & (allowed.sum(1, keepdims=True) >= 2)]
    high = 1.0 if per_row else _quantile(counting, TOP)
    if high <= 0:  # nothing sets an end: the whole range that weights have
        high, root = 1.0, 1
    else:
        pale = _quantile(counting, MOST) / high
        root = next((each for each in ROOTS if pale ** (1 / each) >= PALE), ROOTS[-1])
    places: Values = (parts / high).clip(0, 1) ** (1 / root)
    return np.where(allowed, places, np.nan)


def _quantile(values: Values, part: float) -> float:
    return float(np.quantile(values, part, method="higher")) if values.size else 0.0
