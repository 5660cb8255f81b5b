"""A small map's own scale, by the page's rule: neither a sink nor a lone cell sets its ends."""

import numpy as np
import pytest

from regard.figures.automatic import automatic


def test_the_largest_that_counts_is_darkest_and_the_others_go_by_it() -> None:
    values = np.full((10, 10), 0.02)
    values[:, 0] = 0.9  # a sink
    values[:, 5] = 0.04
    shown = automatic(values)
    assert np.array_equal(shown[:, 0], np.ones(10))
    assert np.array_equal(shown[:, 5], np.ones(10))
    assert np.allclose(shown[:, 3], 0.5)


def test_a_row_with_one_cell_does_not_count() -> None:
    values = np.where(np.tri(10, dtype=bool), 0.1, np.nan)
    values[0, 0] = 1.0
    shown = automatic(values)
    assert np.array_equal(np.isnan(shown), np.isnan(values))
    assert np.nanmin(shown) == 1


def test_a_root_shows_what_would_be_pale() -> None:
    values = np.full((20, 20), 0.001)
    np.fill_diagonal(values, 0.981)
    shown = automatic(values)
    assert shown[0, 1] == pytest.approx((0.001 / 0.981) ** 0.25)
    assert shown[3, 3] == 1


def test_each_row_by_its_largest_where_that_is_wanted() -> None:
    values = np.linspace(0.1, 1, 10)[:, None] * np.linspace(0.5, 1, 7)
    shown = automatic(values / 2, per_row=True)
    assert np.allclose(shown, shown[0])
    assert not np.allclose(automatic(values / 2)[0], shown[0])


def test_a_map_of_nothing_has_a_scale() -> None:
    assert np.isnan(automatic(np.full((3, 5), np.nan))).all()
    assert np.array_equal(automatic(np.zeros((3, 5))), np.zeros((3, 5)))
