"""Every mask that kernels and tiles are tested with."""

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
