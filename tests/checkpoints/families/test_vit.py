"""ViT: positions on a grid, sizes, and what is refused; parity is a test apart."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from regard import RegardError
from regard.checkpoints import from_pretrained, save_pretrained
from regard.checkpoints.families import find_family
from regard.models import VisionConfig, VisionTransformer

transformers = pytest.importorskip("transformers")

BATCH, CHANNELS, HEIGHT, WIDTH = 2, 3, 6, 10
SIZES = dict(
    hidden_size=15,
    num_hidden_layers=2,
    num_attention_heads=3,
    intermediate_size=22,
    image_size=[HEIGHT, WIDTH],
    patch_size=[3, 2],
    layer_norm_eps=1e-3,
)


def pixels() -> Tensor:
    torch.manual_seed(23)
    return torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH)


def test_a_grid_of_positions_comes_back_as_one(tmp_path: Path) -> None:
    config = VisionConfig(
        (HEIGHT, WIDTH), (3, 2), d_model=12, num_layers=1, num_heads=3, d_ff=22, positions="grid"
    )
    model = VisionTransformer(config).eval()
    save_pretrained(model, tmp_path)
    again = from_pretrained(tmp_path)
    assert again.config == config
    assert not again.embed.positions.requires_grad
    assert torch.equal(again(pixels()), model(pixels()))


def test_square_sizes_are_one_number_in_config_json() -> None:
    family = find_family("vit", where="the test").family
    settings = family.to_config(VisionConfig())
    assert (settings["image_size"], settings["patch_size"]) == (224, 16)
    assert family.from_config(settings) == VisionConfig()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pooler_act": "relu"}, 'pooler_act must be "tanh"'),
        ({"pooler_output_size": 7}, "pooler_output_size must be 15"),
        ({"architectures": ["ViTForMaskedImageModeling"]}, "ViTForMaskedImageModeling"),
    ],
)
def test_what_we_have_not_is_refused_by_name(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    transformers.ViTModel(transformers.ViTConfig(**SIZES)).save_pretrained(tmp_path)
    file = tmp_path / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(RegardError, match=message):
        from_pretrained(tmp_path)
