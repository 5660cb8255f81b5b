"""The packed encoder, with every head, computes what the model computes."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from fixtures.families import ENCODERS
from regard import RegardError
from regard.configs.heads import ENCODER_HEADS, HEADS
from regard.models import Encoder, EncoderConfig
from regard.runtime.packed import PackedReader
from regard.runtime.packing import pack

SIZES: dict[str, Any] = dict(d_model=15, num_layers=2, num_heads=3, d_ff=22, max_positions=11)
IDS = torch.tensor([[5, 9, 2, 30, 7, 11, 1], [8, 3, 14, 1, 0, 0, 0]])


def small(head: str = "none", **changes: Any) -> Encoder:
    torch.manual_seed(29)
    labels = ("no", "yes", "perhaps") if HEADS[head].entries == "label" else ()
    model = Encoder(EncoderConfig(31, head=head, labels=labels, **(SIZES | changes)))
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.3)
    return model.eval()


def packed(model: Encoder, precision: str = "fp32") -> PackedReader:
    found = pack(model, precision)
    assert isinstance(found, PackedReader)
    return found


@pytest.mark.parametrize("head", ENCODER_HEADS)
@pytest.mark.parametrize("changes", ENCODERS.values(), ids=list(ENCODERS))
@torch.no_grad()
def test_every_head_of_every_family_is_the_models(
    head: str, changes: dict[str, Any], same: Callable[..., None]
) -> None:
    model = small(head, **changes)
    got, expected = torch.from_numpy(packed(model)(IDS.numpy())), model(IDS)
    tokens = IDS != 0
    if head not in ("pooler", "classification"):
        got, expected = got[tokens], expected[tokens]
    same(got, expected)


@torch.no_grad()
def test_token_types_and_mask_are_read(same: Callable[..., None]) -> None:
    model = small("classification")
    types = torch.tensor([[0, 0, 0, 1, 1, 1, 1], [0, 1, 1, 1, 0, 0, 0]])
    mask = torch.tensor([[1, 1, 0, 1, 1, 1, 1], [0, 1, 1, 1, 1, 0, 0]]).bool()
    got = packed(model)(IDS.numpy(), token_type_ids=types.numpy(), attention_mask=mask.numpy())
    same(got, model(IDS, token_type_ids=types, attention_mask=mask))


@torch.no_grad()
def test_states_and_head_are_the_models_one_after_the_other(same: Callable[..., None]) -> None:
    model = small("masked_lm")
    ours = packed(model)
    states, expected = ours.hidden(IDS.numpy()), model.hidden(IDS)
    tokens = IDS != 0
    same(states[tokens.numpy()], expected[tokens])
    masked = expected[tokens][None, ::3]
    same(ours.head(masked.numpy()), model.head(masked, model.embed.tokens.weight))


def test_token_types_of_a_model_without_any_are_refused() -> None:
    ours = packed(small(token_types=None))
    with pytest.raises(RegardError, match="no token types"):
        ours(IDS.numpy(), token_type_ids=IDS.numpy())
