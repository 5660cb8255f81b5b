"""Every mask, and lengths that differ: the grid that kernels and tiles are tested on."""

import warnings
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from regard.attention import Causal, Documents, Mask, Padding, Prefix, Window

with warnings.catch_warnings():
    # Forward mode imports this when first used; torch 2.15 warns of its own torch.jit.script there.
    warnings.simplefilter("ignore")
    import torch._decomp.decompositions_for_jvp

BATCH, HEADS = 2, 6


MASKS: dict[str, Callable[[int, int], Mask | Tensor | None]] = {
    "none": lambda queries, keys: None,
    "causal": lambda queries, keys: Causal(),
    "padding": lambda queries, keys: Padding.from_lengths(torch.tensor([keys, keys - 2]), keys),
    "padding on the left": lambda queries, keys: Padding(torch.arange(keys).expand(BATCH, -1) > 1),
    "window": lambda queries, keys: Window(2, 1),
    "documents": lambda queries, keys: Documents(
        torch.tensor([[0], [1]]) + torch.arange(keys) // 3,
        torch.tensor([[0], [1]]) + torch.arange(queries) // 2,
    ),
    "prefix": lambda queries, keys: Causal() | Prefix(3),
    "prefix per row": lambda queries, keys: Causal() | Prefix(torch.tensor([1, 4])),
    "causal and padding": lambda queries, keys: (
        Causal() & Padding.from_lengths(torch.tensor([keys, 2]), keys)
    ),
    "not causal": lambda queries, keys: ~Causal(),
    "a tensor": lambda queries, keys: torch.arange(queries * keys).view(queries, keys) % 3 > 0,
    "a tensor per head": lambda queries, keys: (
        torch.arange(HEADS * queries * keys).view(1, HEADS, queries, keys) % 5 > 1
    ),
    "rows that see nothing": lambda queries, keys: (torch.arange(queries) % 2 == 0)[:, None].expand(
        queries, keys
    ),
    "nothing at all": lambda queries, keys: torch.zeros(queries, keys, dtype=torch.bool),
}


@pytest.fixture(params=MASKS)
def make_mask(request: pytest.FixtureRequest) -> Callable[[int, int], Mask | Tensor | None]:
    return MASKS[request.param]


@pytest.fixture(params=[(7, 7), (5, 11), (11, 5), (1, 13)], ids="{0[0]}x{0[1]}".format)
def lengths(request: pytest.FixtureRequest) -> tuple[int, int]:
    return request.param
