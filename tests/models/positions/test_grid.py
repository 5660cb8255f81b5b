"""A cell of the grid is known by its row and its column."""

import pytest
import torch

from regard import RegardError
from regard.models.positions import grid, sinusoidal


def test_a_cell_holds_the_codes_of_its_row_and_its_column() -> None:
    codes = grid(3, 5, 12)
    assert codes.shape == (15, 12)
    expected = torch.cat(
        [sinusoidal(3, 6, layout="halves")[2], sinusoidal(5, 6, layout="halves")[4]]
    )
    assert torch.equal(codes[2 * 5 + 4], expected)


def test_no_two_cells_are_alike() -> None:
    codes = grid(7, 11, 8)
    apart = torch.cdist(codes, codes) + torch.eye(77)
    assert apart.min() > 0.01


def test_a_width_that_cannot_be_halved_twice_is_refused() -> None:
    with pytest.raises(RegardError, match="multiple of 4; got 6"):
        grid(3, 5, 6)
