import pytest
import torch

from regard.errors import RegardError
from regard.models.positions import learned, learned_at

TABLE = torch.arange(14.0).view(7, 2)


def test_positions_are_the_rows_of_the_table():
    assert learned(TABLE, 2).tolist() == [[0, 1], [2, 3]]
    assert learned(TABLE, 3, start=4).equal(TABLE[4:])
    assert learned(TABLE, 0, start=7).shape == (0, 2)


def test_positions_are_looked_up_in_any_order():
    positions = torch.tensor([[5, 0, 0], [1, 6, 2]])
    assert learned_at(TABLE, positions).equal(TABLE[positions])
    assert learned_at(TABLE, positions[:, :0]).shape == (2, 0, 2)


def test_only_rows_that_were_read_learn():
    table = TABLE.clone().requires_grad_()
    (learned(table, 2, start=1).sum() + learned_at(table, torch.tensor([1, 5])).sum()).backward()
    assert table.grad is not None
    assert table.grad[:, 0].tolist() == [0, 2, 1, 0, 0, 1, 0]


def test_a_position_beyond_the_table_is_refused():
    with pytest.raises(RegardError, match=r"below 7, the rows of the table; got 7\. Shorten"):
        learned(TABLE, 4, start=4)
    with pytest.raises(RegardError, match="below 7, the rows of the table; got 9"):
        learned_at(TABLE, torch.tensor([2, 9]))


def test_a_position_before_the_table_is_refused():
    with pytest.raises(RegardError, match="start at 0; got start=-1"):
        learned(TABLE, 4, start=-1)
    with pytest.raises(RegardError, match="start at 0; got -2"):
        learned_at(TABLE, torch.tensor([2, -2]))
