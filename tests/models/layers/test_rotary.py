"""The table of angles gives what the pure function gives, however it grew."""

import copy

import pytest
import torch

from regard import RegardError
from regard.models.layers import Rotary
from regard.models.positions import LinearScaling, YarnScaling, rotary_frequencies, rotate

BATCH, HEADS, KEY_HEADS, LENGTH, DIM = 2, 6, 3, 5, 14


def heads() -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(5)
    return torch.randn(BATCH, HEADS, LENGTH, DIM), torch.randn(BATCH, KEY_HEADS, LENGTH, DIM)


@pytest.mark.parametrize("start", [0, 3, 1000])
def test_both_are_rotated_by_the_positions_that_follow_start(start: int) -> None:
    scaling = LinearScaling(3)
    query, key = heads()
    turned = Rotary(DIM, theta=500.0, scaling=scaling)(query, key, start=start)
    frequencies = rotary_frequencies(DIM, theta=500.0, scaling=scaling)
    positions = torch.arange(start, start + LENGTH)
    for x, ours in zip((query, key), turned, strict=True):
        assert torch.equal(ours, rotate(x, positions, frequencies))


def test_each_row_may_have_positions_of_its_own() -> None:
    query, key = heads()
    positions = torch.tensor([[0, 0, 0, 1, 2], [7, 8, 9, 10, 400]])
    turned = Rotary(DIM)(query, key, positions=positions)
    for row in range(BATCH):
        expected = rotate(query[row], positions[row], rotary_frequencies(DIM))
        torch.testing.assert_close(turned[0][row], expected)
        torch.testing.assert_close(
            turned[1][row], rotate(key[row], positions[row], rotary_frequencies(DIM))
        )


@pytest.mark.parametrize("positions", [None, torch.arange(LENGTH)[None]])
def test_yarns_attention_factor_lengthens_query_and_key(positions: torch.Tensor | None) -> None:
    scaling = YarnScaling(4.0, 1.5, original_max_position_embeddings=16)
    for x, turned in zip(
        heads(), Rotary(DIM, scaling=scaling)(*heads(), positions=positions), strict=True
    ):
        frequencies = rotary_frequencies(DIM, scaling=scaling)
        torch.testing.assert_close(turned, 1.5 * rotate(x, torch.arange(LENGTH), frequencies))


def test_a_table_grown_in_inference_can_be_trained_with() -> None:
    query, key = heads()
    rotary = Rotary(DIM)
    with torch.inference_mode():
        before = rotary(query, key)
    query.requires_grad_()
    turned = rotary(query, key)[0]
    assert torch.equal(turned, before[0])
    turned.sum().backward()
    assert query.grad is not None


def test_a_model_built_on_meta_has_real_angles() -> None:
    with torch.device("meta"):
        rotary = Rotary(DIM)
    query, key = heads()
    assert torch.equal(rotary(query, key)[0], Rotary(DIM)(query, key)[0])
    assert torch.equal(copy.deepcopy(rotary)(query, key)[1], Rotary(DIM)(query, key)[1])


def test_bf16_stays_bf16() -> None:
    query, key = (x.bfloat16() for x in heads())
    assert {x.dtype for x in Rotary(DIM)(query, key)} == {torch.bfloat16}


def test_positions_of_another_length_are_refused() -> None:
    with pytest.raises(RegardError, match=r"positions must be \(batch or 1, 5\); got shape \(5,\)"):
        Rotary(DIM)(*heads(), positions=torch.arange(5))
