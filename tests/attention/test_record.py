"""The record of a call gives any rectangle of what the definition computes whole."""

import math
from typing import NamedTuple

import pytest
import torch
from torch import Tensor

from fixtures.attention_masks import LENGTHS
from fixtures.covering import covering
from regard.attention import (
    Causal,
    attend,
    attention_weights,
    capped,
    cosine,
    dot,
    gaussian,
    general,
    scaled_dot,
)
from regard.attention.attend import check
from regard.attention.record import Attention

BIASES = {
    "none": lambda queries, keys: None,
    "per head and key": lambda queries, keys: torch.randn(6, 1, keys).double(),
    "per query": lambda queries, keys: torch.randn(2, 1, queries, 1).double(),
    "whole": lambda queries, keys: torch.randn(2, 6, queries, keys).double(),
}
SCORES = ("scaled_dot", "cosine", gaussian(0.7), general(torch.randn(5, 5).double()))
RECTANGLES = (
    (slice(-1, None), slice(None)),
    (slice(0, 11, 4), slice(1, None, 3)),
    (slice(4, 4), slice(0, 2)),
    (slice(5, 500), slice(12, 500)),
)
CALLS = covering(
    [*LENGTHS[1:], (11, 13)],
    BIASES,
    SCORES,
    [None, "plain", "blocked", "fused"],  # the kernel that gives attention_weights the log-sum-exp
    RECTANGLES,
    possible=lambda lengths, bias, score, kernel, _: kernel != "fused" or isinstance(score, str),
)


def make(queries=11, keys=13, mask=None, bias=None, score="scaled_dot", dtype=torch.float64):
    draw = torch.Generator().manual_seed(queries * keys)
    query = torch.randn(2, 6, queries, 5, generator=draw, dtype=torch.float64).to(dtype)
    key = torch.randn(2, 3, keys, 5, generator=draw, dtype=torch.float64).to(dtype)
    value = torch.randn(2, 3, keys, 7, generator=draw, dtype=torch.float64).to(dtype)
    return check(query, key, value, score, mask, bias)


class Whole(NamedTuple):
    """The maps of all heads by their definition; an empty row is zero."""

    allowed: Tensor
    scores: Tensor
    weights: Tensor
    output: Tensor

    @classmethod
    def of(cls, attention: Attention) -> "Whole":
        query, key, value, score, mask, bias = attention
        key, value = (each.repeat_interleave(2, dim=1) for each in (key, value))
        scores = score(query, key) + (0 if bias is None else bias)
        allowed = torch.ones_like(scores, dtype=torch.bool)
        if mask is not None:
            allowed = mask.whole(*scores.shape[2:], query.device).allowed.expand_as(scores)
        scores = scores.masked_fill(~allowed, -math.inf)
        weights = scores.softmax(-1).nan_to_num()
        return cls(allowed, scores, weights, weights @ value)


@pytest.mark.usefixtures("as_in_production")  # shapes are checked in the others
def test_a_tile_is_a_crop_of_the_map(make_mask):
    for lengths, bias, score, kernel, (queries, keys) in CALLS:
        attention = make(
            *lengths, mask=make_mask(*lengths), bias=BIASES[bias](*lengths), score=score
        )
        whole, tile = Whole.of(attention), (..., queries, keys)
        rows, columns = torch.arange(lengths[0])[queries], torch.arange(lengths[1])[keys]
        query, key, value, score, mask, bias = attention
        if mask is not None:
            allowed = mask.tile(rows + lengths[1] - lengths[0], columns)
            assert allowed.expand_as(whole.allowed[tile]).equal(whole.allowed[tile])
        same(attention.scores(rows, columns), whole.scores[tile])
        same(attention.weights(rows, columns), whole.weights[tile])
        same(attention.lse(rows), whole.scores.logsumexp(-1)[..., queries])
        same(attention.output(rows), whole.output[..., queries, :])
        given = dict(score=score, mask=mask, bias=bias)
        lse = kernel and attend(query, key, value, kernel=kernel, return_lse=True, **given)[1]
        weights = attention_weights(query, key, queries=queries, keys=keys, lse=lse, **given)
        same(weights, whole.weights[tile])
        same(attention.of_head(4, 1).weights()[0, 0], whole.weights[1, 4])
        same(attention.of_head(4, 1).output()[0, 0], whole.output[1, 4])
        same(attention.of_head(3).weights()[:, 0], whole.weights[:, 3])


def same(got, expected):
    torch.testing.assert_close(got, expected, atol=1e-13, rtol=0)


def test_the_log_sum_exp_by_hand_in_blocks_of_one_key(monkeypatch):
    monkeypatch.setattr("regard.attention.record.KEY_BLOCK", 1)
    monkeypatch.setattr("regard.attention.record.TILE_ENTRIES", 1)
    query, key = torch.tensor([[[[1.0], [2.0]]]]), torch.tensor([[[[0.0], [3.0]]]])
    expected = [math.log(math.exp(0)), math.log(math.exp(0) + math.exp(6))]
    lse = Attention(query, key, key, dot, Causal(), None).lse()
    torch.testing.assert_close(lse, torch.tensor([[expected]]))


def test_blocks_that_the_mask_hides_are_not_scored(monkeypatch):
    monkeypatch.setattr("regard.attention.record.KEY_BLOCK", 4)
    monkeypatch.setattr("regard.attention.record.TILE_ENTRIES", 4)
    seen = []

    def score(query, key):
        seen.append(key.shape[-2])
        return scaled_dot(query, key)

    lse = make(13, 13, mask=Causal(), score=score).lse(torch.tensor([2, 3]))
    assert seen == [4]  # of 13
    torch.testing.assert_close(lse, make(13, 13, mask=Causal()).lse()[:, :, 2:4])


def test_a_causal_tile_below_the_diagonal_is_known_to_be_seen_whole():
    attention = make(11, 13, mask=Causal())
    assert attention.allowed(torch.tensor([4, 6]), torch.tensor([1, 6])) is None
    allowed = attention.allowed(torch.tensor([4, 6]), torch.tensor([1, 7]))
    assert torch.equal(allowed[0, 0], torch.tensor([[True, False], [True, True]]))


def test_a_dtype_is_that_of_the_computation():
    rounded = make(dtype=torch.bfloat16)
    exact = Attention(*(part.double() for part in rounded[:3]), *rounded[3:])
    assert rounded.scores().dtype == torch.float32
    torch.testing.assert_close(rounded.weights(dtype="float64"), exact.weights())
    own = make(dtype=torch.bfloat16, score=lambda query, key: query @ key.mT)
    assert own.scores(dtype="float64").dtype == torch.float64
    torch.testing.assert_close(own.scores(dtype="float32"), own.scores())


@pytest.mark.parametrize("score", [cosine, capped(dot, 2.0)])
def test_gradients_of_a_rectangle_are_exact(score):
    attention = make(3, 5, score=score, mask=torch.tensor([[True], [False], [True]]).expand(3, 5))
    inputs = [part[:1, :1].requires_grad_() for part in attention[:2]]

    def weights(query, key):
        return attention._replace(query=query, key=key).weights(torch.tensor([0, 1]))

    assert torch.autograd.gradcheck(weights, inputs)
