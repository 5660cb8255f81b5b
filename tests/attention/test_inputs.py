import pytest
import torch

from regard.attention import Causal, attend, attention_weights, general
from regard.errors import RegardError

pytestmark = pytest.mark.usefixtures("as_in_production")


def randn(*shape):
    return torch.randn(*shape)


@pytest.mark.parametrize(
    ("query", "key", "value", "sentence"),
    [
        (randn(5, 3), randn(2, 7, 3), randn(2, 7, 3), r"as many dimensions .* \(5, 3\), \(2, 7, 3"),
        (randn(3), randn(3), randn(3), r"\(positions, dim\); got shape \(3,\)"),
        (randn(1, 1, 1, 5, 3),) * 3 + (r"got shape \(1, 1, 1, 5, 3\)",),
        (randn(5, 3), randn(7, 3), randn(6, 3), r"length \(1, 1, 7\); got \(1, 1, 6\)"),
        (randn(5, 3), randn(7, 4), randn(7, 3), r"head_dim 3 .* got 4\. Project .*general\(matrix"),
        (randn(6, 5, 3), randn(4, 7, 3), randn(4, 7, 3), r"must divide query's 6 heads; got 4"),
        (randn(2, 1, 5, 3), randn(3, 1, 7, 3), randn(3, 1, 7, 3), r"query's batch of 2; got 3"),
        (
            randn(5, 3),
            randn(7, 3).double(),
            randn(7, 3),
            "one dtype; got float32, float64, float32",
        ),
        ((randn(5, 3).long(),) * 3 + ("dtypes float64, .* float16; got int64. Cast them first",)),
        ((randn(5, 3).cfloat(),) * 3 + ("one of the dtypes .*; got complex64",)),
        (randn(5, 0), randn(7, 0), randn(7, 3), "head_dim of at least 1; got 0 and 0"),
    ],
)
def test_tensors_that_do_not_fit_together_are_refused(query, key, value, sentence):
    with pytest.raises(RegardError, match=sentence):
        attend(query, key, value)


@pytest.mark.parametrize("kernel", ["auto", "plain", "short", "fused"])
def test_tensors_without_data_give_the_shape_of_the_output(kernel):
    query, key, value = (torch.empty(2, 5, width, device="meta") for width in (3, 3, 4))
    assert attend(query, key, value, mask=Causal(), kernel=kernel).shape == (2, 5, 4)


def test_a_score_that_can_join_different_widths_is_let_through():
    output = attend(randn(5, 3), randn(7, 4), randn(7, 2), score=general(randn(3, 4)))
    assert output.shape == (5, 2)


@pytest.mark.parametrize(
    ("bias", "sentence"),
    [
        (randn(7, 5), r"\(1, 1, 5, 7\); got \(7, 5\)\. Did you transpose it\?"),
        (randn(4), r"broadcast to \(batch, heads, queries, keys\) = \(1, 1, 5, 7\); got \(4,\)\.$"),
        (torch.ones(5, 7) > 0, r"floating point; got bool: pass True and False as mask"),
    ],
)
def test_a_bias_that_does_not_fit_is_refused(bias, sentence):
    with pytest.raises(RegardError, match=sentence):
        attend(randn(5, 3), randn(7, 3), randn(7, 2), bias=bias)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"lse": randn(4)}, r"one number for each query, \(5,\); got \(4,\)\. Pass what attend"),
        ({"queries": 3}, r"queries must be a slice that runs forward, .*; got 3"),
        ({"keys": slice(5, 0, -1)}, r"keys must be a slice that runs forward"),
    ],
)
def test_a_tile_that_makes_no_sense_is_refused(arguments, sentence):
    with pytest.raises(RegardError, match=sentence):
        attention_weights(randn(5, 3), randn(7, 3), **arguments)
