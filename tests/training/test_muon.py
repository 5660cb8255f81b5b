"""Muon against the singular value decomposition and against torch's."""

import pytest
import torch
from torch import nn

from regard.training.muon import COEFFICIENTS, Muon, orthogonal


@pytest.mark.parametrize("shape", [(3, 8, 8), (2, 5, 12), (2, 12, 5)])
def test_orthogonal_maps_each_singular_value_by_the_polynomial(shape: tuple[int, ...]) -> None:
    matrices = torch.randn(shape, dtype=torch.float64)
    left, values, right = torch.linalg.svd(matrices, full_matrices=False)
    expected = values / values.norm(dim=-1, keepdim=True)
    a, b, c = COEFFICIENTS
    for _ in range(5):
        expected = a * expected + b * expected**3 + c * expected**5
    product = left @ torch.diag_embed(expected) @ right
    torch.testing.assert_close(orthogonal(matrices, 5), product)


def test_orthogonal_brings_singular_values_near_one() -> None:
    values = torch.linalg.svdvals(orthogonal(torch.randn(4, 32, 64)))
    assert values.min() > 0.6
    assert values.max() < 1.3


def test_steps_are_those_of_torch_muon() -> None:
    """torch's computes in bfloat16, hence the tolerance: an update is about 0.2 · lr."""
    shapes = [(16, 16), (16, 48), (48, 16), (16, 16)]
    ours = [nn.Parameter(torch.randn(shape)) for shape in shapes]
    theirs = [nn.Parameter(parameter.detach().clone()) for parameter in ours]
    muon = Muon(ours, lr=0.1, weight_decay=0.1)
    torch_muon = torch.optim.Muon(theirs, lr=0.1, weight_decay=0.1, adjust_lr_fn="match_rms_adamw")
    for _ in range(3):
        for own, other in zip(ours, theirs, strict=True):
            own.grad = torch.randn_like(own)
            other.grad = own.grad.clone()
        muon.step()
        torch_muon.step()
    for own, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(own, other, atol=4e-3, rtol=0)


def test_a_matrix_without_a_gradient_stays() -> None:
    still, moved = nn.Parameter(torch.ones(4, 4)), nn.Parameter(torch.ones(4, 4))
    muon = Muon([still, moved], lr=0.1)
    moved.grad = torch.randn(4, 4)
    muon.step()
    assert torch.equal(still, torch.ones(4, 4))
    assert not torch.equal(moved, torch.ones(4, 4))
