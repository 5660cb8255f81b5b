from typing import Any

import pytest
import torch
from torch import Tensor

import regard
from fixtures.families import DECODERS as FAMILIES
from fixtures.families import GPT2 as SIZES
from fixtures.families import VOCAB, small
from regard import RegardError
from regard.engine.native.loading import open_native
from regard.generation import Decoder as Steps
from regard.generation import GenerationConfig, generate
from regard.models import Decoder, DecoderConfig, decoder_preset
from regard.models.positions import LinearScaling, LongScaling

each_family = pytest.mark.parametrize("family", FAMILIES)

IDS = torch.tensor([[5, 9, 2, 30, 7, 11, 1], [8, 3, 3, 14, 29, 17, 4]])


def made(family: str, **changes: Any) -> Decoder:
    model: Decoder = small(family, **changes).double()
    return model


# The counts that the models were published with.
@pytest.mark.parametrize(
    ("name", "vocab", "count"),
    [
        ("gpt2", 50257, 124_439_808),
        ("gpt2-medium", 50257, 354_823_168),
        ("gpt2-large", 50257, 774_030_080),
        ("gpt2-xl", 50257, 1_557_611_200),
        ("llama-3.2-1b", 128256, 1_235_814_400),
        ("llama-3.1-8b", 128256, 8_030_261_248),
        ("mistral-7b", 32000, 7_241_732_096),
        ("qwen2-0.5b", 151936, 494_032_768),
        ("qwen3-0.6b", 151936, 596_049_920),
    ],
)
def test_presets_have_the_published_sizes(name: str, vocab: int, count: int) -> None:
    with torch.device("meta"):
        model = Decoder(decoder_preset(name, vocab))
    assert sum(parameter.numel() for parameter in model.parameters()) == count


def test_a_preset_can_be_changed_and_an_unknown_one_lists_the_known() -> None:
    assert decoder_preset("gpt2", 97, num_layers=2).num_layers == 2
    with pytest.raises(RegardError, match=r"preset must be one of tiny, .*, gpt2, .*; got 'gpt5'"):
        decoder_preset("gpt5", 97)


@each_family
def test_padding_receives_no_gradient_and_gives_none_that_is_not_a_number(
    family: str,
) -> None:
    model = made(family)
    ids, mask = padded(left=True)
    model(ids, mask)[mask].square().sum().backward()
    assert all(torch.isfinite(weight.grad).all() for weight in model.parameters())  # type: ignore[arg-type]
    if not model.config.tied_output:
        assert (model.decoder.embed.tokens.weight.grad[0] == 0).all()  # type: ignore[index]


@each_family
def test_selected_rows_go_on_as_they_would_have(family: str) -> None:
    model = made(family)
    ids, mask = padded(left=True)
    state, other = model.start(mask), model.start(mask)
    state.step(ids), other.step(ids)
    rows, tokens = torch.tensor([1, 0, 1]), torch.tensor([4, 6])
    state.select(rows)
    torch.testing.assert_close(state.step(tokens[rows]), other.step(tokens)[rows])


def test_windows_are_of_the_upper_layers() -> None:
    assert made("qwen2").config.windows == (None, 3, 3)
    assert DecoderConfig(VOCAB, num_layers=2, window=5, unwindowed=(0, 1)).windows == (None,) * 2


def test_generation_of_a_padded_batch_equals_that_of_each_text() -> None:
    model = made("qwen2")
    ids, mask = padded(left=False)
    assert isinstance(model.start(mask), Steps)
    config = GenerationConfig(max_new_tokens=6, num_beams=3)
    together = generate(model.start(mask), ids, config, prompt_mask=mask)
    for row, length in enumerate(mask.sum(1)):
        [alone] = generate(model.start(), IDS[row : row + 1, :length], config)
        assert together[row][0].tokens == alone[0].tokens


@torch.no_grad()
def test_a_trace_has_each_layers_self_attention() -> None:
    model = made("qwen2")
    trace = regard.trace(model, ids=IDS)
    assert list(trace) == [f"decoder.layers.{layer}.self" for layer in range(3)]
    assert torch.equal(trace.output, model(IDS))
    weights = trace["decoder.layers.1.self"].weights(head=4)
    assert weights.shape == (7, 7)
    torch.testing.assert_close(weights.sum(-1), torch.ones_like(weights[0]))
    assert (weights[6, :4] == 0).all()  # outside the window
    assert (trace["decoder.layers.0.self"].weights(head=4)[6] > 0).all()


def test_one_table_serves_input_and_output_unless_untied() -> None:
    tied, untied = made("gpt2"), made("llama")
    assert tied.output_weight is tied.decoder.embed.tokens.weight
    assert untied.output_weight is not untied.decoder.embed.tokens.weight
    assert "output.weight" in untied.state_dict()


CHANGES: list[dict[str, Any]] = [
    dict(norm_kind="layer"),
    dict(norm_eps=0.3),
    dict(activation="gelu"),
    dict(gated=False),
    dict(num_key_heads=7),
    dict(head_dim=4),
    dict(feed_forward_bias=True),
    dict(attention_bias=True),
    dict(attention_output_bias=True),
    dict(score="dot"),
    dict(positions="learned"),
    dict(rotary_theta=9.0),
    dict(rotary_scaling=LinearScaling(2)),
    dict(rotary_scaling=LongScaling((1.0, 2.0, 3.0), (1.0,) * 3, 1.0, long_positions=99)),
    dict(rotary_share=0.7),
    dict(unrotated=(2,)),
    dict(norms="output"),
    dict(norms="both"),
    dict(norm_kind="rms_plus_one"),
    dict(scale_embedding=True),
    dict(score_width=2),
    dict(score_cap=1.0),
    dict(output_cap=1.0),
    dict(window=2, unwindowed=(1,)),
    dict(window=2, window_theta=9.0),
    dict(query_key_norm="head"),
    dict(query_key_norm="projection"),
    dict(window=2),
    dict(tied_output=True),
]


def test_every_setting_changes_the_output() -> None:
    """The same weights where names and shapes are the same; those that are new are random."""
    model = made("llama")
    own, output = model.state_dict(), model(IDS)
    for change in CHANGES:
        other = made("llama", **change)
        shapes = {name: weight.shape for name, weight in other.state_dict().items()}
        same = {name: own[name] for name in shapes if name in own}
        same = {name: weight for name, weight in same.items() if weight.shape == shapes[name]}
        other.load_state_dict(same, strict=False)
        assert not torch.allclose(other(IDS), output), change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            dict(norm_kind="batch"),
            "norm_kind must be one of layer, layer_without_bias, rms, rms_plus_one; got 'batch'",
        ),
        (dict(activation="mish"), "activation must be one of relu"),
        (dict(positions="alibi"), "positions must be one of learned, rotary; got 'alibi'"),
        (dict(score="cosine"), "score must be one of scaled_dot, dot"),
        (dict(norms="no"), "norms must be one of input, output, both; got 'no'"),
        (dict(rotary_share=0.0), "rotary_share must be above 0 and at most 1; got 0"),
        (dict(num_layers=0), "num_layers must be at least 1; got 0"),
        (dict(window=0), "window must be at least 1 token, or None; got 0"),
        (dict(score_cap=0), "score_cap must be above 0, or None; got 0"),
        (dict(window_theta=-1.0), "window_theta must be above 0, or None; got -1"),
    ],
)
def test_a_config_that_cannot_be_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(RegardError, match=message):
        DecoderConfig(VOCAB, **SIZES | change)


def test_several_ends_may_be_a_list() -> None:
    assert DecoderConfig(VOCAB, eos_id=[3, 4]) == DecoderConfig(VOCAB, eos_id=(3, 4))  # type: ignore[arg-type]


@pytest.mark.parametrize("mask", [torch.ones(2, 7), torch.ones(2, 6, dtype=torch.bool)])
def test_a_mask_of_another_kind_or_shape_is_refused(mask: Tensor) -> None:
    model = made("gpt2")
    with pytest.raises(
        RegardError, match=r"attention_mask must be boolean.* \(2, 7\) of the ids; got"
    ):
        model(IDS, mask)
    with pytest.raises(
        RegardError, match=r"attention_mask must be boolean.* \(2, 7\) of the ids; got"
    ):
        model.start(mask).step(IDS)


def test_an_id_outside_the_vocabulary_is_named() -> None:
    with pytest.raises(RegardError, match="from 0 to 30; got 31"):
        made("gpt2")(IDS + 1)


def test_learned_positions_end_and_rotary_ones_do_not() -> None:
    long = IDS.repeat(1, 4)
    with pytest.raises(RegardError, match="23 positions; got a sequence of 28 tokens"):
        made("gpt2")(long)
    assert made("llama")(long).shape == (2, 28, VOCAB)


@each_family
def test_a_model_can_be_built_on_meta_and_then_filled(family: str) -> None:
    model = made(family)
    with torch.device("meta"):
        empty = Decoder(model.config)
    empty.load_state_dict(model.state_dict(), assign=True)
    assert torch.equal(empty.eval()(IDS), model(IDS))


@torch.no_grad()
def test_what_is_added_to_the_stream_starts_smaller() -> None:
    torch.manual_seed(3)
    model = Decoder(decoder_preset("gpt2", 97, num_layers=2))
    layer = model.decoder.layers[0]
    for weight in (layer.self_attention.query.weight, model.decoder.embed.tokens.weight):
        assert float(weight.std()) == pytest.approx(0.02, rel=0.05)
    for weight in (layer.self_attention.output.weight, layer.feed_forward.outer.weight):
        assert float(weight.std()) == pytest.approx(0.01, rel=0.05)  # 0.02 / √(2 · 2 layers)


def test_dropout_acts_in_training_only() -> None:
    model = made("gpt2", dropout=0.5)
    first = model(IDS)
    assert torch.equal(model(IDS), first)
    model.train()
    assert not torch.equal(model(IDS), first)


def padded(left: bool) -> tuple[Tensor, Tensor]:
    """The second text cut to five tokens and two of padding."""
    mask = torch.ones_like(IDS, dtype=torch.bool)
    mask[1, :2] = False
    ids = IDS.clone()
    ids[1] = torch.cat([torch.zeros(2, dtype=torch.long), IDS[1, :5]])
    if left:
        return ids, mask
    ids[1] = ids[1].roll(-2)
    return ids, mask.flip(1)


@pytest.mark.parametrize("mask", [None, torch.ones(1, 65).bool()])
def test_a_text_beyond_the_first_positions_of_long_rope_is_refused(mask: Tensor | None) -> None:
    model = made("phi3")
    long = torch.ones(1, 65, dtype=torch.int64)
    message = "the model has 64 positions; got a sequence of 65"
    with pytest.raises(RegardError, match=message):
        model(long, mask)
    state = model.start()
    state.step(long[:, :64])
    with pytest.raises(RegardError, match=message):
        state.step(long[:, :1])
    with pytest.raises(RegardError, match=message):
        open_native(model.float()).generate(long.numpy(), GenerationConfig(max_new_tokens=1))
