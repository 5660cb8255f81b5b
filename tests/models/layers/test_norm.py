"""Normalizations against values computed by hand and against torch's."""

import pytest
import torch
from torch import nn

from regard import RegardError
from regard.models.layers import RMSNorm, make_norm


def test_rms_by_hand() -> None:
    # The root of the mean of 1, 49 and 25 is 5; no mean is removed.
    norm = RMSNorm(3, eps=0.0)
    norm.weight.data = torch.tensor([1.0, 2.0, -1.0])
    torch.testing.assert_close(norm(torch.tensor([1.0, 7.0, -5.0])), torch.tensor([0.2, 2.8, 1.0]))


def test_eps_is_inside_the_root() -> None:
    assert RMSNorm(2, eps=4.0)(torch.zeros(2)).tolist() == [0.0, 0.0]
    # The mean of 0 and 24 is 12; √(12 + 4) = 4.
    torch.testing.assert_close(
        RMSNorm(2, eps=4.0)(torch.tensor([0.0, 24**0.5])), torch.tensor([0.0, 24**0.5 / 4])
    )


def test_bf16_is_within_one_rounding_of_transformers() -> None:
    llama = pytest.importorskip("transformers.models.llama.modeling_llama")
    theirs, ours = llama.LlamaRMSNorm(101, eps=1e-6).bfloat16(), RMSNorm(101, 1e-6).bfloat16()
    torch.manual_seed(3)
    theirs.weight.data.normal_()
    ours.load_state_dict(theirs.state_dict())
    x = 30 * torch.randn(7, 101, dtype=torch.bfloat16)
    torch.testing.assert_close(ours(x), theirs(x), rtol=2**-7, atol=0)


def test_a_norm_is_made_by_its_name() -> None:
    layer, rms = make_norm("layer", 7, 1e-12), make_norm("rms", 5, 1e-3)
    assert isinstance(layer, nn.LayerNorm)
    assert isinstance(rms, RMSNorm)
    assert (layer.normalized_shape, layer.eps) == ((7,), 1e-12)
    assert (rms.weight.shape, rms.eps) == ((5,), 1e-3)
    more, x = make_norm("rms_plus_one", 5, 1e-3), torch.randn(3, 5)
    assert isinstance(more, RMSNorm)
    assert torch.equal(more(x), rms(x))  # each as it is at first
    nn.init.normal_(more.weight)
    rms.weight.data = more.weight.data + 1
    assert torch.equal(more(x), rms(x))


def test_an_unknown_norm_lists_the_known() -> None:
    with pytest.raises(
        RegardError, match="one of layer, layer_without_bias, rms, rms_plus_one; got 'batch'"
    ):
        make_norm("batch", 7)
