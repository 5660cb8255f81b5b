"""The record of a call gives any rectangle of what the definition computes whole."""

import math

import pytest
import torch

from regard.attention import Causal, attend, attention_weights, capped, cosine, dot, scaled_dot
from regard.attention.attend import check
from regard.attention.record import Attention

ROWS, COLUMNS = torch.tensor([1, 2, 7]), torch.arange(3, 9)


def make(queries=11, keys=13, mask=None, bias=None, score="scaled_dot", dtype=torch.float64):
    draw = torch.Generator().manual_seed(queries * keys)
    query = torch.randn(2, 6, queries, 5, generator=draw, dtype=torch.float64).to(dtype)
    key = torch.randn(2, 3, keys, 5, generator=draw, dtype=torch.float64).to(dtype)
    value = torch.randn(2, 3, keys, 7, generator=draw, dtype=torch.float64).to(dtype)
    return check(query, key, value, score, mask, bias)


def by_hand(attention: Attention):
    """Scores and weights of the whole map by its definition; an empty row is zero."""
    key = attention.key.repeat_interleave(2, dim=1)
    scores = torch.einsum("bhqd,bhkd->bhqk", attention.query, key) / math.sqrt(5)
    if attention.bias is not None:
        scores = scores + attention.bias
    if attention.mask is not None:
        positions = torch.arange(13 - 11, 13)
        allowed = attention.mask.tile(positions, torch.arange(13))
        scores = scores.masked_fill(~allowed, -math.inf)
    return scores, scores.softmax(-1).nan_to_num()


@pytest.mark.parametrize("bias_shape", [None, (13,), (6, 1, 13), (2, 1, 11, 1), (2, 6, 11, 13)])
def test_every_rectangle_is_the_crop_of_the_definition(make_mask, bias_shape):
    bias = None if bias_shape is None else torch.randn(bias_shape, dtype=torch.float64)
    attention = make(mask=make_mask(11, 13), bias=bias)
    scores, weights = by_hand(attention)
    value = attention.value.repeat_interleave(2, dim=1)
    torch.testing.assert_close(attention.scores(), scores)
    torch.testing.assert_close(attention.weights(), weights)
    torch.testing.assert_close(attention.lse(), scores.logsumexp(-1))
    torch.testing.assert_close(attention.output(), weights @ value)
    tile = (slice(None), slice(None), ROWS[:, None], COLUMNS)
    torch.testing.assert_close(attention.scores(ROWS, COLUMNS), scores[tile])
    torch.testing.assert_close(attention.weights(ROWS, COLUMNS), weights[tile])
    torch.testing.assert_close(attention.lse(ROWS), scores.logsumexp(-1)[:, :, ROWS])
    torch.testing.assert_close(attention.output(ROWS), (weights @ value)[:, :, ROWS])
    one = attention.of_head(4, 1)
    torch.testing.assert_close(one.weights(ROWS, COLUMNS)[0, 0], weights[1, 4][tile[2:]])
    torch.testing.assert_close(one.output()[0, 0], (weights @ value)[1, 4])
    in_all = attention.of_head(3)
    torch.testing.assert_close(
        in_all.weights(ROWS, COLUMNS)[:, 0], weights[:, 3][(slice(None), *tile[2:])]
    )


def test_attend_and_attention_weights_are_the_records_output_and_weights(make_mask):
    attention = make(mask=make_mask(11, 13))
    query, key, value, _, mask, _ = attention
    torch.testing.assert_close(attend(query, key, value, mask=mask), attention.output())
    assert torch.equal(attention_weights(query, key, mask=mask), attention.weights())


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
