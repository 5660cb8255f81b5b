"""Every family's attention layers: the last step is what the layer computed."""

import numpy as np
import pytest
import torch

from regard import RegardError
from regard.course.explanation import attention_taps, explain_tap, running
from regard.engine.native.loading import open_native
from regard.engine.native.looking import seen
from regard.models import (
    Decoder,
    DecoderConfig,
    Encoder,
    EncoderConfig,
    EncoderDecoder,
    EncoderDecoderConfig,
    RecurrentEncoderDecoder,
    recurrent_preset,
)

SOURCE, TARGET = torch.tensor([[5, 7, 11, 2, 3]]), torch.tensor([[4, 9, 1]])
VOCAB = 13


def lively(model):
    """In evaluation mode, with no weight at zero or one."""
    torch.manual_seed(7)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    return model.eval()


def encoder_decoder(**changes):
    sizes = dict(d_model=12, d_ff=7, encoder_heads=3, decoder_heads=2, encoder_layers=2)
    return lively(EncoderDecoder(EncoderDecoderConfig(VOCAB, **sizes | changes)))


def decoder(**changes):
    sizes = dict(d_model=12, num_layers=2, num_heads=3, d_ff=7, max_positions=17)
    return lively(Decoder(DecoderConfig(VOCAB, **sizes | changes)))


LLAMA = dict(
    num_heads=4, num_key_heads=2, head_dim=6, norm_kind="rms", positions="rotary",
    attention_bias=False, attention_output_bias=False, window=2,
)  # fmt: skip
T5 = dict(
    norm="pre", norm_kind="rms", positions="relative", score="dot", attention_bias=False,
    relative_buckets=8, relative_distance=5, head_dim=5,
)  # fmt: skip
MODELS = {
    "post-norm translator": lambda: encoder_decoder(norm="post"),
    "pre-norm translator": lambda: encoder_decoder(norm="pre"),
    "T5": lambda: encoder_decoder(**T5),
    "BERT": lambda: lively(
        Encoder(EncoderConfig(VOCAB, d_model=12, num_layers=2, num_heads=3, d_ff=7))
    ),
    "GPT-2": decoder,
    "Llama": lambda: decoder(**LLAMA),
}


def run_of(model):
    if isinstance(model, EncoderDecoder):
        return running(model, source=SOURCE, target=TARGET)
    return running(model, ids=SOURCE)


def output_of(model, tap):
    """The residual stream after an attention layer and its norm, of the first sequence."""
    layer = model.get_submodule(tap.rpartition(".")[0])
    seen = {}

    def note(module, inputs, output):
        seen[module] = inputs[0][0], output[0]

    attention = model.get_submodule(f"{tap}_attention")
    norm = model.get_submodule(f"{tap}_attention_norm")
    hooks = [module.register_forward_hook(note) for module in (attention, norm)]
    run_of(model)(lambda *call: None)
    for hook in hooks:
        hook.remove()
    return seen[norm][0] + seen[attention][1] if layer.norm_first else seen[norm][1]


@pytest.mark.parametrize("name", MODELS)
def test_the_last_step_is_what_the_layer_gave(name, agree):
    model = MODELS[name]()
    for tap in attention_taps(model):
        run = run_of(model)
        expected = output_of(model, tap)
        across = tap.endswith("cross")
        rows = 3 if tap.startswith("decoder") and isinstance(model, EncoderDecoder) else 5
        keys = [f"k{place}" for place in range(5)] if across else None
        found = explain_tap(model, run, tap, [f"t{n}" for n in range(rows)], key_tokens=keys)
        last = torch.from_numpy(found.steps[-1].array[0])
        agree(last, expected, tap)
        assert found.settings.tap == tap
        assert len(found.key_tokens) == 5 or not across
        assert all(each in found for step in found.steps for each in step.inputs)
        assert found.notes[0].startswith(f"The last step equals the output of {tap}")


@pytest.mark.parametrize("name", MODELS)
def test_the_native_engine_gives_the_same_steps(name):
    model = MODELS[name]()
    engine = seen(open_native(model), model)
    assert attention_taps(engine) == attention_taps(model)
    inputs = {
        name: ids.numpy()
        for name, ids in (
            {"source": SOURCE, "target": TARGET}
            if isinstance(model, EncoderDecoder)
            else {"ids": SOURCE}
        ).items()
    }
    for tap in attention_taps(model):
        across = tap.endswith("cross")
        rows = 3 if tap.startswith("decoder") and isinstance(model, EncoderDecoder) else 5
        names = [f"t{n}" for n in range(rows)]
        keys = [f"k{place}" for place in range(5)] if across else None
        expected = explain_tap(model, run_of(model), tap, names, key_tokens=keys)
        found = explain_tap(engine, running(engine, **inputs), tap, names, key_tokens=keys)
        assert [step.name for step in found.steps] == [step.name for step in expected.steps]
        for step, other in zip(found.steps, expected.steps, strict=True):
            np.testing.assert_allclose(step.array, other.array, atol=1e-4, rtol=1e-4)


def test_each_family_has_the_steps_that_it_computes():
    def names(model, tap, rows=5):
        return [s.name for s in explain_tap(model, run_of(model), tap, ["t"] * rows).steps]

    t5 = names(MODELS["T5"](), "encoder.layers.1.self")
    assert t5[:2] == ["vectors", "normalized"]
    assert "biased" in t5
    llama = names(MODELS["Llama"](), "decoder.layers.0.self")
    assert llama[2:7] == ["query", "key", "value", "rotated_query", "rotated_key"]
    assert llama[-1] == "residual"
    assert names(MODELS["BERT"](), "encoder.layers.0.self")[-2:] == ["residual", "output"]


def test_the_weights_are_those_of_the_models_trace(agree):
    from regard import trace

    model = MODELS["pre-norm translator"]()
    tap = "decoder.layers.1.cross"
    found = explain_tap(model, run_of(model), tap, list("abc"), key_tokens=list("vwxyz"))
    seen = trace(model, source=SOURCE, target=TARGET)[tap].weights()
    agree(found["weights"].array, seen)


def test_a_layer_that_is_not_there_is_refused_with_those_that_are():
    model = decoder()
    with pytest.raises(RegardError, match=r"tap must be one of decoder\.layers\.0\.self, decoder"):
        explain_tap(model, run_of(model), "decoder.layers.2.self", ["t"] * 5)


def test_too_many_tokens_are_refused_with_a_window():
    model = decoder()
    with pytest.raises(RegardError, match=r"at most 64 tokens; got 65.*such as 0:32"):
        explain_tap(model, run_of(model), "decoder.layers.0.self", ["t"] * 65)


def test_a_layer_that_does_not_run_once_is_refused():
    model = decoder()

    def twice(edit):
        running(model, ids=SOURCE)(edit)
        running(model, ids=SOURCE)(edit)

    with pytest.raises(RegardError, match="must run once to be explained; it ran 2 times"):
        explain_tap(model, twice, "decoder.layers.0.self", ["t"] * 5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(query_key_norm="head"), "normalizes its queries and keys"),
        (dict(norms="output"), "normalizes its output"),
        (dict(rotary_share=0.7), "rotates a part of each head"),
        (dict(sinks=True), "has a learned sink"),
    ],
)
def test_a_layer_with_steps_that_are_not_explained_is_refused(change, message):
    model = decoder(**LLAMA, **change)
    with pytest.raises(RegardError, match=rf"decoder\.layers\.1\.self {message}"):
        explain_tap(model, run_of(model), "decoder.layers.1.self", ["t"] * 5)


def test_a_model_in_training_is_refused():
    model = decoder().train()
    with pytest.raises(RegardError, match=r"call model\.eval\(\) first"):
        explain_tap(model, run_of(model), "decoder.layers.0.self", ["t"] * 5)


def test_a_recurrent_model_has_no_such_layer():
    assert attention_taps(RecurrentEncoderDecoder(recurrent_preset("tiny", VOCAB))) == []
