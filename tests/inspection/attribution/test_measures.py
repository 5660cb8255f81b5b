"""Each measure against its definition, computed another way."""

import pytest
import torch

import regard
from regard import RegardError
from regard.inspection.attribution import measures, spearman
from regard.inspection.views.ablation import ablate

TARGET = torch.tensor([[4, 22, 13, 6, 1]])


def values(measured, name: str) -> torch.Tensor:
    return torch.tensor(next(each.values for each in measured.measures if each.name == name))


def test_gradient_times_input_is_that_of_the_embedding_table(pair, trace_of):
    """The source's ids differ and the target has its own table: a row's gradient is a token's."""
    model = pair()
    trace = trace_of(model)
    source = trace.read["source"]
    logs = model(source, TARGET)[0, 2].log_softmax(-1)
    table = model.encoder.embed.tokens.weight
    (gradient,) = torch.autograd.grad(logs.max(), table)
    expected = (gradient * table)[source[0]].norm(dim=-1).detach()
    [found] = measures(trace, [2])
    torch.testing.assert_close(values(found, "gradient"), expected)


def test_hiding_is_the_ablation_of_a_token(pair, trace_of):
    trace = trace_of(pair())
    [found] = measures(trace, [3])
    for key, change in enumerate(values(found, "hiding")):
        one = ablate(trace, "token", "decoder.layers.0.cross", key=key, step=3)
        assert float(change) == pytest.approx(one.delta, abs=1e-6)


@torch.no_grad()
def test_value_zeroing_of_one_layer_by_hand(pair, trace_of):
    model = pair(decoder_layers=1)
    trace = trace_of(model)
    layer = model.decoder.layers[0]
    expected = []
    for key in range(7):

        def zero(module, args, output):
            output = output.clone()
            output[:, key] = 0  # noqa: B023
            return output

        states = []
        keep = layer.register_forward_hook(lambda module, args, output: states.append(output[0, 2]))  # noqa: B023
        model(trace.read["source"], TARGET)
        hook = layer.cross_attention.value.register_forward_hook(zero)
        model(trace.read["source"], TARGET)
        hook.remove()
        keep.remove()
        expected.append(1 - torch.cosine_similarity(*(each.double() for each in states), dim=0))
    [found] = measures(trace, [2])
    torch.testing.assert_close(
        values(found, "value_zeroing").double(), torch.stack(expected), atol=1e-6, rtol=1e-4
    )


def test_value_zeroing_looks_at_each_layer_on_its_own(pair, trace_of):
    """Zeroed below, a value would change every layer above too; each gets its own input."""
    model = pair()
    with torch.no_grad():
        for layer in list(model.decoder.layers)[1:]:
            layer.cross_attention.output.weight.zero_()
    whole = values(measures(trace_of(model), [2])[0], "value_zeroing")
    only = pair(decoder_layers=1)
    only.load_state_dict(model.state_dict(), strict=False)
    alone = values(measures(trace_of(only), [2])[0], "value_zeroing")
    torch.testing.assert_close(whole, alone / 3, atol=1e-6, rtol=1e-3)


def test_weights_and_norms_are_the_means_of_the_maps(pair, trace_of):
    trace = trace_of(pair())
    [found] = measures(trace, [2])
    taps = [trace[f"decoder.layers.{layer}.cross"] for layer in range(3)]
    weights = torch.stack([tap.weights()[:, 2] for tap in taps]).mean((0, 1))
    torch.testing.assert_close(values(found, "weight"), weights)
    norms = [
        sum(tap.weights(h)[2][:, None] * (tap.value[0, h] @ tap.output_weight[h]) for h in range(2))
        for tap in taps
    ]
    expected = torch.stack([each.norm(dim=-1) for each in norms]).mean(0)
    torch.testing.assert_close(values(found, "norm"), expected)


def test_each_is_correlated_with_hiding(pair, trace_of):
    [found] = measures(trace_of(pair()), [2])
    assert [each.name for each in found.measures] == [
        "weight", "norm", "gradient", "value_zeroing", "hiding",
    ]  # fmt: skip
    hidden = values(found, "hiding").abs()
    for each in found.measures[:-1]:
        assert each.correlation == spearman(torch.tensor(each.values), hidden)
    assert found.measures[-1].correlation is None


def test_a_language_models_step_reads_the_tokens_before_it(decoder, trace_of):
    trace = trace_of(decoder())
    found = measures(trace)
    assert [len(each.tokens) for each in found] == [1, 2, 3, 4, 5, 6]
    assert all(each.axis == "tokens" for each in found)
    assert len(found[3].measures) == 5


def test_the_tokens_before_can_be_measured_in_a_translation(pair, trace_of):
    [found] = measures(trace_of(pair()), [3], axis="target")
    assert found.axis == "target"
    assert len(found.tokens) == 4


def test_an_axis_that_is_not_read_is_refused(pair, trace_of):
    with pytest.raises(RegardError, match="source"):
        measures(trace_of(pair()), [3], axis="sauce")


def test_a_model_that_labels_a_text_is_refused():
    from regard.models import Encoder, EncoderConfig

    config = EncoderConfig(
        31, d_model=12, d_ff=20, num_layers=1, num_heads=2, head="classification", labels=("a", "b")
    )
    trace = regard.trace(Encoder(config).eval(), ids=torch.tensor([[5, 9, 2]]))
    with pytest.raises(RegardError, match="logits at each of its positions"):
        measures(trace)


def test_a_masked_language_model_is_measured_too():
    from regard.models import Encoder, EncoderConfig

    torch.manual_seed(5)
    config = EncoderConfig(31, d_model=12, d_ff=20, num_layers=2, num_heads=2, head="masked_lm")
    trace = regard.trace(Encoder(config).eval(), ids=torch.tensor([[5, 9, 2, 17]]))
    [found] = measures(trace, [1])
    assert len(found.tokens) == 4
    assert len(found.measures) == 5


def test_ties_share_their_mean_rank():
    # Ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4: 4.5 / √(4.5 · 5).
    found = spearman(torch.tensor([1.0, 2, 2, 9]), torch.tensor([0.1, 0.3, 0.2, 0.4]))
    assert found == pytest.approx(0.9486833)


def test_only_the_order_matters():
    values = torch.tensor([0.3, -2.0, 5.0, 1.0])
    assert spearman(values, values.exp()) == pytest.approx(1)
    assert spearman(values, -values) == pytest.approx(-1)


def test_equal_numbers_and_fewer_than_three_have_none():
    assert spearman(torch.ones(4), torch.arange(4.0)) is None
    assert spearman(torch.arange(2.0), torch.arange(2.0)) is None
