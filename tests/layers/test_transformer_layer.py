"""Sub-layers run in the order of the paper, with the normalisation before or after each."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from regard.attention import Causal, Padding
from regard.layers import FeedForward, LayerCache, MultiHeadAttention, RMSNorm, TransformerLayer

BATCH, LENGTH, SOURCE, D_MODEL, HEADS, D_FF = 2, 5, 7, 8, 2, 13


def random(*, norm_first: bool = False, cross: bool = False) -> TransformerLayer:
    """In double precision, with norms and biases that are not ones and zeros."""
    layer = TransformerLayer(
        MultiHeadAttention(D_MODEL, HEADS),
        FeedForward(D_MODEL, D_FF),
        cross_attention=MultiHeadAttention(D_MODEL, HEADS) if cross else None,
        norm=lambda: nn.LayerNorm(D_MODEL),
        norm_first=norm_first,
    )
    torch.manual_seed(19)
    for parameter in layer.double().parameters():
        nn.init.normal_(parameter)
    return layer


def tensor(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.float64)


def norm(module: nn.Module, x: Tensor) -> Tensor:
    assert isinstance(module, nn.LayerNorm)
    return functional.layer_norm(x, (D_MODEL,), module.weight, module.bias)


@pytest.mark.parametrize(
    ("norm_first", "expected"),
    # x = (1, 3) has mean 2 and deviation 1: normalised it is (−1, 1). Attention over one position
    # gives zero here, and the feed-forward network triples.
    [(True, [1 - 3, 3 + 3]), (False, [-1, 1])],
)
def test_pre_and_post_norm_of_a_known_sublayer(norm_first: bool, expected: list[float]) -> None:
    attention, feed_forward = MultiHeadAttention(2, 1), nn.Linear(2, 2)
    for parameter in (*attention.parameters(), *feed_forward.parameters()):
        nn.init.zeros_(parameter)
    feed_forward.weight.data = 3 * torch.eye(2)
    layer = TransformerLayer(
        attention, feed_forward, norm=lambda: nn.LayerNorm(2), norm_first=norm_first
    )
    assert layer(torch.tensor([[[1.0, 3.0]]])).flatten().tolist() == pytest.approx(
        expected, abs=1e-4
    )


def test_dropout_acts_on_the_sublayer_and_not_on_the_residual() -> None:
    attention, feed_forward = MultiHeadAttention(D_MODEL, HEADS), nn.Linear(D_MODEL, D_MODEL)
    for parameter in (*attention.parameters(), *feed_forward.parameters()):
        nn.init.zeros_(parameter)
    nn.init.ones_(feed_forward.bias)
    layer = TransformerLayer(
        attention, feed_forward, norm=lambda: nn.LayerNorm(D_MODEL), norm_first=True, dropout=0.5
    ).train()
    output = layer(torch.full((1, 101, D_MODEL), 5.0))
    assert set(output.unique().tolist()) == {5.0, 7.0}


@pytest.mark.parametrize("norm_first", [True, False])
def test_a_layer_by_hand(norm_first: bool) -> None:
    layer = random(norm_first=norm_first)
    x = tensor(BATCH, LENGTH, D_MODEL)
    mask = Padding(torch.arange(LENGTH) < torch.tensor([5, 3])[:, None])
    attention, feed_forward = layer.self_attention, layer.feed_forward
    first, second = layer.self_attention_norm, layer.feed_forward_norm
    if norm_first:
        h = x + attention(norm(first, x), mask=mask)
        expected = h + feed_forward(norm(second, h))
    else:
        h = norm(first, x + attention(x, mask=mask))
        expected = norm(second, h + feed_forward(h))
    torch.testing.assert_close(layer(x, mask=mask), expected)


@pytest.mark.parametrize("norm_first", [True, False])
def test_a_layer_with_cross_attention_by_hand(norm_first: bool) -> None:
    layer = random(norm_first=norm_first, cross=True)
    assert layer.cross_attention is not None
    x, memory = tensor(BATCH, LENGTH, D_MODEL), tensor(BATCH, SOURCE, D_MODEL)
    real = Padding(torch.arange(SOURCE) < torch.tensor([4, 7])[:, None])
    first, second, third = (
        layer.self_attention_norm,
        layer.cross_attention_norm,
        layer.feed_forward_norm,
    )
    if norm_first:
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
    layer = random(norm_first=True, cross=True)
    x, memory = tensor(BATCH, LENGTH, D_MODEL), tensor(BATCH, SOURCE, D_MODEL)
    hidden = tensor(1, HEADS, LENGTH, LENGTH)
    expected = layer(x, memory, mask=Causal())
    causal = torch.zeros(LENGTH, LENGTH, dtype=torch.float64)
    causal.masked_fill_(torch.ones(LENGTH, LENGTH).triu(1).bool(), -torch.inf)
    torch.testing.assert_close(layer(x, memory, bias=causal), expected)
    assert not torch.allclose(layer(x, memory, bias=hidden), layer(x, memory))


def test_each_sublayer_has_a_norm_of_its_own() -> None:
    layer = TransformerLayer(
        MultiHeadAttention(D_MODEL, HEADS),
        FeedForward(D_MODEL, D_FF),
        norm=lambda: RMSNorm(D_MODEL, 1e-3),
        norm_first=True,
    )
    norms = [module for module in layer.modules() if isinstance(module, RMSNorm)]
    assert len({id(norm.weight) for norm in norms}) == 2


def test_memory_is_needed_where_something_looks_at_it() -> None:
    with pytest.raises(AssertionError, match="needs memory"):
        random(cross=True)(tensor(BATCH, LENGTH, D_MODEL))
