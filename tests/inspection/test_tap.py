"""A tap's look-ups equal the crop of the whole map, which it never makes."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from regard import RegardError
from regard.attention import Causal, Mask, additive, attend, capped, scaled
from regard.attention.record import Attention
from regard.attention.scores import dot
from regard.inspection.tap import Tap

Make = Callable[..., Tap]
Whole = Callable[[Tap], tuple[Tensor, Tensor]]


def test_weights_are_the_softmax_of_the_definition(make_tap: Make, mask: Mask, whole_map: Whole):
    tap = make_tap(mask=mask)
    expected, _ = whole_map(tap)
    for item in range(2):
        assert torch.allclose(tap.weights(item=item).double(), expected[item], atol=1e-6)


def test_a_tile_is_the_crop_of_the_map(make_tap: Make, mask: Mask, whole_map: Whole):
    tap = make_tap(mask=mask)
    expected, _ = whole_map(tap)
    tile = tap.weights(4, slice(3, 8), slice(2, 12, 3), item=1)
    assert torch.allclose(tile.double(), expected[1, 4, 3:8, 2:12:3], atol=1e-6)


def test_scores_are_hidden_where_the_mask_hides(make_tap: Make, mask: Mask, whole_map: Whole):
    tap = make_tap(mask=mask)
    _, allowed = whole_map(tap)
    assert torch.equal(tap.scores(2, item=1) > -torch.inf, allowed[1, 2])


def test_weights_average_the_values_as_attend_does(make_tap: Make, mask: Mask):
    tap = make_tap(mask=mask)
    output = attend(tap.query, tap.key, tap.value, mask=tap.mask)
    values = tap.value.repeat_interleave(2, dim=1)
    for item in range(2):
        assert torch.allclose(tap.weights(item=item) @ values[item], output[item], atol=1e-5)


def test_a_bias_is_of_its_own_item_and_head(make_tap: Make, whole_map: Whole):
    tap = make_tap(bias=torch.randn(2, 6, 11, 13))
    expected, _ = whole_map(tap)
    tile = tap.weights(5, slice(2, 4), slice(1, 8, 2), item=1)
    assert torch.allclose(tile.double(), expected[1, 5, 2:4, 1:8:2], atol=1e-6)


def test_a_tap_first_looked_at_in_inference_mode_can_be_looked_at_outside_of_it(make_tap: Make):
    tap = make_tap()
    with torch.inference_mode():
        tap.weights(0, slice(0, 3))
    assert torch.equal(tap.weights(0), make_tap().weights(0))


def test_a_run_in_bfloat16_is_looked_at_in_float32(make_tap: Make, whole_map: Whole):
    tap = make_tap(dtype=torch.bfloat16)
    expected, _ = whole_map(tap)
    assert tap.weights(0).dtype == torch.float32
    assert torch.allclose(tap.weights().double(), expected[0], atol=1e-6)
    assert tap.receipt.dtype == "bfloat16"


def test_a_row_and_a_column_are_those_of_the_map(make_tap: Make, whole_map: Whole):
    tap = make_tap(13, 13, mask=Causal())
    expected, _ = whole_map(tap)
    assert torch.allclose(tap.row(3, 7).double(), expected[0, 3, 7], atol=1e-6)
    assert torch.allclose(tap.column(3, 7).double(), expected[0, 3, :, 7], atol=1e-6)


def test_the_largest_of_each_row_come_in_order(
    make_tap: Make, whole_map: Whole, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("regard.inspection.tap.ROWS_AT_ONCE", 31)  # strips of two rows
    tap = make_tap()
    expected = whole_map(tap)[0][0, 1].topk(4)
    values, indices = tap.topk(1, 4)
    assert torch.allclose(values.double(), expected.values, atol=1e-6)
    assert torch.equal(indices, expected.indices)
    assert tap.topk(1, 99, slice(2, 5))[0].shape == (3, 13)


def test_norms_are_those_of_the_weighted_and_projected_values(
    make_tap: Make, whole_map: Whole, agree: Any
):
    tap = make_tap()
    weights, _ = whole_map(tap)
    assert tap.output_weight is not None
    projected = tap.value.double().repeat_interleave(2, dim=1)[0, 4] @ tap.output_weight[4].double()
    by_hand = (weights[0, 4, :, :, None] * projected).norm(dim=-1)
    agree(tap.norms(4), by_hand)
    agree(tap.norms(None, slice(2, 5), slice(1, 4))[4], by_hand[2:5, 1:4])


def test_norms_without_an_output_projection_are_refused(make_tap: Make):
    tap = make_tap()
    tap.output_weight = None
    with pytest.raises(RegardError, match=r"needs the output projection of decoder.layers.1.self"):
        tap.norms(0)


def test_a_kernels_log_sum_exp_is_used(make_tap: Make):
    tap = make_tap()
    tap.known_lse = torch.full((2, 6, 11), 3.0)
    assert torch.allclose(tap.weights(0), torch.exp(tap.scores(0) - 3))
    assert tap.receipt.row_sum_error > 0.1  # and the receipt says when it is wrong


def test_rows_are_summed_once(make_tap: Make, monkeypatch: pytest.MonkeyPatch):
    tap = make_tap()
    first = tap.lse(2, torch.tensor([1, 5]))
    monkeypatch.setattr(Attention, "scores", None)
    assert torch.equal(tap.lse(2, torch.tensor([5])), first[1:])


def test_long_rows_are_summed_in_parts(
    make_tap: Make, mask: Mask, whole_map: Whole, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("regard.attention.record.TILE_ENTRIES", 3)
    monkeypatch.setattr("regard.attention.record.KEY_BLOCK", 4)
    monkeypatch.setattr("regard.attention.record.rows_per_tile", lambda query: 3)
    tap = make_tap(mask=mask)
    assert torch.allclose(tap.weights(1).double(), whole_map(tap)[0][0, 1], atol=1e-6)


def test_the_receipt_is_of_rounding_size(make_tap: Make, mask: Mask):
    receipt = make_tap(mask=mask).receipt
    assert receipt.row_sum_error < 2e-6
    assert receipt.difference < 1e-6
    assert receipt.rows == 8 * 6
    assert receipt.dtype == "float32"


@pytest.mark.parametrize(
    "score",
    [
        scaled(0.3),
        capped(dot, 2.0),
        capped(scaled(0.7), 1.5),
        additive(torch.randn(4, 5), torch.randn(4, 5), torch.randn(4)),
        lambda query, key: -(query[..., :, None, :] - key[..., None, :, :]).abs().sum(-1),
    ],
    ids=["scaled", "capped", "capped and scaled", "additive", "the user's own"],
)
def test_any_score_can_be_looked_at(make_tap: Make, score):
    tap = make_tap(score=score, key_heads=6)
    expected = score(tap.query, tap.key).softmax(-1)
    assert torch.allclose(tap.weights(), expected[0], atol=1e-5)
    assert tap.receipt.difference < 1e-5


def test_whether_a_mask_hides_the_future(make_tap: Make):
    assert make_tap(mask=Causal()).causal
    assert make_tap(mask=Causal() & Causal()).causal
    assert not make_tap(mask=Causal() | Causal()).causal
    assert not make_tap().causal


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((6,), r"decoder.layers.1.self has heads 0 to 5; got 6"),
        ((-1,), r"has heads 0 to 5; got -1"),
        ((0, slice(0, 12)), r"queries must lie within 0 to 11; got 0 to 12"),
        ((0, slice(None), slice(4, 1, -1)), r"keys must be a slice that runs forward"),
        (("mean",), r"has heads 0 to 5; got 'mean'"),
        ((0, 3), r"queries must be a slice that runs forward, like slice\(0, 64\); got 3"),
    ],
)
def test_what_is_not_there_is_refused(make_tap: Make, arguments: tuple, sentence: str):
    with pytest.raises(RegardError, match=sentence):
        make_tap().weights(*arguments)
    for look in (Tap.weights, Tap.scores, Tap.norms):
        with pytest.raises(RegardError, match="item must be from 0 to 1; got 2"):
            look(make_tap(), 0, item=2)
    with pytest.raises(RegardError, match="query must be from 0 to 10; got 11"):
        make_tap().row(0, 11)
