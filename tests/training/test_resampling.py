"""Intervals cover what they should, and a difference that is chance is called so."""

import math

import numpy as np
import pytest

from regard import RegardError
from regard.training.resampling import (
    Scored,
    intervals,
    intervals_of_means,
    mean_interval,
    paired_chance,
)


class Right(Scored):
    """Answers that are right or wrong."""

    def __init__(self, right: np.ndarray) -> None:
        self.right = right

    def __len__(self) -> int:
        return len(self.right)

    def figures_of(self, rows: np.ndarray) -> dict[str, float]:
        return {"accuracy": float(self.right[rows].mean())}


def answers(share: float, count: int = 400, seed: int = 0) -> Right:
    return Right(np.random.default_rng(seed).random(count) < share)


def test_the_interval_is_that_of_the_normal_approximation() -> None:
    right = answers(0.8)
    mean = right.right.mean()
    low, high = intervals(right)["accuracy"]
    spread = 1.96 * (mean * (1 - mean) / len(right)) ** 0.5
    assert low == pytest.approx(mean - spread, abs=0.01)
    assert high == pytest.approx(mean + spread, abs=0.01)
    assert intervals(right) == intervals(right)


def test_a_large_difference_is_not_chance_and_a_small_one_is() -> None:
    assert paired_chance(answers(0.9), answers(0.6, seed=1), "accuracy") < 0.01
    assert paired_chance(answers(0.8), answers(0.8, seed=2), "accuracy") > 0.05
    assert paired_chance(answers(0.8), answers(0.8), "accuracy") == 1.0


def test_the_p_value_is_scipys() -> None:
    stats = pytest.importorskip("scipy.stats")
    one, other = answers(0.80), answers(0.75, seed=3)
    theirs = stats.ttest_rel(one.right.astype(float), other.right.astype(float)).pvalue
    assert paired_chance(one, other, "accuracy") == pytest.approx(theirs, abs=0.03)


def test_different_examples_are_refused() -> None:
    with pytest.raises(RegardError, match="the same examples; got 400 and 10 examples"):
        paired_chance(answers(0.8), answers(0.8, count=10), "accuracy")


@pytest.mark.parametrize(
    ("count", "quantile"), [(2, 12.7062), (3, 4.3027), (5, 2.7764), (10, 2.2622), (101, 1.9840)]
)
def test_the_interval_of_a_mean_has_students_quantile(count: int, quantile: float) -> None:
    values = np.random.default_rng(count).random(count)
    mean, low, high = mean_interval([*values])
    error = values.std(ddof=1) / count**0.5
    assert mean == pytest.approx(values.mean())
    assert (high - mean) / error == pytest.approx(quantile, abs=2e-4)
    assert mean - low == pytest.approx(high - mean)


def test_intervals_of_means_are_those_of_the_bootstrap_without_what_is_missing() -> None:
    right = answers(0.8)
    values = np.stack([right.right.astype(float), np.full(len(right), np.nan)], 1)
    values = np.vstack([values, [np.nan, 3.0]])
    low, high = intervals_of_means(values)
    expected = intervals(right)["accuracy"]
    assert (low[0], high[0]) == pytest.approx(expected, abs=0.003)
    assert (low[1], high[1]) == (3, 3)


def test_a_figure_that_no_sample_has_has_no_interval_and_no_warning(
    recwarn: pytest.WarningsRecorder,
) -> None:
    class Undefined(Scored):
        def __len__(self) -> int:
            return 1

        def figures_of(self, rows: np.ndarray) -> dict[str, float]:
            return {"defined": 1.0, "undefined": math.nan}

    ends = intervals(Undefined())
    assert ends["defined"] == (1.0, 1.0)
    assert np.isnan(ends["undefined"]).all()
    assert not recwarn.list
