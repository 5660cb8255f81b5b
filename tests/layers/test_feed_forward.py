import math

import pytest
import torch

from regard.layers import FeedForward


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
