"""The exported vision Transformer, with every head, computes what the model computes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from fixtures.graphs import Graphs
from regard.configs.heads import VISION_HEADS
from regard.models import VisionConfig, VisionTransformer

SIZES: dict[str, Any] = dict(d_model=12, num_layers=2, num_heads=3, d_ff=22)
IMAGES: dict[str, Any] = dict(image_size=(10, 21), patch_size=(5, 3), channels=2)


def small(head: str = "none", **changes: Any) -> VisionTransformer:
    torch.manual_seed(31)
    labels = ("no", "yes", "perhaps") if head == "classification" else ()
    model = VisionTransformer(VisionConfig(head=head, labels=labels, **(SIZES | IMAGES | changes)))
    for parameter in model.parameters():
        if parameter.requires_grad:
            nn.init.normal_(parameter, std=0.3)
    return model.eval()


def read(graphs: Graphs, pixels: Any) -> Any:
    [states] = graphs.run("body", {"pixels": pixels})
    return graphs.run("head", {"states": states})[0] if "head" in graphs.sessions else states


@pytest.mark.parametrize("head", VISION_HEADS)
@pytest.mark.parametrize("positions", ["learned", "grid"])
@torch.no_grad()
def test_every_head_is_the_models(
    head: str, positions: str, same: Callable[..., None], tmp_path: Path
) -> None:
    model, pixels = small(head, positions=positions), torch.randn(5, 2, 10, 21)
    same(read(Graphs.of(model, tmp_path), pixels.numpy()), model(pixels))


@pytest.mark.parametrize(
    "changes",
    [
        dict(class_token=False, pooling="attention"),
        dict(patch_bias=False, embedding_norm=True, activation="quick_gelu", projection=7),
    ],
    ids=["siglip", "clip"],
)
@torch.no_grad()
def test_an_image_beside_texts_is_the_models(
    changes: dict[str, Any], same: Callable[..., None], tmp_path: Path
) -> None:
    model, pixels = small("embedding", **changes), torch.randn(5, 2, 10, 21)
    same(read(Graphs.of(model, tmp_path), pixels.numpy()), model(pixels))


@torch.no_grad()
def test_an_image_has_the_same_bits_alone_and_in_any_batch(tmp_path: Path) -> None:
    graphs = Graphs.of(small("classification"), tmp_path, "int8")
    pixels = torch.randn(5, 2, 10, 21).numpy()
    together = read(graphs, pixels)
    for row in range(5):
        assert (read(graphs, pixels[row : row + 1])[0] == together[row]).all()
