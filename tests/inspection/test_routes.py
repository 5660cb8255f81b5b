"""Where the tokens of a run went: the same from torch and from the native engine, and in files."""

from pathlib import Path

import numpy as np
import pytest
import torch

from fixtures.families import DECODERS
from regard import trace
from regard.engine.native.loading import open_native
from regard.engine.native.looking import seen
from regard.inspection import Trace
from regard.inspection.models import traced
from regard.models import Decoder, DecoderConfig

IDS = torch.tensor([[5, 9, 2, 30, 7]])


@pytest.fixture(scope="module")
def model() -> Decoder:
    torch.manual_seed(3)
    made = Decoder(DecoderConfig(31, **DECODERS["qwen3_moe"])).eval()
    for weight in made.parameters():
        torch.nn.init.normal_(weight, std=0.5)
    return made


def test_routes_are_the_routers_probabilities_of_what_its_layer_was_given(model: Decoder) -> None:
    inputs = []
    network = model.decoder.layers[2].feed_forward
    hook = network.register_forward_hook(lambda module, args, output: inputs.append(args[0]))
    run = trace(model, ids=IDS)
    hook.remove()
    assert list(run.routes) == ["decoder.layers.0.experts", "decoder.layers.2.experts"]
    routes = run.routes["decoder.layers.2.experts"]
    assert (routes.layer, routes.axis, routes.per_token) == (2, "tokens", 3)
    expected = (inputs[0] @ network.router.weight.T).softmax(-1)
    torch.testing.assert_close(routes.probabilities, expected.detach())
    assert torch.equal(routes.chosen, expected.topk(3).indices)
    assert repr(routes) == "<Routes decoder.layers.2.experts: 3 of 4 experts for each of 5 tokens>"


def test_routes_of_the_engine_are_those_of_torch_and_its_output_is_not_changed(
    model: Decoder,
) -> None:
    native = open_native(model)
    run = traced(seen(native, model), {"ids": IDS.numpy()})
    expected = trace(model, ids=IDS)
    for name, routes in expected.routes.items():
        got = run.routes[name].probabilities
        np.testing.assert_allclose(got, routes.probabilities, atol=2e-6)
        assert (run.routes[name].chosen == routes.chosen.numpy()).all()
    assert (run.output[0] == native.logits(native.hidden(IDS.numpy())[0])).all()


def test_a_saved_trace_has_its_routes(model: Decoder, tmp_path: Path) -> None:
    before = trace(model, ids=IDS)
    before.save(tmp_path / "run.safetensors")
    after = Trace.load(tmp_path / "run.safetensors")
    for name, routes in before.routes.items():
        assert repr(after.routes[name]) == repr(routes)
        assert torch.equal(after.routes[name].probabilities, routes.probabilities)


def test_a_model_without_experts_has_no_routes() -> None:
    config = DecoderConfig(31, d_model=8, num_layers=1, num_heads=2, d_ff=8)
    assert trace(Decoder(config).eval(), ids=IDS).routes == {}
