"""What NaN does in attention: it shows in every row that it has a part in, whatever the kernel."""

import math

import pytest
import torch
from torch import Tensor

from fixtures.covering import parametrize
from regard.attention import Causal, attend

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
@pytest.mark.parametrize("keys", KEYS)
def test_a_causal_map_shows_it_too(kernel, keys):
    query = torch.randn(2, 3, keys, 5)
    output = attend(spoiled(query, 0, math.nan), query, query, kernel=kernel, mask=Causal())
    assert output[1, 2, 0].isnan().all()
    assert output.isnan().any(-1).sum() == 1
