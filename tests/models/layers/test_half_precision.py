"""Layers in 16 bits are near those in float32; a sequence that is NaN leaves the others alone."""

import copy
import math
from collections.abc import Callable
from functools import partial

import pytest
import torch
from torch import nn

from fixtures.covering import parametrize
from regard.attention import Padding
from regard.models.layers.attention import MultiHeadAttention
from regard.models.layers.norm import make_norm
from regard.models.layers.rotary import Rotary
from regard.models.layers.transformer import FeedForward, Stack, TransformerLayer


def stack(kind: str, first: bool) -> Stack:
    torch.manual_seed(0)
    layers = [
        TransformerLayer(
            MultiHeadAttention(24, 6, num_key_heads=3, rotary=Rotary(4)),
            FeedForward(24, 40),
            norm=partial(make_norm, kind, 24),
            norm_first=first,
        )
        for _ in range(3)
    ]
    return Stack(layers, norm=make_norm(kind, 24), causal=True).eval()


KINDS = (("layer", False), ("rms", True))  # post-norm, and pre-norm


@pytest.fixture(params=KINDS)
def model(request: pytest.FixtureRequest) -> nn.Module:
    return stack(*request.param)


X = torch.randn(3, 19, 24, generator=torch.Generator().manual_seed(1))
MASK = Padding.from_lengths(torch.tensor([19, 7, 12]))
TOLERANCES = {torch.bfloat16: 0.06, torch.float16: 0.01}


@parametrize("model, dtype, grad", KINDS, TOLERANCES, [False, True], indirect=["model"])
def test_sixteen_bits_are_near_thirty_two(model, dtype, grad):
    tolerance = TOLERANCES[dtype]
    half = copy.deepcopy(model).to(dtype)
    with torch.set_grad_enabled(grad):
        got, want = half(X.to(dtype), mask=MASK), model(X, mask=MASK)
        cast = torch.autocast("cpu", dtype=dtype)
        with cast:
            converted = model(X, mask=MASK)
    assert got.dtype == dtype
    for each in (got, converted):
        torch.testing.assert_close(each.float(), want, atol=5 * tolerance, rtol=0)
        assert (each.float() - want).norm() < tolerance * want.norm()


def test_float16_with_scores_above_its_largest_number_stays_finite():
    torch.manual_seed(0)
    attention = MultiHeadAttention(24, 6)
    with torch.no_grad():
        attention.query.weight *= 300
        attention.key.weight *= 300
    x = X.half().float()
    want = attention(x)
    scores = attention.project(x, x)
    assert (scores[0] @ scores[1].mT).abs().max() / 2 > 65504
    for grad in (False, True):
        with torch.set_grad_enabled(grad):
            got = copy.deepcopy(attention).half()(x.half())
        assert got.isfinite().all()
        # Where two keys are near one another, rounded states may choose the other.
        assert ((got.float() - want).norm(dim=-1) > 0.1).float().mean() < 0.05


@parametrize(
    "model, dtype, number, grad",
    KINDS,
    [torch.float32, torch.bfloat16, torch.float16],
    [math.nan, math.inf],
    [False, True],
    indirect=["model"],
)
def test_a_sequence_that_is_not_finite_changes_no_bit_of_the_others(model, dtype, number, grad):
    model, x = model.to(dtype), X.to(dtype)
    spoiled = x.clone()
    spoiled[1, 3, 5] = number
    with torch.set_grad_enabled(grad):
        got, want = model(spoiled, mask=MASK), model(x, mask=MASK)
    assert torch.equal(got[[0, 2]], want[[0, 2]])
    assert got[1, 3].isnan().all()


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_nor_does_it_reach_their_gradients(model: nn.Module, number: float) -> None:
    def gradient(change: Callable[[torch.Tensor], object]) -> torch.Tensor:
        x = X.clone()
        change(x)
        x.requires_grad_()
        output = model(x, mask=MASK)
        return torch.autograd.grad(output[[0, 2]].square().sum(), x)[0]

    want = gradient(lambda x: None)
    got = gradient(lambda x: x[1, 3].fill_(number))
    assert torch.equal(got[[0, 2]], want[[0, 2]])
