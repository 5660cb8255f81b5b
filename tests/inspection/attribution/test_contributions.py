"""A logit is the sum of what is added to the residual stream, whatever the architecture."""

import pytest
import torch

import regard
from regard import RegardError
from regard.inspection.attribution import logit_attribution

WRITERS = [
    dict(norm="pre"),
    dict(norm="post"),
    dict(norm="post", embedding_norm=True, positions="learned"),
    dict(norm="pre", norm_kind="rms", positions="relative", gated=True, scale_output=True),
]


def total(attribution) -> float:
    return sum(each.value for each in attribution.contributions)


@pytest.mark.parametrize("settings", WRITERS, ids=str)
@pytest.mark.parametrize("against", [None, 17])
def test_the_contributions_of_an_encoder_decoder_add_up_to_its_logit(
    pair, trace_of, settings, against
):
    trace = trace_of(pair(**settings))
    logits = trace.output[0, 3]
    expected = float(logits.max() - (0 if against is None else logits[against]))
    found = logit_attribution(trace, 3, against)
    assert found.logit == pytest.approx(expected, abs=1e-4)
    assert total(found) == pytest.approx(expected, abs=1e-4)
    assert [each.kind for each in found.contributions].count("head") == 3 * (2 + 2)
    assert [each.layer for each in found.contributions if each.kind == "feed_forward"] == [0, 1, 2]


@pytest.mark.parametrize(
    "settings",
    [dict(), dict(norm_kind="rms", positions="rotary", num_key_heads=3, gated=True)],
    ids=["GPT-2", "Llama"],
)
def test_the_contributions_of_a_language_model_add_up_to_its_logit(decoder, trace_of, settings):
    trace = trace_of(decoder(**settings))
    found = logit_attribution(trace, 4)
    assert total(found) == pytest.approx(float(trace.output[0, 4].max()), abs=1e-4)


@torch.no_grad()
def test_a_head_of_a_pre_norm_model_by_hand(pair, trace_of):
    """Its output through W_O, the final norm's fixed scale and the word's row of the output."""
    model = pair(norm="pre")
    trace = trace_of(model)
    tap = trace["decoder.layers.1.cross"]
    added = tap.weights(head=1)[2] @ tap.value[0, 1] @ tap.output_weight[1]
    states = []
    hook = model.decoder.norm.register_forward_pre_hook(lambda norm, args: states.append(args[0]))
    model(trace.read["source"], torch.tensor([[4, 22, 13, 6, 1]]))
    hook.remove()
    scale = (states[0][0, 2].var(unbiased=False) + model.decoder.norm.eps).sqrt()
    normed = model.decoder.norm.weight * (added - added.mean()) / scale
    word = model.output_weight[trace.output[0, 2].argmax()]
    [found] = [
        each
        for each in logit_attribution(trace, 2).contributions
        if (each.tap, each.head) == ("decoder.layers.1.cross", 1)
    ]
    assert found.layer == 1
    assert found.value == pytest.approx(float(normed @ word), abs=1e-5)


def test_a_head_that_is_off_contributes_nothing(pair, trace_of):
    model = pair(norm="post")
    with torch.no_grad():
        model.decoder.layers[1].cross_attention.output.weight[:, 6:] = 0
    found = logit_attribution(trace_of(model), 1).contributions
    by_head = {(each.tap, each.head): each.value for each in found}
    assert by_head["decoder.layers.1.cross", 1] == 0
    assert by_head["decoder.layers.1.cross", 0] != 0


def test_the_model_is_as_it_was_afterwards(pair, trace_of):
    model = pair(norm="post")
    trace = trace_of(model)
    logit_attribution(trace, 1)
    with torch.no_grad():
        again = model(trace.read["source"], torch.tensor([[4, 22, 13, 6, 1]]))
    assert torch.equal(again, trace.output)
    assert all(parameter.grad is None for parameter in model.parameters())


def test_a_model_that_does_not_write_is_refused():
    from regard.models import Encoder, EncoderConfig

    config = EncoderConfig(31, d_model=12, d_ff=20, num_layers=1, num_heads=2, head="masked_lm")
    trace = regard.trace(Encoder(config).eval(), ids=torch.tensor([[5, 9, 2]]))
    with pytest.raises(RegardError, match="not a linear function of its last state"):
        logit_attribution(trace, 0)


def test_a_token_that_is_not_in_the_vocabulary_is_refused(pair, trace_of):
    with pytest.raises(RegardError, match="against must be from 0 to 28; got 29"):
        logit_attribution(trace_of(pair()), 0, 29)
