"""What NaN does in attention: it shows in every row that it has a part in, whatever the kernel."""

import math
from itertools import product

import pytest
import torch
from torch import Tensor

from fixtures.covering import parametrize
from regard.attention import Causal, Padding, Window, attend

KERNELS = ("plain", "short", "blocked", "fused", "auto")
KEYS = (1, 7, 15, 16, 53)
DTYPES = (torch.float32, torch.float64, torch.bfloat16)


def inputs(keys: int, dtype: torch.dtype, grad: bool) -> list[Tensor]:
    torch.manual_seed(keys)
    return [torch.randn(2, 3, n, 5, dtype=dtype, requires_grad=grad) for n in (4, keys, keys)]


def spoiled(tensor: Tensor, row: int, number: float) -> Tensor:
    """The same with another number in one place."""
    there = torch.zeros_like(tensor, dtype=torch.bool)
    there[1, 2, row, 3] = True
    return tensor.masked_fill(there, number)


@parametrize("kernel, dtype, grad, masked", KERNELS, DTYPES, [False, True], [False, True])
def test_nan_in_a_query_shows_in_the_whole_of_its_row(kernel, grad, dtype, masked):
    for keys in KEYS:
        query, key, value = inputs(keys, dtype, grad)
        mask = torch.ones(4, keys, dtype=torch.bool)
        mask[0, :] = False  # a row that sees nothing has zeros, whatever its query
        options = {"mask": mask} if masked else {}
        wrong = attend(spoiled(query, 1, math.nan), key, value, kernel=kernel, **options)
        right = attend(query, key, value, kernel=kernel, **options)
        assert wrong[1, 2, 1].isnan().all()
        assert not right.isnan().any()
        assert torch.equal(wrong[1, 2, 2:], right[1, 2, 2:])
        if masked:
            assert not wrong[:, :, 0].any()


@parametrize("kernel, dtype, grad", KERNELS, DTYPES, [False, True])
def test_nan_in_a_key_shows_in_every_row_that_sees_it(kernel, grad, dtype):
    for keys in KEYS:
        query, key, value = inputs(keys, dtype, grad)
        for row in {0, keys // 2, keys - 1}:
            output = attend(query, spoiled(key, row, math.nan), value, kernel=kernel)
            assert output[1, 2].isnan().all()
            assert not output[0].isnan().any()


@parametrize("kernel, grad, number", KERNELS, [False, True], [math.nan, math.inf])
def test_nan_in_a_value_shows_in_its_column_of_every_row_that_sees_it(kernel, grad, number):
    for keys in KEYS:
        query, key, value = inputs(keys, torch.float32, grad)
        output = attend(query, key, spoiled(value, keys - 1, number), kernel=kernel)
        shown = ~output[1, 2].isfinite()
        assert shown[:, 3].all()
        assert shown.sum() == 4


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_causal_map_shows_it_too(kernel):
    for keys in KEYS:
        query = torch.randn(2, 3, keys, 5)
        output = attend(spoiled(query, 0, math.nan), query, query, kernel=kernel, mask=Causal())
        assert output[1, 2, 0].isnan().all()
        assert output.isnan().any(-1).sum() == 1


def by_hand(inputs: list[Tensor], allowed: Tensor, bias: Tensor | None) -> Tensor:
    """Attention row by row, over the keys that are left when the hidden ones are taken away."""
    query, key, value = inputs
    output = query.new_zeros(*query.shape[:3], value.shape[-1])
    for item, head, row in product(*map(range, query.shape[:3])):
        seen = allowed.expand(2, 2, 20, 20)[item, head, row]
        added = query.new_zeros(len(seen)) if bias is None else bias[0, 0, 0]
        seen = seen & ~added.isneginf()
        keys, values = (tensor[item, head // (2 // key.shape[1])][seen] for tensor in (key, value))
        scores = keys @ query[item, head, row] / query.shape[-1] ** 0.5 + added[seen]
        output[item, head, row] = scores.softmax(-1) @ values
    return output


MASKS = (Causal(), Padding.from_lengths(torch.tensor([20, 9]), 20), Window(2, 1))


@parametrize("kernel, mask, key_heads, biased", KERNELS, MASKS, [1, 2], [False, True])
def test_a_hidden_key_has_no_part_whatever_its_numbers(kernel, mask, key_heads, biased):
    if kernel == "short" and biased:
        return  # it takes no bias
    query, key, value = torch.randn(2, 2, 20, 8), *torch.randn(2, 2, key_heads, 20, 8)
    key[0, 0, 19, 0] = value[1, 0, 19, 2] = key[1, 0, 9] = math.nan
    value[0, 0, 18] = math.inf
    bias = torch.randn(1, 1, 1, 20) if biased else None
    if biased:
        bias[..., 2], key[:, :, 2] = -math.inf, math.nan
    allowed = mask.whole(20, 20, query.device).allowed
    inputs = [tensor.requires_grad_() for tensor in (query, key, value)]
    usual = [query, key.detach().nan_to_num(0, 0), value.detach().nan_to_num(0, 0)]
    usual = [tensor.clone().detach().requires_grad_() for tensor in usual]
    want, finite = by_hand(inputs, allowed, bias), by_hand(usual, allowed, bias)
    shown = want.isfinite()
    for grad in (False, True):
        with torch.set_grad_enabled(grad):
            got = attend(*inputs, mask=mask, bias=bias, kernel=kernel)
        assert torch.equal(got.isfinite(), shown)
        torch.testing.assert_close(got[shown], want[shown])
    gradients = torch.autograd.grad(got[shown].sum(), inputs)
    wanted = torch.autograd.grad(finite[shown].sum(), usual)
    torch.testing.assert_close(gradients[0], wanted[0])
    for tensor, gradient, right in zip(inputs[1:], gradients[1:], wanted[1:], strict=True):
        usual_rows = tensor.isfinite().all(-1)
        assert gradient.isfinite().all()
        torch.testing.assert_close(gradient[usual_rows], right[usual_rows])


@pytest.mark.parametrize("kernel", ["plain", "blocked", "fused", "auto"])
def test_nor_has_a_bias_that_the_mask_hides(kernel):
    query, bias = torch.randn(2, 3, 6, 5), torch.randn(1, 1, 6, 6)
    spoiled_bias = bias.masked_fill(torch.ones(6, 6).triu(1).bool(), math.nan)
    got = attend(query, query, query, mask=Causal(), bias=spoiled_bias, kernel=kernel)
    want = attend(query, query, query, mask=Causal(), bias=bias, kernel="plain")
    torch.testing.assert_close(got, want)


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_log_sum_exp_knows_no_hidden_key_either(kernel):
    query, key, value = inputs(7, torch.float32, grad=True)
    allowed = torch.ones(4, 7, dtype=torch.bool)
    allowed[:2, 5] = False
    options = {"mask": allowed, "kernel": kernel, "return_lse": True}
    _, lse = attend(query, spoiled(key, 5, math.nan), value, **options)
    _, want = attend(query, key, value, **options)
    assert lse[1, 2, 2:].isnan().all()
    torch.testing.assert_close(lse[1, 2, :2], want[1, 2, :2])
