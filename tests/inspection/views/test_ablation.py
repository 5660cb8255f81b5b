"""What is switched off is off, and nothing else is."""

import pytest
import torch
from torch import Tensor

import regard
from regard import RegardError
from regard.inspection import Trace
from regard.inspection.views.ablation import ablate
from regard.models import EncoderDecoder, EncoderDecoderConfig

SOURCE = torch.tensor([[5, 9, 2, 30, 7, 11, 1]])
TARGET = torch.tensor([[4, 22, 13, 6, 1]])


@pytest.fixture(scope="module")
def model() -> EncoderDecoder:
    torch.manual_seed(3)
    config = EncoderDecoderConfig(
        31, d_model=12, d_ff=20, encoder_layers=2, decoder_layers=2, encoder_heads=3,
        decoder_heads=2, max_positions=11,
    )  # fmt: skip
    model = EncoderDecoder(config).eval()
    for parameter in model.parameters():
        if parameter.requires_grad:
            torch.nn.init.normal_(parameter, std=0.5)
    return model


@pytest.fixture
def trace(model: EncoderDecoder) -> Trace:
    return regard.trace(model, source=SOURCE, target=TARGET)


def by_hand(model: EncoderDecoder, layer: int, change) -> Tensor:
    """The probabilities when the outputs of a cross-attention's heads are changed by a hook."""
    attention = model.decoder.layers[layer].cross_attention

    def before_projection(module, inputs):
        heads = inputs[0].unflatten(-1, (2, 6)).clone()  # (batch, queries, heads, head_dim)
        change(heads)
        return heads.flatten(2)

    hook = attention.output.register_forward_pre_hook(before_projection)
    with torch.no_grad():
        probabilities = model(SOURCE, TARGET).softmax(-1)[0]
    hook.remove()
    return probabilities


def test_a_head_that_is_off_adds_nothing(model: EncoderDecoder, trace: Trace):
    expected = by_hand(model, 1, lambda heads: heads[:, :, 1].zero_())
    before = trace.output.softmax(-1)[0]
    found = ablate(trace, "head", "decoder.layers.1.cross", head=1, step=2)
    token = int(before[2].argmax())
    assert found.token == str(token)
    assert found.before == pytest.approx(float(before[2, token]), abs=1e-6)
    assert found.after == pytest.approx(float(expected[2, token]), abs=1e-6)
    assert found.delta == pytest.approx(found.after - found.before)
    assert abs(found.delta) > 1e-4
    assert found.candidates_after[0].probability == pytest.approx(
        float(expected[2].max()), abs=1e-6
    )


def test_an_edge_that_is_off_leaves_its_weight_to_the_others(model: EncoderDecoder, trace: Trace):
    tap = trace["decoder.layers.0.cross"]
    weights = tap.weights(1, slice(3, 4))[0].clone()
    weights[4] = 0
    row = (weights / weights.sum()) @ tap.value[0, 1]

    def change(heads: Tensor) -> None:
        heads[0, 3, 1] = row

    expected = by_hand(model, 0, change)
    found = ablate(trace, "edge", "decoder.layers.0.cross", head=1, query=3, key=4, step=3)
    token = int(trace.output[0, 3].argmax())
    assert found.after == pytest.approx(float(expected[3, token]), abs=1e-6)
    assert "head 1" in found.note


def test_an_edge_does_not_reach_back_in_time(trace: Trace):
    found = ablate(trace, "edge", "decoder.layers.0.self", head=0, query=3, key=1, step=2)
    assert found.delta == 0
    assert ablate(trace, "edge", "decoder.layers.0.self", head=0, query=3, key=1).step >= 3


def test_a_token_that_is_off_is_seen_by_no_other(model: EncoderDecoder, trace: Trace):
    found = ablate(trace, "token", "decoder.layers.1.cross", key=3, step=1)
    changed = SOURCE.clone()
    changed[0, 3] = 17  # another word in its place makes no difference to anything now
    other = regard.trace(model, source=changed, target=TARGET)
    other.output_ids = trace.output.argmax(-1)[0].tolist()
    same = ablate(other, "token", "encoder.layers.0.self", key=3, step=1)
    assert same.after == pytest.approx(found.after, abs=1e-6)
    assert same.before != pytest.approx(found.before, abs=1e-4)


def test_the_step_that_changes_most_is_shown(trace: Trace):
    shown = ablate(trace, "head", "encoder.layers.0.self", head=2)
    deltas = [
        abs(ablate(trace, "head", "encoder.layers.0.self", head=2, step=step).delta)
        for step in range(5)
    ]
    assert abs(shown.delta) == max(deltas)
    assert shown.step == deltas.index(max(deltas))


def test_the_model_is_as_before(model: EncoderDecoder, trace: Trace):
    ablate(trace, "token", "decoder.layers.1.cross", key=3)
    with torch.no_grad():
        assert torch.equal(model(SOURCE, TARGET), trace.output)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (dict(what="layer"), "what must be one of edge, head, token"),
        (dict(what="head", head=2), "has heads 0 to 1; got 2"),
        (dict(what="edge", key=7), "key must be from 0 to 6; got 7"),
        (dict(what="edge", query=5), "query must be from 0 to 4; got 5"),
        (dict(what="head", step=5), "step must be from 0 to 4; got 5"),
    ],
)
def test_what_is_not_there_cannot_be_switched_off(trace: Trace, options: dict, sentence: str):
    with pytest.raises(RegardError, match=sentence):
        ablate(trace, tap="decoder.layers.1.cross", **options)


def test_a_trace_without_a_model_says_so(trace: Trace):
    trace.rerun = None
    with pytest.raises(RegardError, match="needs the model and its logits"):
        ablate(trace, "head", "decoder.layers.1.cross")
