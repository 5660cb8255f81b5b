"""The lens is the model's own head over the states of its layers."""

import pytest
import torch

from regard import RegardError
from regard.inspection.attribution import logit_lens


@pytest.mark.parametrize("norm", ["pre", "post"])
@torch.no_grad()
def test_a_layer_read_early_is_its_state_under_the_models_own_head(pair, trace_of, norm):
    model = pair(norm=norm)
    trace = trace_of(model)
    states = []
    hooks = [
        layer.register_forward_hook(lambda module, args, output: states.append(output))
        for layer in model.decoder.layers
    ]
    model(*(trace.read[axis] for axis in ("source",)), torch.tensor([[4, 22, 13, 6, 1]]))
    for hook in hooks:
        hook.remove()
    lens = logit_lens(trace, 2)
    written = int(trace.output[0, 2].argmax())
    assert [layer.layer for layer in lens.layers] == [0, 1, 2, 3]
    for layer, state in zip(lens.layers[1:], states, strict=True):
        expected = model.logits(model.decoder.norm(state))[0, 2].softmax(-1)
        assert layer.probability == pytest.approx(float(expected[written]), rel=1e-4)
        assert layer.rank == 1 + int((expected > expected[written]).sum())
        assert layer.candidates[0].id == int(expected.argmax())


def test_the_last_layer_is_what_the_model_wrote(decoder, trace_of):
    trace = trace_of(decoder())
    lens = logit_lens(trace, 3)
    assert lens.layers[-1].rank == 1
    assert lens.layers[-1].probability == pytest.approx(float(trace.output[0, 3].softmax(-1).max()))


def test_a_step_that_is_not_there_is_refused(decoder, trace_of):
    with pytest.raises(RegardError, match="step must be from 0 to 5; got 6"):
        logit_lens(trace_of(decoder()), 6)


def test_a_trace_from_a_file_has_no_lens(decoder, trace_of, tmp_path):
    trace = trace_of(decoder())
    trace.save(tmp_path / "trace.safetensors")
    with pytest.raises(RegardError, match="needs the model and its logits"):
        logit_lens(type(trace).load(tmp_path / "trace.safetensors"), 0)
