"""Uncertainty of a figure: bootstrap intervals, a paired test of two models, intervals of means.

The first two draw test sets of the same size from the examples, with replacement, and look at how
the figure varies (Efron 1979; Koehn 2004, Statistical Significance Tests for Machine Translation
Evaluation).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import BadArgumentError

if TYPE_CHECKING:
    from regard.training.metrics import ScoredTexts  # whose package imports torch

SAMPLES = 1000


class Scored(ABC):
    """A model's answers to a set of examples."""

    predicted: Any  # the answers, where they can be compared

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of examples."""

    @abstractmethod
    def figures_of(self, rows: NDArray[np.int64]) -> dict[str, float]:
        """Return the figures over these examples, which may repeat."""

    def worst(self, count: int) -> list[int]:
        """Examples that a report shows, the worst first."""
        return []

    @property
    def figures(self) -> dict[str, float]:
        """Figures by name; "score", where it is one, is the one that a model is chosen by."""
        return self.figures_of(np.arange(len(self)))


def intervals(scored: Scored | ScoredTexts, *, seed: int = 0) -> dict[str, tuple[float, float]]:
    """Return the 95 % interval of each figure: name → (low, high), the same at every call; NaN of
    one that no sample has."""
    drawn = [scored.figures_of(rows) for rows in _samples(len(scored), seed)]
    names = list(drawn[0])
    low, high = _ends(np.array([[figures[name] for name in names] for figures in drawn])).tolist()
    return dict(zip(names, zip(low, high, strict=True), strict=True))


def intervals_of_means(values: NDArray[np.float64], *, seed: int = 0) -> NDArray[np.float64]:
    """Return the 95 % intervals of the means over the first axis, (2, …), the same at every call.

    NaN is left out of a mean; of nothing but NaN it is NaN.
    """
    present = ~np.isnan(values)
    counts = np.stack(
        [np.bincount(rows, minlength=len(values)) for rows in _samples(len(values), seed)]
    )
    with np.errstate(invalid="ignore"):
        means = np.tensordot(counts, np.where(present, values, 0), 1) / np.tensordot(
            counts, present, 1
        )
    return _ends(means.reshape(SAMPLES, -1)).reshape(2, *values.shape[1:])


def paired_chance(one: Scored, other: Scored, figure: str, *, seed: int = 0) -> float:
    """Return the p-value of the difference between two models on the same examples.

    How often the difference, centered on 0, is at least as large as the one that was measured.
    """
    if len(one) != len(other):
        raise BadArgumentError(
            "a paired test needs two models scored on the same examples; got"
            f" {len(one):,} and {len(other):,} examples."
        )
    measured = one.figures[figure] - other.figures[figure]
    if measured == 0:
        return 1.0
    drawn = np.array(
        [
            one.figures_of(rows)[figure] - other.figures_of(rows)[figure]
            for rows in _samples(len(one), seed)
        ]
    )
    return (int((np.abs(drawn - measured) >= abs(measured)).sum()) + 1) / (SAMPLES + 1)


def mean_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean of several runs' figures, and the ends of its 95 % interval by Student's
    t."""
    degrees = len(values) - 1
    # t = √degrees · tan(angle), where the density of the angle is cos^(degrees − 1).
    angles = np.linspace(0, np.pi / 2, 100_001)
    below = np.cumsum(np.cos((angles[1:] + angles[:-1]) / 2) ** (degrees - 1))
    quantile = math.sqrt(degrees) * math.tan(np.interp(0.95 * below[-1], below, angles[1:]))
    mean = float(np.mean(values))
    half = quantile * float(np.std(values, ddof=1)) / math.sqrt(len(values))
    return mean, mean - half, mean + half


def _ends(drawn: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ends of the intervals of figures, (2, figures), of samples, (samples, figures)."""
    defined = ~np.isnan(drawn).all(0)
    ends = np.full((2, drawn.shape[1]), math.nan)
    ends[:, defined] = np.nanpercentile(drawn[:, defined], [2.5, 97.5], axis=0)
    return ends


def _samples(count: int, seed: int) -> list[NDArray[np.int64]]:
    random = np.random.default_rng(seed)
    return [random.integers(0, count, count) for _ in range(SAMPLES)]
