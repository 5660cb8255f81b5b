"""The bias of a distance is that of its bucket, wherever it occurs."""

import pytest
import torch

from regard import RegardError
from regard.models.layers import RelativeBias
from regard.models.positions import relative_buckets

HEADS, QUERIES, KEYS = 3, 5, 7


def bias(bidirectional: bool = True) -> RelativeBias:
    torch.manual_seed(7)
    made = RelativeBias(HEADS, num_buckets=8, max_distance=6, bidirectional=bidirectional)
    torch.nn.init.normal_(made.table.weight)
    return made


@pytest.mark.parametrize("bidirectional", [True, False])
def test_each_entry_is_looked_up_by_its_distance(bidirectional: bool) -> None:
    module = bias(bidirectional)
    table = module(QUERIES, KEYS)
    assert table.shape == (1, HEADS, QUERIES, KEYS)
    for row in range(QUERIES):
        for column in range(KEYS):
            offset = torch.tensor(column - (row + KEYS - QUERIES))  # the last query is the last key
            bucket = relative_buckets(
                offset, num_buckets=8, max_distance=6, bidirectional=bidirectional
            )
            assert torch.equal(table[0, :, row, column], module.table.weight[bucket])


def test_a_step_of_decoding_sees_the_last_row() -> None:
    module = bias(bidirectional=False)
    assert torch.equal(module(1, KEYS), module(KEYS, KEYS)[:, :, -1:])


def test_every_entry_teaches_its_bucket() -> None:
    module = bias()
    module(QUERIES, KEYS).sum().backward()
    assert module.table.weight.grad is not None
    assert module.table.weight.grad.sum() == HEADS * QUERIES * KEYS


def test_buckets_that_cannot_be_are_refused_at_once() -> None:
    with pytest.raises(RegardError, match="got 32 and 8"):
        RelativeBias(HEADS, max_distance=8)


def test_it_starts_without_a_preference() -> None:
    assert (RelativeBias(HEADS)(QUERIES, KEYS) == 0).all()
