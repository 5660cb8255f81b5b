import math

import pytest
import torch

from regard.errors import RegardError
from regard.models.positions import shift_matrix, sinusoidal

LAYOUTS = ["interleaved", "halves"]


def test_the_table_is_the_papers_formula_by_hand():
    table = sinusoidal(3, 4, dtype=torch.float64)
    expected = [
        [math.sin(pos), math.cos(pos), math.sin(pos / 100), math.cos(pos / 100)] for pos in range(3)
    ]
    torch.testing.assert_close(table, torch.tensor(expected, dtype=torch.float64))


def test_halves_has_all_sines_before_all_cosines():
    table = sinusoidal(2, 4, layout="halves", dtype=torch.float64)
    expected = [math.sin(1), math.sin(0.01), math.cos(1), math.cos(0.01)]
    torch.testing.assert_close(table[1], torch.tensor(expected, dtype=torch.float64))


def test_halves_is_a_fixed_permutation_of_interleaved():
    order = [*range(0, 10, 2), *range(1, 10, 2)]
    interleaved, halves = (sinusoidal(13, 10, layout=layout) for layout in LAYOUTS)
    assert halves.equal(interleaved[:, order])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("offset", [1, 17, -5, 4096])
def test_a_shift_in_position_is_a_matrix(layout, offset):
    here = sinusoidal(29, 22, layout=layout, start=5000, dtype=torch.float64)
    there = sinusoidal(29, 22, layout=layout, start=5000 + offset, dtype=torch.float64)
    matrix = shift_matrix(offset, 22, layout=layout, dtype=torch.float64)
    torch.testing.assert_close(here @ matrix.T, there, atol=1e-11, rtol=0)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_shifts_are_rotations_that_add_up(layout):
    arguments = {"base": 500.0, "layout": layout, "dtype": torch.float64}
    two, three, five = (shift_matrix(offset, 14, **arguments) for offset in (2, 3, 5))
    torch.testing.assert_close(two @ three, five)
    torch.testing.assert_close(two @ two.T, torch.eye(14, dtype=torch.float64))
    here, there = (sinusoidal(1, 14, start=start, **arguments)[0] for start in (40, 43))
    torch.testing.assert_close(three @ here, there)


def test_a_start_gives_the_rows_from_there():
    torch.testing.assert_close(sinusoidal(4, 6, start=9), sinusoidal(13, 6)[9:], atol=0, rtol=0)


def test_far_positions_keep_their_accuracy_in_float32():
    far = sinusoidal(1, 2, start=1_000_003)
    assert far.dtype == torch.float32
    assert far[0, 0].item() == pytest.approx(math.sin(1_000_003), abs=1e-7)


@pytest.mark.usefixtures("as_in_production")
def test_bad_arguments_are_refused():
    with pytest.raises(RegardError, match="even number of at least 2; got 7"):
        sinusoidal(3, 7)
    with pytest.raises(RegardError, match="base must be positive; got 0"):
        shift_matrix(3, 8, base=0)
    with pytest.raises(RegardError, match="one of interleaved, halves; got 'half'"):
        sinusoidal(3, 8, layout="half")
