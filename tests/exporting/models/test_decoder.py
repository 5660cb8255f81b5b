"""The exported language model computes what the model computes, token by token."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from fixtures.families import DECODERS
from fixtures.graphs import Graphs, Steps
from regard import UnsupportedError
from regard.exporting.onnx_folder import graphs_of
from regard.models import Decoder, DecoderConfig
from regard.positions import LongScaling

IDS = torch.tensor([[5, 9, 2, 30, 7, 11, 1], [8, 3, 3, 14, 29, 17, 4]])
MASK = torch.tensor([[1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0, 0]]).bool()
# Rotary positions in heads of a width that ONNX Runtime has; others may have any.
FAMILIES = {
    name: each | dict(num_heads=3, head_dim=16)
    for name, each in DECODERS.items()
    if "experts" not in each
}
FAMILIES["phi3"] = FAMILIES["phi3"] | dict(
    head_dim=32,
    rotary_share=0.5,
    rotary_scaling=LongScaling((1.5,) * 8, (4.0,) * 8, 1.3, long_positions=92),
)
FAMILIES["gpt2"] = DECODERS["gpt2"]
FAMILIES["gpt2, normalized heads"] = DECODERS["gpt2"] | dict(query_key_norm="head", norm_eps=0.1)
family = pytest.mark.parametrize("settings", FAMILIES.values(), ids=FAMILIES)


def small(**settings: Any) -> Decoder:
    torch.manual_seed(3)
    model = Decoder(DecoderConfig(31, **settings))
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.5)
    return model.eval()


@family
@pytest.mark.parametrize("mask", [None, MASK], ids=["full", "padded"])
@torch.no_grad()
def test_prompt_and_steps_of_every_family_are_the_models(
    settings: dict[str, Any], mask: torch.Tensor | None, same: Callable[..., None], tmp_path: Path
) -> None:
    model = small(**settings)
    expected, got = model.start(mask), Steps(Graphs.of(model, tmp_path), 2)
    same(got.step(IDS.numpy(), None if mask is None else mask.sum(1).numpy()), expected.step(IDS))
    for tokens in IDS.T[2:5]:
        same(got.step(tokens.numpy()), expected.step(tokens))


@family
@pytest.mark.parametrize("head", ["classification", "question_answering"])
@torch.no_grad()
def test_every_head_of_every_family_is_the_models(
    settings: dict[str, Any], head: str, same: Callable[..., None], tmp_path: Path
) -> None:
    labels = ("no", "yes", "perhaps") if head == "classification" else ()
    model = small(**settings, head=head, labels=labels, pad_id=3)  # 3 is also in the texts
    mask = torch.tensor([[1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0, 0]]).bool()
    graphs = Graphs.of(model, tmp_path)
    got = torch.from_numpy(graphs.read(IDS.numpy(), mask=mask.int().numpy()))
    expected = model(IDS, mask)
    if head == "question_answering":
        got, expected = got[mask], expected[mask]
    same(got, expected)


def test_what_has_no_operators_is_refused_by_name() -> None:
    message = "rotary positions of 6 numbers in heads of 6 cannot be exported"
    with pytest.raises(UnsupportedError, match=message):
        graphs_of(small(**DECODERS["llama"]), "fp32")
    with pytest.raises(UnsupportedError, match="attention with a learned sink cannot be exported"):
        graphs_of(small(**DECODERS["gpt2"], sinks=True), "fp32")
    with pytest.raises(UnsupportedError, match="gate has a limit cannot be exported"):
        graphs_of(small(**DECODERS["gpt2"], gated=True, gate_limit=1.0), "fp32")
    with pytest.raises(UnsupportedError, match="network MixtureOfExperts cannot be exported"):
        graphs_of(small(**DECODERS["gpt2"], experts=3), "fp32")
