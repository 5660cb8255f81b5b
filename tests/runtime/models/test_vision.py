"""The packed vision Transformer, with every head, computes what the model computes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from regard import RegardError
from regard.configs.heads import VISION_HEADS
from regard.models import VisionConfig, VisionTransformer
from regard.runtime.packed import PackedVision
from regard.runtime.packing import pack

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


def packed(model: VisionTransformer, precision: str = "fp32") -> PackedVision:
    found = pack(model, precision)
    assert isinstance(found, PackedVision)
    return found


@pytest.mark.parametrize("head", VISION_HEADS)
@pytest.mark.parametrize("positions", ["learned", "grid"])
@torch.no_grad()
def test_every_head_is_the_models(head: str, positions: str, same: Callable[..., None]) -> None:
    model, pixels = small(head, positions=positions), torch.randn(5, 2, 10, 21)
    same(packed(model)(pixels.numpy()), model(pixels))


@torch.no_grad()
def test_an_image_has_the_same_bits_alone_and_in_any_batch() -> None:
    ours, pixels = packed(small("classification"), "int8"), torch.randn(5, 2, 10, 21).numpy()
    together = ours(pixels)
    for row in range(5):
        assert (ours(pixels[row : row + 1])[0] == together[row]).all()


def test_images_of_another_shape_are_refused() -> None:
    with pytest.raises(RegardError, match=r"with \(2, 10, 21\) after batch; got \(1, 3, 10, 21\)"):
        packed(small())(np.zeros((1, 3, 10, 21), np.float32))
