"""Sub-layers come in the paper's order, with the normalisation before or after."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.attention import Causal, Padding
from regard.layers import DecoderLayer, EncoderLayer, LayerCache, Residual

BATCH, LENGTH, SOURCE, D_MODEL, HEADS, D_FF = 2, 5, 7, 8, 2, 13


def random(layer: nn.Module) -> nn.Module:
    """In double precision, with norms and biases that are not ones and zeros."""
    torch.manual_seed(19)
    for parameter in layer.double().parameters():
        nn.init.normal_(parameter)
    return layer


def tensor(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64)


def norm(residual: Residual, x: Tensor) -> Tensor:
    return functional.layer_norm(x, (D_MODEL,), residual.norm.weight, residual.norm.bias)


def test_pre_and_post_norm_of_a_known_sublayer() -> None:
    # x = (1, 3): mean 2, deviation 1, normalised (−1, 1); the sub-layer triples.
    x = torch.tensor([1.0, 3.0])
    for order, expected in (("pre", [1 - 3, 3 + 3]), ("post", [-1, 1])):
        residual = Residual(2, order=order, dropout=0.0)
        assert residual(x, lambda y: 3 * y).tolist() == pytest.approx(expected, abs=1e-4)


def test_dropout_acts_on_the_sublayer_and_not_on_the_residual() -> None:
    residual = Residual(D_MODEL, order="pre", dropout=0.5).train()
    output = residual(torch.zeros(101, D_MODEL), lambda y: y + 1)
    assert set(output.unique().tolist()) == {0.0, 2.0}


@pytest.mark.parametrize("order", ["pre", "post"])
def test_an_encoder_layer_by_hand(order: str) -> None:
    layer = random(EncoderLayer(D_MODEL, HEADS, D_FF, norm=order))
    assert isinstance(layer, EncoderLayer)
    x = tensor(BATCH, LENGTH, D_MODEL)
    mask = Padding(torch.arange(LENGTH) < torch.tensor([5, 3])[:, None])
    attention, feed_forward = layer.self_attention, layer.feed_forward
    first, second = layer.self_residual, layer.feed_forward_residual
    if order == "pre":
        h = x + attention(norm(first, x), mask=mask)
        expected = h + feed_forward(norm(second, h))
    else:
        h = norm(first, x + attention(x, mask=mask))
        expected = norm(second, h + feed_forward(h))
    torch.testing.assert_close(layer(x, mask=mask), expected)


@pytest.mark.parametrize("order", ["pre", "post"])
def test_a_decoder_layer_by_hand(order: str) -> None:
    layer = random(DecoderLayer(D_MODEL, HEADS, D_FF, norm=order))
    assert isinstance(layer, DecoderLayer)
    x, memory = tensor(BATCH, LENGTH, D_MODEL), tensor(BATCH, SOURCE, D_MODEL)
    real = Padding(torch.arange(SOURCE) < torch.tensor([4, 7])[:, None])
    first, second, third = layer.self_residual, layer.cross_residual, layer.feed_forward_residual
    if order == "pre":
        h = x + layer.self_attention(norm(first, x), mask=Causal())
        h = h + layer.cross_attention(norm(second, h), memory, mask=real)
        expected = h + layer.feed_forward(norm(third, h))
    else:
        h = norm(first, x + layer.self_attention(x, mask=Causal()))
        h = norm(second, h + layer.cross_attention(h, memory, mask=real))
        expected = norm(third, h + layer.feed_forward(h))
    output = layer(x, memory, self_mask=Causal(), cross_mask=real)
    torch.testing.assert_close(output, expected)

    cache = LayerCache()
    steps = [layer(x[:, t : t + 1], memory, cross_mask=real, cache=cache) for t in range(LENGTH)]
    torch.testing.assert_close(torch.cat(steps, dim=1), expected)


def test_both_masks_of_a_decoder_layer_matter() -> None:
    layer = random(DecoderLayer(D_MODEL, HEADS, D_FF))
    x, memory = tensor(BATCH, LENGTH, D_MODEL), tensor(BATCH, SOURCE, D_MODEL)
    real = Padding(torch.arange(SOURCE) < torch.tensor([4, 7])[:, None])
    outputs = [layer(x, memory), layer(x, memory, self_mask=Causal())]
    outputs.append(layer(x, memory, cross_mask=real))
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert not torch.allclose(outputs[one], outputs[other])
