"""Norms beside vectors that are really added up, in NumPy and float64."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

import regard
from regard import RegardError
from regard.attention import Causal, Mask
from regard.inspection.norms import (
    Connection,
    connections,
    layer_norms,
    mixing_ratio,
    residual_norms,
)
from regard.inspection.tap import Tap
from regard.layers import MultiHeadAttention
from regard.models import EncoderDecoder
from regard.models.encoder_decoder import EncoderDecoderConfig

Make = Callable[..., Tap]
Whole = Callable[[Tap], tuple[Tensor, Tensor]]
Values = NDArray[np.float64]
ROWS, COLUMNS, WIDTH = 11, 13, 17


def added(tap: Tap, whole_map: Whole) -> Values:
    """Σ_h α_h f_h(x_j) for each query and key: (queries, keys, d_model), of the second sequence."""
    weights = whole_map(tap)[0][1].numpy()
    value = tap.value[1].double().repeat_interleave(tap.heads // tap.key_heads, 0).numpy()
    of_keys = np.einsum("hkv,hvd->hkd", value, tap.output_weight.double().numpy())
    return np.einsum("hqk,hkd->qkd", weights, of_keys)


def connection(post: bool) -> Connection:
    draw = torch.Generator().manual_seed(5)
    residual = torch.randn(ROWS, WIDTH, generator=draw) * 3
    if not post:
        return Connection(residual)
    gamma = torch.randn(WIDTH, generator=draw)
    return Connection(residual, gamma, torch.rand(ROWS, generator=draw) + 0.5)


def g(vectors: Values, around: Connection, rows: slice = slice(None)) -> Values:
    """Post-norm's normalisation of a contribution; `vectors` are (queries, ..., d_model)."""
    if around.gamma is None or around.std is None:
        return vectors
    std = around.std.double().numpy()[rows].reshape(-1, *[1] * (vectors.ndim - 1))
    return (vectors - vectors.mean(-1, keepdims=True)) / std * around.gamma.double().numpy()


def test_heads_add_up_before_the_norm(make_tap: Make, mask: Mask, whole_map: Whole):
    tap = make_tap(mask=mask)
    expected = np.linalg.norm(added(tap, whole_map), axis=-1)
    assert np.allclose(layer_norms(tap, item=1), expected, rtol=1e-4, atol=1e-5)
    # By the triangle inequality never more than the heads' own norms together.
    assert (layer_norms(tap, item=1) <= tap.norms(item=1).sum(0) + 1e-4).all()


def test_the_norm_of_two_heads_that_cancel_is_zero(make_tap: Make):
    tap = make_tap(2, 3, heads=2, key_heads=1)
    tap.query[:, 1] = tap.query[:, 0]
    tap.output_weight[1] = -tap.output_weight[0]
    assert tap.norms().min() > 0
    assert torch.allclose(layer_norms(tap), torch.zeros(2, 3), atol=1e-5)


@pytest.mark.parametrize("post", [False, True], ids=["pre-norm", "post-norm"])
def test_the_residual_is_part_of_what_a_position_adds_to_itself(
    make_tap: Make, whole_map: Whole, post: bool
):
    tap, around = make_tap(mask=Causal()), connection(post)
    vectors = added(tap, whole_map)
    for row in range(ROWS):
        vectors[row, row + 2] += around.residual[row].double().numpy()  # aligned on the right
    expected = np.linalg.norm(g(vectors, around), axis=-1)
    found = layer_norms(tap, around=around, item=1)
    assert np.allclose(found, expected, rtol=1e-4, atol=1e-5)
    tile = layer_norms(tap, slice(3, 9), slice(2, 12, 3), around=around, item=1)
    assert np.allclose(tile, expected[3:9, 2:12:3], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("post", [False, True], ids=["pre-norm", "post-norm"])
def test_between_two_sequences_the_residual_comes_from_no_key(
    make_tap: Make, whole_map: Whole, post: bool
):
    tap, around = make_tap(), connection(post)
    tap.kind, tap.keys = "cross", "source"
    expected = np.linalg.norm(g(added(tap, whole_map), around), axis=-1)
    assert np.allclose(layer_norms(tap, around=around, item=1), expected, rtol=1e-4)
    own = np.linalg.norm(g(around.residual.double().numpy(), around), axis=-1)
    assert np.allclose(residual_norms(tap, around), own, rtol=1e-5)
    rows = slice(4, 7)
    assert np.allclose(residual_norms(tap, around, rows), own[rows], rtol=1e-5)


@pytest.mark.parametrize("kind", ["self", "cross"])
@pytest.mark.parametrize("post", [False, True], ids=["pre-norm", "post-norm"])
def test_the_mixing_ratio_is_the_context_s_part(
    make_tap: Make, mask: Mask, whole_map: Whole, post: bool, kind: str
):
    tap, around = make_tap(mask=mask), connection(post)
    tap.kind = kind
    vectors = added(tap, whole_map)
    own = around.residual.double().numpy().copy()
    context = vectors.sum(1)
    if kind == "self":
        itself = vectors[np.arange(ROWS), np.arange(2, COLUMNS)]
        own, context = own + itself, context - itself
    own, context = (np.linalg.norm(g(part, around), axis=-1) for part in (own, context))
    expected = context / (context + own)
    assert np.allclose(mixing_ratio(tap, around, item=1), expected, atol=1e-5)
    rows = mixing_ratio(tap, around, slice(2, 10, 3), item=1)
    assert np.allclose(rows, expected[2:10:3], atol=1e-5)


def test_strips_and_blocks_add_up(make_tap: Make, monkeypatch: pytest.MonkeyPatch):
    tap, around = make_tap(mask=Causal()), connection(post=True)
    norms, ratio = layer_norms(tap, around=around), mixing_ratio(tap, around)
    for name, size in (("TILE_ROWS", 3), ("TILE_COLUMNS", 5), ("KEYS_AT_ONCE", 4)):
        monkeypatch.setattr(f"regard.inspection.norms.{name}", size)
    assert torch.allclose(layer_norms(tap, around=around), norms, atol=1e-6)
    assert torch.allclose(mixing_ratio(tap, around), ratio, atol=1e-6)


@pytest.fixture(params=["post", "pre"])
def model(request: pytest.FixtureRequest) -> EncoderDecoder:
    torch.manual_seed(3)
    config = EncoderDecoderConfig(
        vocab_size=23,
        d_model=12,
        encoder_layers=2,
        decoder_layers=2,
        encoder_heads=3,
        decoder_heads=3,
        d_ff=19,
        norm=request.param,
    )
    model = EncoderDecoder(config).eval()
    for module in model.modules():
        if isinstance(module, nn.LayerNorm):
            nn.init.uniform_(module.weight, 0.5, 2.0)
    return model


def test_contributions_of_a_real_layer_add_up_to_its_output(model: EncoderDecoder):
    """What is left after all keys, the residual and the biases is nothing."""
    source, target = torch.tensor([[5, 6, 7, 8, 9]]), torch.tensor([[4, 5, 6]])
    outputs: dict[str, Tensor] = {}

    def note(module: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        # The residual stream after self-attention: what comes out of the norm there, or goes into
        # the next one.
        post = model.config.norm == "post"
        outputs["encoder.layers.1.self"] = (output if post else inputs[0])[0].double()

    after = "self_attention_norm" if model.config.norm == "post" else "feed_forward_norm"
    handle = model.get_submodule(f"encoder.layers.1.{after}").register_forward_hook(note)
    with connections(model) as around:
        trace = regard.trace(model, source=source, target=target)
    handle.remove()
    assert set(around) == set(trace)

    name = "encoder.layers.1.self"
    tap, known = trace[name], around[name]
    attention = model.get_submodule(f"{name}_attention")
    norm = model.get_submodule(f"{name}_attention_norm")
    assert isinstance(attention, MultiHeadAttention)
    assert isinstance(norm, nn.LayerNorm)
    total = np.einsum(
        "hqk,hkv,hvd->qd",
        tap.weights().double().numpy(),
        tap.value[0].double().numpy(),
        tap.output_weight.double().numpy(),
    )
    total += known.residual.double().numpy() + attention.output.bias.detach().double().numpy()
    expected = g(total, known)
    if model.config.norm == "post":
        expected = expected + norm.bias.detach().double().numpy()
    assert np.allclose(outputs[name], expected, atol=1e-5)
    ratio = mixing_ratio(tap, known)
    assert ((ratio > 0) & (ratio < 1)).all()


def test_bad_input_is_refused_in_a_sentence(make_tap: Make):
    tap = make_tap()
    with pytest.raises(RegardError, match="gamma and std go together"):
        Connection(torch.zeros(ROWS, WIDTH), gamma=torch.ones(WIDTH))
    with pytest.raises(
        RegardError, match=r"residual of .* must have shape \(11, 17\); got \(3, 17\)"
    ):
        mixing_ratio(tap, Connection(torch.zeros(3, WIDTH)))
    around = Connection(torch.zeros(ROWS, WIDTH), torch.ones(WIDTH), torch.ones(3))
    with pytest.raises(RegardError, match=r"std of .* must have shape \(11,\); got \(3,\)"):
        layer_norms(tap, around=around)
    with pytest.raises(RegardError, match="queries must lie within 0 to 11; got 0 to 99"):
        layer_norms(tap, slice(0, 99))
    tap.output_weight = None
    with pytest.raises(RegardError, match="norms need the output projection of"):
        layer_norms(tap)
