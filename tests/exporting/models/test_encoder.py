"""The exported encoder, with every head, computes what the model computes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from fixtures.families import ENCODERS
from fixtures.graphs import Graphs
from regard.configs.heads import ENCODER_HEADS, HEADS
from regard.models import Encoder, EncoderConfig

SIZES: dict[str, Any] = dict(d_model=15, num_layers=2, num_heads=3, d_ff=22, max_positions=11)
IDS = torch.tensor([[5, 9, 2, 30, 7, 11, 1], [8, 3, 14, 1, 0, 0, 0]])


def small(head: str = "none", **changes: Any) -> Encoder:
    torch.manual_seed(29)
    labels = ("no", "yes", "perhaps") if HEADS[head].entries == "label" else ()
    model = Encoder(EncoderConfig(31, head=head, labels=labels, **(SIZES | changes)))
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.3)
    return model.eval()


@pytest.mark.parametrize("head", ENCODER_HEADS)
@pytest.mark.parametrize("changes", ENCODERS.values(), ids=list(ENCODERS))
@torch.no_grad()
def test_every_head_of_every_family_is_the_models(
    head: str, changes: dict[str, Any], same: Callable[..., None], tmp_path: Path
) -> None:
    model, tokens = small(head, **changes), IDS != 0
    got = torch.from_numpy(Graphs.of(model, tmp_path).read(IDS.numpy()))
    expected = model(IDS, attention_mask=tokens)
    if head not in ("pooler", "classification", "embedding"):
        got, expected = got[tokens], expected[tokens]
    same(got, expected)


@torch.no_grad()
def test_the_first_end_of_a_text_is_read(same: Callable[..., None], tmp_path: Path) -> None:
    model = small("embedding", **ENCODERS["clip"], end_id=1)
    ids = torch.tensor([[5, 1, 2, 1], [8, 3, 14, 1], [8, 3, 14, 2]])
    same(torch.from_numpy(Graphs.of(model, tmp_path).read(ids.numpy())), model(ids))


@torch.no_grad()
def test_token_types_and_mask_are_read(same: Callable[..., None], tmp_path: Path) -> None:
    model = small("classification")
    types = torch.tensor([[0, 0, 0, 1, 1, 1, 1], [0, 1, 1, 1, 0, 0, 0]])
    mask = torch.tensor([[1, 1, 0, 1, 1, 1, 1], [0, 1, 1, 1, 1, 0, 0]]).bool()
    graphs, inputs = Graphs.of(model, tmp_path), dict(token_type_ids=types, attention_mask=mask)
    got = graphs.read(IDS.numpy(), token_type_ids=types.numpy(), mask=mask.int().numpy())
    same(got, model(IDS, **inputs))
