"""A learned sink is a column before the others, in torch and in the native engine, also where parts
are switched off."""

from typing import Any

import numpy as np
import pytest
import torch

from fixtures.families import DECODERS
from regard import trace
from regard.engine.native.loading import open_native
from regard.engine.native.looking import seen
from regard.inspection import Trace
from regard.inspection.models import switched_off, traced
from regard.models import Decoder, DecoderConfig

IDS = torch.tensor([[5, 9, 2, 30, 7]])
TAP = "decoder.layers.1.self"


@pytest.fixture(scope="module")
def model() -> Decoder:
    torch.manual_seed(3)
    made = Decoder(DecoderConfig(31, **DECODERS["gpt_oss"])).eval()
    for weight in made.parameters():
        torch.nn.init.normal_(weight, std=0.5)
    return made


def without(model: Any, *names: str, looks: Any = ()) -> Trace:
    ids = IDS if isinstance(model, Decoder) else IDS.numpy()
    return traced(model, {"ids": ids}, without=switched_off(model, names, {}, looks))


def test_the_sink_is_the_first_column_and_the_last_of_its_axis_are_the_tokens(
    model: Decoder,
) -> None:
    run = trace(model, ids=IDS)
    tap = run[TAP]
    assert (tap.queries, tap.keys, tap.kind) == ("tokens", "tokens and sink", "self")
    assert run.axes["tokens and sink"].tokens == ["sink", "5", "9", "2", "30", "7"]
    weights = tap.weights(head=2)
    torch.testing.assert_close(weights.sum(-1), torch.ones(5))
    sinks = model.decoder.layers[1].self_attention.sinks
    scores = tap.attention.scores()[0, 2]
    torch.testing.assert_close(scores[:, 0], sinks[2].expand(5))
    assert run.receipt.difference < 1e-6


@pytest.mark.parametrize("name", ["2", f"{TAP}:1:4:2", "decoder.layers.0.self:1"])
def test_what_is_switched_off_is_so_in_both_engines(model: Decoder, name: str) -> None:
    by_torch, native = without(model, name), without(seen(open_native(model), model), name)
    for tap, expected in by_torch.items():
        np.testing.assert_allclose(native[tap].weights(), expected.weights(), atol=2e-6)
    np.testing.assert_allclose(native.output, by_torch.output, atol=2e-5)
    assert abs(by_torch.output - trace(model, ids=IDS).output).max() > 1e-3


def test_an_edge_and_a_position_are_those_of_the_tokens_behind_the_sink(model: Decoder) -> None:
    edge = without(model, f"{TAP}:1:4:2")[TAP].weights(head=1)
    assert (edge[4] == 0).tolist() == [False, False, False, True, False, False]
    position = without(model, "2")[TAP].weights(head=1)
    assert (position[4] == 0).tolist() == [False, False, False, True, False, False]
    assert position[2, 3] > 0  # it still sees itself
    look = without(model, looks=[f"{TAP}:1:4:2"])[TAP].weights(head=1)
    assert (look[4] == 0).tolist() == [False, True, True, False, True, True]
