import math

import pytest
import torch

from regard import RegardError
from regard.layers import ACTIVATIONS, FeedForward


@pytest.mark.parametrize(
    ("activation", "expected"),
    [
        # inner = (2·1 + 3·(−2) + 1, −1·1 + 1·(−2) + 6) = (−3, 3); outer = 5·f(−3) + 7·f(3) + 0.5
        ("relu", 5 * 0 + 7 * 3 + 0.5),
        ("swish", -15 / (1 + math.exp(3)) + 21 / (1 + math.exp(-3)) + 0.5),
        ("gelu", -7.5 * (1 + math.erf(-3 / 2**0.5)) + 10.5 * (1 + math.erf(3 / 2**0.5)) + 0.5),
    ],
)
def test_values_computed_by_hand(activation: str, expected: float) -> None:
    layer = FeedForward(2, 2, activation=activation).double()
    with torch.no_grad():
        layer.inner.weight.copy_(torch.tensor([[2.0, 3.0], [-1.0, 1.0]]))
        layer.inner.bias.copy_(torch.tensor([1.0, 6.0]))
        layer.outer.weight.copy_(torch.tensor([[5.0, 7.0], [0.0, 0.0]]))
        layer.outer.bias.copy_(torch.tensor([0.5, -4.0]))
    output = layer(torch.tensor([[1.0, -2.0]], dtype=torch.float64))
    assert output[0].tolist() == pytest.approx([expected, -4.0])


def test_positions_do_not_see_each_other() -> None:
    layer = FeedForward(5, 11)
    input = torch.randn(2, 3, 5)
    torch.testing.assert_close(layer(input)[1, 2], layer(input[1, 2]))


def test_a_gate_multiplies_by_hand() -> None:
    layer = FeedForward(2, 2, gated=True, bias=False).double()
    assert layer.gate is not None
    with torch.no_grad():
        layer.gate.weight.copy_(torch.tensor([[1.0, 1.0], [2.0, 0.0]]))
        layer.inner.weight.copy_(torch.tensor([[3.0, 0.0], [0.0, 5.0]]))
        layer.outer.weight.copy_(torch.tensor([[1.0, 1.0], [0.0, 7.0]]))
    # The gate gives max(0, (-1, 2)) = (0, 2), the other projection (3, -10).
    output = layer(torch.tensor([[1.0, -2.0]], dtype=torch.float64))
    assert output[0].tolist() == [-20.0, -140.0]


def test_biases_are_left_out_as_asked() -> None:
    names = {name for name, _ in FeedForward(3, 5, gated=True, bias=False).named_parameters()}
    assert names == {"gate.weight", "inner.weight", "outer.weight"}
    assert len(dict(FeedForward(3, 5, gated=True).named_parameters())) == 6


@pytest.mark.parametrize("name", [*ACTIVATIONS])
def test_transformers_computes_the_same_activations(name: str) -> None:
    theirs = pytest.importorskip("transformers.activations").ACT2FN
    x = torch.linspace(-7, 7, 101, dtype=torch.float64)
    expected = theirs["gelu_pytorch_tanh" if name == "gelu_tanh" else name](x)
    torch.testing.assert_close(ACTIVATIONS[name](x), expected)


def test_an_unknown_activation_lists_the_known() -> None:
    with pytest.raises(RegardError, match=r"one of relu, gelu, .*swish; got 'tanh'"):
        FeedForward(3, 5, activation="tanh")
