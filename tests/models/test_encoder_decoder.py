from typing import Any

import pytest
import torch
from torch import Tensor

from fixtures.families import ENCODER_DECODERS as FAMILIES
from fixtures.families import small
from regard import RegardError
from regard.attention import Call, listening
from regard.models import EncoderDecoder, EncoderDecoderConfig, preset

SIZES = dict(
    d_model=12, d_ff=20, encoder_layers=2, decoder_layers=3, encoder_heads=3, decoder_heads=2
)


def made(family: str = "paper", **changes: Any) -> EncoderDecoder:
    model: EncoderDecoder = small(family, **changes).double()
    return model


each_family = pytest.mark.parametrize("family", FAMILIES)

SOURCE = torch.tensor([[5, 9, 2, 30, 7, 11, 1], [8, 3, 3, 14, 1, 0, 0]])
TARGET = torch.tensor([[4, 22, 13, 6, 1], [17, 2, 1, 0, 0]])


@pytest.mark.parametrize(
    ("name", "vocab", "millions"), [("base", 37_000, 63.1), ("big", 37_000, 214.2)]
)
def test_the_papers_models_have_the_papers_size(name: str, vocab: int, millions: float) -> None:
    # Table 3 gives 65 and 213 million parameters.
    with torch.device("meta"):
        model = EncoderDecoder(preset(name, vocab))
    count = sum(p.numel() for p in model.parameters() if p.requires_grad)
    assert count / 1e6 == pytest.approx(millions, abs=0.1)
    assert count / 1e6 == pytest.approx({"base": 65, "big": 213}[name], rel=0.03)


def test_tiny_has_the_published_size_on_multi30k() -> None:
    with torch.device("meta"):
        model = EncoderDecoder(preset("tiny", 10_000))
    count = sum(p.numel() for p in model.parameters() if p.requires_grad)
    assert count / 1e6 == pytest.approx(2.6, abs=0.05)


def test_selected_rows_go_on_as_they_would_have() -> None:
    model = made()
    inputs = model.shift_right(TARGET)
    state, other = model.start(SOURCE), model.start(SOURCE)
    state.step(inputs[:, 0]), other.step(inputs[:, 0])
    state.select(torch.tensor([1, 0, 1]))
    expected = other.step(inputs[:, 1])
    torch.testing.assert_close(state.step(inputs[[1, 0, 1], 1]), expected[[1, 0, 1]])


def test_pre_norm_ends_in_a_norm_and_post_norm_does_not() -> None:
    assert any(name.startswith("encoder.norm") for name, _ in made(norm="pre").named_parameters())
    assert not any(name.startswith("encoder.norm") for name, _ in made().named_parameters())


def test_one_table_serves_source_target_and_output() -> None:
    model = made()
    assert model.encoder.embed.tokens.weight is model.decoder.embed.tokens.weight
    assert model.output_weight is model.decoder.embed.tokens.weight
    separate = made(target_vocab_size=23)
    assert separate.encoder.embed.tokens.weight.shape == (31, 12)
    assert separate.output_weight.shape == (23, 12)
    assert separate(SOURCE, TARGET % 23).shape == (2, 5, 23)


@pytest.mark.parametrize("id_", [31, -1])
def test_an_id_outside_the_vocabulary_is_named(id_: int) -> None:
    source = SOURCE.clone()
    source[1, 2] = id_
    with pytest.raises(RegardError, match=f"from 0 to 30; got {id_}"):
        made()(source, TARGET)


def test_a_sequence_longer_than_the_positions_is_refused() -> None:
    with pytest.raises(RegardError, match="6 positions; got a sequence of 7 tokens"):
        made(max_positions=6)(SOURCE, TARGET)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"norm": "both"}, "norm must be one of post, pre; got 'both'"),
        ({"activation": "mish"}, "activation must be one of relu"),
        (
            {"norm_kind": "batch"},
            "norm_kind must be one of layer, layer_without_bias, rms, rms_plus_one; got 'batch'",
        ),
        ({"score": "cosine"}, "score must be one of scaled_dot, dot; got 'cosine'"),
        ({"positions": "rotary"}, "one of sinusoidal, spread, learned, relative; got 'rotary'"),
        ({"d_model": 13}, "even d_model; got 13"),
        ({"eos_id": 31}, "eos_id must be below the vocabulary's 31"),
    ],
)
def test_a_config_that_cannot_be_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(RegardError, match=message):
        EncoderDecoderConfig(31, **(SIZES | change))  # type: ignore[arg-type]


def test_an_unknown_preset_lists_the_known() -> None:
    with pytest.raises(RegardError, match="tiny, small, base, big; got 'huge'"):
        preset("huge", 100)


def test_relative_positions_have_no_end() -> None:
    model = made("t5", max_positions=6)
    assert model(SOURCE, TARGET).shape == (2, 5, 31)


CHANGES: list[dict[str, Any]] = [
    dict(norm_kind="layer"),
    dict(norm_eps=0.3),
    dict(gated=True),
    dict(score="scaled_dot"),
    dict(positions="learned"),
    dict(relative_buckets=8),
    dict(relative_distance=9),
    dict(scale_embedding=True),
    dict(embedding_norm=True),
    dict(scale_output=False),
    dict(feed_forward_bias=True),
    dict(attention_bias=True),
    dict(logits_bias=True),
    dict(tied_output=False),
]


def test_every_setting_changes_the_output() -> None:
    """The same weights where names and shapes are the same; those that are new are random."""
    model, longer = made("t5"), SOURCE.repeat(1, 2)
    own, output = model.state_dict(), model(longer, TARGET)
    for change in CHANGES:
        other = made("t5", **change)
        shapes = {name: weight.shape for name, weight in other.state_dict().items()}
        same = {name: own[name] for name in shapes if name in own}
        same = {name: weight for name, weight in same.items() if weight.shape == shapes[name]}
        other.load_state_dict(same, strict=False)
        assert not torch.allclose(other(longer, TARGET), output), change


def test_untied_output_is_a_weight_of_its_own() -> None:
    model = made(tied_output=False, logits_bias=True)
    assert model.output is not None
    assert model.output_weight is model.output.weight
    names = dict(model.named_parameters())
    assert names["output.weight"].shape == (31, 12)
    assert names["logits_bias"].shape == (31,)
    with torch.no_grad():
        before = model(SOURCE, TARGET)
        names["logits_bias"][7] += 3.0
        raised = model(SOURCE, TARGET) - before
    torch.testing.assert_close(raised, 3.0 * torch.eye(31, dtype=torch.float64)[7].expand(2, 5, 31))


@each_family
def test_hidden_states_and_their_projection_are_the_logits(family: str) -> None:
    model = made(family)
    hidden = model.hidden(SOURCE, TARGET)
    expected = hidden @ model.output_weight.T
    if model.logits_bias is not None:
        expected = expected + model.logits_bias
    torch.testing.assert_close(model(SOURCE, TARGET), expected)


@pytest.mark.parametrize("name", ["paper", "t5", "flan"])
def test_scores_and_logits_start_with_a_deviation_of_about_one(name: str) -> None:
    """Whether the model scales them or its first weights do."""
    torch.manual_seed(3)
    sizes = dict(d_model=256, d_ff=512, encoder_layers=1, decoder_layers=1)
    sizes |= dict(encoder_heads=4, decoder_heads=4, head_dim=64)
    config = EncoderDecoderConfig(997, **(FAMILIES[name] | sizes))  # type: ignore[arg-type]
    model = EncoderDecoder(config).eval()
    ids = torch.randint(2, 997, (3, 41))
    scores: list[Tensor] = []

    def capture(call: Call) -> None:
        scores.append(call.inputs.score(call.inputs.query, call.inputs.key))

    with torch.no_grad(), listening(capture):
        logits = model(ids, ids)
    assert len(scores) == 3
    assert all(0.3 < each.std() < 2 for each in scores)
    assert 0.3 < logits.std() < 2


@each_family
def test_a_model_can_be_built_on_meta_and_then_filled(family: str) -> None:
    model = made(family)
    with torch.device("meta"):
        empty = EncoderDecoder(model.config)
    empty.load_state_dict(model.state_dict(), assign=True)
    assert torch.equal(empty.eval()(SOURCE, TARGET), model(SOURCE, TARGET))


def test_dropout_acts_in_training_only() -> None:
    model = made(dropout=0.5)
    first, second = model(SOURCE, TARGET), model(SOURCE, TARGET)
    assert torch.equal(first, second)
    model.train()
    assert not torch.equal(model(SOURCE, TARGET), first)
