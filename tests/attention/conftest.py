"""Every mask, and lengths that differ: the grid that kernels and tiles are tested on."""

import warnings
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from fixtures.attention_masks import MASKS
from regard.attention import Mask

with warnings.catch_warnings():
    # Forward mode imports this when first used; torch 2.15 warns of its own torch.jit.script there.
    warnings.simplefilter("ignore")
    import torch._decomp.decompositions_for_jvp  # noqa: F401


@pytest.fixture(params=MASKS)
def make_mask(request: pytest.FixtureRequest) -> Callable[[int, int], Mask | Tensor | None]:
    return MASKS[request.param]


@pytest.fixture(params=[(7, 7), (5, 11), (11, 5), (1, 13)], ids="{0[0]}x{0[1]}".format)
def lengths(request: pytest.FixtureRequest) -> tuple[int, int]:
    return request.param
