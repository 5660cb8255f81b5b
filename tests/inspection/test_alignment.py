"""Word alignment is what cross-attention really did, at the step that it says."""

import pytest
import torch
from torch import Tensor, nn

from regard import RegardError
from regard.attention import Causal
from regard.inspection import cross_attention, group_words
from regard.models import EncoderDecoder, EncoderDecoderConfig
from regard.models.layers import TransformerLayer

SOURCE = torch.tensor([[5, 9, 2, 30, 7, 11, 1], [8, 3, 3, 14, 1, 0, 0]])
TARGET = torch.tensor([[4, 22, 13, 6, 1], [17, 2, 1, 0, 0]])
REAL = SOURCE != 0
LAYERS, HEADS = 3, 2


def small(norm: str = "pre", score: str = "scaled_dot") -> EncoderDecoder:
    torch.manual_seed(3)
    config = EncoderDecoderConfig(
        31,
        d_model=12,
        d_ff=20,
        encoder_layers=2,
        decoder_layers=LAYERS,
        encoder_heads=3,
        decoder_heads=HEADS,
        max_positions=11,
        norm=norm,
        score=score,
    )
    model = EncoderDecoder(config)
    for parameter in model.parameters():  # large enough that no two maps look alike
        if parameter.requires_grad:
            nn.init.normal_(parameter, std=0.5)
    return model.double().eval()


def by_hand(model: EncoderDecoder) -> Tensor:
    """(layers, batch, heads, queries, keys) of the decoder that reads start and all of TARGET."""
    memory, mask = model.encode(SOURCE)
    hidden = model.decoder.embed(torch.cat([torch.zeros(2, 1, dtype=torch.long), TARGET], dim=1))
    maps = []
    for layer in model.decoder.layers:
        assert isinstance(layer, TransformerLayer)
        norm, cross = layer.self_attention_norm, layer.cross_attention
        if layer.norm_first:
            inner = hidden + layer.self_attention(norm(hidden), mask=Causal())
            looking = layer.cross_attention_norm(inner)
        else:
            looking = norm(hidden + layer.self_attention(hidden, mask=Causal()))
        query = cross.query(looking).unflatten(-1, (HEADS, 6))
        key = cross.key(memory).unflatten(-1, (HEADS, 6))
        scale = 6**-0.5 if model.config.score == "scaled_dot" else 1
        scores = torch.einsum("bqhd,bkhd->bhqk", query, key) * scale
        maps.append(scores.masked_fill(~REAL[:, None, None], -torch.inf).softmax(-1))
        hidden = layer(hidden, memory, mask=Causal(), memory_mask=mask)
    return torch.stack(maps)


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("layer", [0, 1, 2, -1, -3])
def test_weights_are_those_computed_from_the_hidden_states(norm: str, layer: int) -> None:
    model = small(norm)
    expected = by_hand(model)[layer]
    ours = cross_attention(model, SOURCE, TARGET, layer=layer)
    torch.testing.assert_close(ours, expected[:, :, :-1])
    ours = cross_attention(model, SOURCE, TARGET, layer=layer, step="input")
    torch.testing.assert_close(ours, expected[:, :, 1:])


def test_scores_are_the_models_own() -> None:
    model = small(score="dot")
    ours = cross_attention(model, SOURCE, TARGET, layer=1)
    torch.testing.assert_close(ours, by_hand(model)[1][:, :, :-1])


@pytest.mark.parametrize("step", ["output", "input"])
def test_without_a_layer_it_is_the_mean_of_all(step: str) -> None:
    model = small()
    maps = [cross_attention(model, SOURCE, TARGET, layer=k, step=step) for k in range(LAYERS)]
    ours = cross_attention(model, SOURCE, TARGET, step=step)
    torch.testing.assert_close(ours, torch.stack(maps).mean(0))
    assert not torch.allclose(maps[0], maps[1])


@pytest.mark.parametrize("step", ["output", "input"])
def test_rows_sum_to_one_over_real_tokens_and_padding_gets_nothing(step: str) -> None:
    weights = cross_attention(small(), SOURCE, TARGET, step=step)
    assert weights.shape == (2, HEADS, 5, 7)
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, HEADS, 5, dtype=torch.float64))
    assert (weights[1, :, :, 5:] == 0).all()
    assert (weights[1, :, :, :5] > 0).all()


def test_padding_changes_nothing() -> None:
    model = small()
    alone = cross_attention(model, SOURCE[1:, :5], TARGET[1:, :3])
    torch.testing.assert_close(cross_attention(model, SOURCE, TARGET)[1:, :, :3, :5], alone)


def test_the_output_step_has_not_read_its_token_and_the_input_step_has() -> None:
    model = small()
    changed = TARGET.clone()
    changed[:, 2] = 29
    for step, first_changed in (("output", 3), ("input", 2)):
        before = cross_attention(model, SOURCE, TARGET, step=step)
        after = cross_attention(model, SOURCE, changed, step=step)
        same = (before == after).flatten(3).all(-1).all(1)  # (batch, target length)
        assert same[:, :first_changed].all()
        assert not same[:, first_changed:].any()


def test_looking_leaves_no_trace_in_the_model() -> None:
    model = small()
    before = model(SOURCE, TARGET)
    cross_attention(model, SOURCE, TARGET)
    assert torch.equal(model(SOURCE, TARGET), before)
    assert not any(module._forward_pre_hooks for module in model.modules())
    with pytest.raises(RegardError):  # two tokens more than it has positions
        cross_attention(model, SOURCE, TARGET[:1].repeat(1, 3))
    assert not any(module._forward_pre_hooks for module in model.modules())


@pytest.mark.parametrize("layer", [3, -4])
def test_a_layer_that_is_not_there_is_refused(layer: int) -> None:
    with pytest.raises(RegardError, match=f"the decoder has layers 0 to 2; got {layer}"):
        cross_attention(small(), SOURCE, TARGET, layer=layer)


def test_a_step_that_is_none_is_refused() -> None:
    with pytest.raises(RegardError, match="step must be one of output, input; got 'first'"):
        cross_attention(small(), SOURCE, TARGET, step="first")


def test_words_gather_the_weights_of_their_pieces() -> None:
    # Source: word of pieces 0 and 2, word of piece 1, piece 3 (eos) in none.
    # Target: word of piece 0, word of pieces 1 and 2.
    weights = torch.tensor(
        [[0.5, 0.25, 0.125, 0.125], [0.0, 1.0, 0.0, 0.0], [0.5, 0.0, 0.25, 0.25]]
    )
    grouped = group_words(weights, [[0], [1, 2]], [[0, 2], [1]])
    assert grouped.tolist() == [[0.625, 0.25], [0.375, 0.5]]


@pytest.mark.parametrize(("targets", "sources"), [(0, 2), (2, 0), (0, 0)])
def test_no_words_make_an_empty_map(targets: int, sources: int) -> None:
    weights = torch.rand(3, 5)
    grouped = group_words(weights, [[0]] * targets, [[1]] * sources)
    assert grouped.shape == (targets, sources)
