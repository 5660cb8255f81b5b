"""Sub-layers come in the paper's order, with the normalisation before or after."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from regard import RegardError
from regard.attention import Causal, Padding
from regard.layers import FeedForward, Layer, LayerCache, MultiHeadAttention, Residual, RMSNorm

BATCH, LENGTH, SOURCE, D_MODEL, HEADS, D_FF = 2, 5, 7, 8, 2, 13


def random(order: str = "post", *, cross: bool = False) -> Layer:
    """In double precision, with norms and biases that are not ones and zeros."""
    layer = Layer(
        MultiHeadAttention(D_MODEL, HEADS),
        FeedForward(D_MODEL, D_FF),
        cross_attention=MultiHeadAttention(D_MODEL, HEADS) if cross else None,
        norm=lambda: nn.LayerNorm(D_MODEL),
        order=order,
    )
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
        residual = Residual(nn.LayerNorm(2), order=order)
        assert residual(x, lambda y: 3 * y).tolist() == pytest.approx(expected, abs=1e-4)


def test_dropout_acts_on_the_sublayer_and_not_on_the_residual() -> None:
    residual = Residual(nn.LayerNorm(D_MODEL), order="pre", dropout=0.5).train()
    output = residual(torch.zeros(101, D_MODEL), lambda y: y + 1)
    assert set(output.unique().tolist()) == {0.0, 2.0}


@pytest.mark.parametrize("order", ["pre", "post"])
def test_a_layer_by_hand(order: str) -> None:
    layer = random(order)
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
def test_a_layer_with_cross_attention_by_hand(order: str) -> None:
    layer = random(order, cross=True)
    assert layer.cross_attention is not None
    assert layer.cross_residual is not None
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
    output = layer(x, memory, mask=Causal(), memory_mask=real)
    torch.testing.assert_close(output, expected)

    cache = LayerCache()
    steps = [layer(x[:, t : t + 1], memory, memory_mask=real, cache=cache) for t in range(LENGTH)]
    torch.testing.assert_close(torch.cat(steps, dim=1), expected)


def test_both_masks_matter() -> None:
    layer = random(cross=True)
    x, memory = tensor(BATCH, LENGTH, D_MODEL), tensor(BATCH, SOURCE, D_MODEL)
    real = Padding(torch.arange(SOURCE) < torch.tensor([4, 7])[:, None])
    outputs = [layer(x, memory), layer(x, memory, mask=Causal())]
    outputs.append(layer(x, memory, memory_mask=real))
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert not torch.allclose(outputs[one], outputs[other])


def test_a_bias_is_added_in_self_attention_only() -> None:
    layer = random("pre", cross=True)
    x, memory = tensor(BATCH, LENGTH, D_MODEL), tensor(BATCH, SOURCE, D_MODEL)
    hidden = tensor(1, HEADS, LENGTH, LENGTH)
    expected = layer(x, memory, mask=Causal())
    causal = torch.zeros(LENGTH, LENGTH, dtype=torch.float64)
    causal.masked_fill_(torch.ones(LENGTH, LENGTH).triu(1).bool(), -torch.inf)
    torch.testing.assert_close(layer(x, memory, bias=causal), expected)
    assert not torch.allclose(layer(x, memory, bias=hidden), layer(x, memory))


def test_each_connection_has_a_norm_of_its_own() -> None:
    layer = Layer(
        MultiHeadAttention(D_MODEL, HEADS),
        FeedForward(D_MODEL, D_FF),
        norm=lambda: RMSNorm(D_MODEL, 1e-3),
        order="pre",
    )
    norms = [module for module in layer.modules() if isinstance(module, RMSNorm)]
    assert len({id(norm.weight) for norm in norms}) == 2


def test_an_unknown_order_lists_the_known() -> None:
    with pytest.raises(RegardError, match="order must be one of post, pre; got 'both'"):
        Residual(nn.LayerNorm(2), order="both")


def test_memory_is_needed_where_something_looks_at_it() -> None:
    with pytest.raises(AssertionError, match="needs memory"):
        random(cross=True)(tensor(BATCH, LENGTH, D_MODEL))
