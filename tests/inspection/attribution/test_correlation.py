"""Spearman's correlation, against values by hand."""

import pytest
import torch

from regard.inspection.attribution import spearman


def test_ties_share_their_mean_rank():
    # Ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4: 4.5 / √(4.5 · 5).
    found = spearman(torch.tensor([1.0, 2, 2, 9]), torch.tensor([0.1, 0.3, 0.2, 0.4]))
    assert found == pytest.approx(0.9486833)


def test_only_the_order_matters():
    values = torch.tensor([0.3, -2.0, 5.0, 1.0])
    assert spearman(values, values.exp()) == pytest.approx(1)
    assert spearman(values, -values) == pytest.approx(-1)


def test_equal_numbers_and_fewer_than_three_have_none():
    assert spearman(torch.ones(4), torch.arange(4.0)) is None
    assert spearman(torch.arange(2.0), torch.arange(2.0)) is None
