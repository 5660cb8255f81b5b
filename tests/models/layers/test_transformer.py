"""A layer and its feed-forward network; the stack has a file of its own."""

import math

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from regard import RegardError
from regard.attention import Causal, Padding
from regard.models.layers import (
    ACTIVATIONS,
    FeedForward,
    LayerCache,
    MultiHeadAttention,
    RMSNorm,
    TransformerLayer,
)

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
    # x = (1, 3) has mean 2 and deviation 1: normalized it is (−1, 1). Attention over one position
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
    with pytest.raises(RegardError, match=r"one of relu, gelu, .*tanh; got 'sine'"):
        FeedForward(3, 5, activation="sine")


def test_a_gate_with_a_limit_is_gpt_oss_s_formula() -> None:
    torch.manual_seed(2)
    module, x = FeedForward(6, 9, gated=True, gate_limit=0.4), torch.randn(6)
    assert module.gate is not None
    numbers = []
    for gate, inner in zip(module.gate(x).tolist(), module.inner(x).tolist(), strict=True):
        low = min(gate, 0.4)
        numbers.append(low / (1 + math.exp(-1.702 * low)) * (1 + max(-0.4, min(inner, 0.4))))
    torch.testing.assert_close(module(x), module.outer(torch.tensor(numbers)))
    assert bool((module.gate(x) > 0.4).any())
