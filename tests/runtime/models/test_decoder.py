"""The packed language model computes what the model computes, token by token."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from fixtures.families import DECODERS
from regard import RegardError, UnsupportedError
from regard.models import Decoder, DecoderConfig
from regard.runtime.packed import PackedDecoder, PackedReader
from regard.runtime.packing import pack

IDS = torch.tensor([[5, 9, 2, 30, 7, 11, 1], [8, 3, 3, 14, 29, 17, 4]])
MASK = torch.tensor([[1, 1, 1, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1, 0]]).bool()
# Rotary positions in heads of a width that ONNX Runtime has; others may have any.
FAMILIES = {name: each | dict(num_heads=3, head_dim=16) for name, each in DECODERS.items()}
FAMILIES["gpt2"] = DECODERS["gpt2"]
family = pytest.mark.parametrize("settings", FAMILIES.values(), ids=FAMILIES)


def small(**settings: Any) -> Decoder:
    torch.manual_seed(3)
    model = Decoder(DecoderConfig(31, **settings))
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.5)
    return model.eval()


def packed(model: Decoder, precision: str = "fp32") -> PackedDecoder:
    found = pack(model, precision)
    assert isinstance(found, PackedDecoder)
    return found


@family
@pytest.mark.parametrize("mask", [None, MASK], ids=["full", "padded"])
@torch.no_grad()
def test_prompt_and_steps_of_every_family_are_the_models(
    settings: dict[str, Any], mask: torch.Tensor | None, same: Callable[..., None]
) -> None:
    model = small(**settings)
    expected = model.start(mask)
    got = packed(model).start(None if mask is None else mask.numpy())
    same(got.step(IDS.numpy()), expected.step(IDS))
    for tokens in IDS.T[2:5]:
        same(got.step(tokens.numpy()), expected.step(tokens))
    rows = torch.tensor([1, 0, 1])
    expected.select(rows)
    got.select(rows.numpy())
    several = torch.tensor([[3, 4], [5, 6], [7, 8]])
    same(got.step(several.numpy()), expected.step(several))


@family
@pytest.mark.parametrize("head", ["classification", "question_answering"])
@torch.no_grad()
def test_every_head_of_every_family_is_the_models(
    settings: dict[str, Any], head: str, same: Callable[..., None]
) -> None:
    labels = ("no", "yes", "perhaps") if head == "classification" else ()
    model = small(**settings, head=head, labels=labels, pad_id=3)  # 3 is also in the texts
    found = pack(model)
    assert isinstance(found, PackedReader)
    mask = torch.tensor([[1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0, 0]]).bool()
    got = torch.from_numpy(found(IDS.numpy(), attention_mask=mask.numpy()))
    expected = model(IDS, mask)
    if head == "question_answering":
        got, expected = got[mask], expected[mask]
    same(got, expected)


@torch.no_grad()
def test_a_row_reads_several_tokens_at_once(same: Callable[..., None]) -> None:
    model = small(**FAMILIES["llama"])
    expected, got = model.start(), packed(model).start()
    for part in (IDS[:1], IDS[1:, :4]):
        same(got.step(part.numpy()), expected.step(part))


def test_a_text_longer_than_the_tables_is_refused() -> None:
    state = packed(small(**FAMILIES["gpt2"] | dict(max_positions=8))).start()
    state.step(IDS.numpy())
    state.step(IDS[:, 0].numpy())
    with pytest.raises(RegardError, match="has 8 positions; got a sequence of 9 tokens"):
        state.step(IDS[:, 0].numpy())


def test_what_has_no_operators_is_refused_by_name() -> None:
    message = "rotary positions in heads of 6 numbers cannot be packed"
    with pytest.raises(UnsupportedError, match=message):
        pack(small(**DECODERS["llama"]))
