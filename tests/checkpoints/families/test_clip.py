"""CLIP and SigLIP: old files, what is refused, and losses; parity is a test apart."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from regard import RegardError
from regard.checkpoints import from_pretrained, save_pretrained

pytest.importorskip("transformers")

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))
try:
    import parity
finally:
    sys.path.pop(0)

CASES = {case.name: case for case in parity.CASES}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Models of transformers, by the families' names."""
    made = {name: tmp_path_factory.mktemp(name) for name in ("CLIP", "SigLIP")}
    for name, folder in made.items():
        CASES[name].build().save_pretrained(folder)
    return made


def changed(folder: Path, to: Path, side: str = "", **changes: Any) -> Path:
    """A copy whose config.json has other values, at the top or of one encoder."""
    settings = json.loads((folder / "config.json").read_text())
    (settings[side] if side else settings).update(changes)
    (to / "config.json").write_text(json.dumps(settings))
    (to / "model.safetensors").write_bytes((folder / "model.safetensors").read_bytes())
    return to


def test_settings_under_the_key_of_old_files_are_read(
    folders: dict[str, Path], tmp_path: Path
) -> None:
    folder = folders["CLIP"]
    text = json.loads((folder / "config.json").read_text())["text_config"]
    old = changed(folder, tmp_path, text_config_dict=text, text_config={"hidden_size": 7})
    assert from_pretrained(old).config == from_pretrained(folder).config


@pytest.mark.parametrize(
    ("name", "side", "changes", "message"),
    [
        ("SigLIP", "text_config", {"projection_size": 11}, "texts have 11 numbers, and those of i"),
        ("SigLIP", "vision_config", {"vision_use_head": False}, "vision_use_head must be true"),
        ("CLIP", "", {"projection_dim": 11}, r"text_projection.weight must be \(11, 15\)"),
        ("CLIP", "text_config", {"hidden_act": "mish"}, "activation must be one of"),
        ("CLIP", "text_config", {"num_hidden_layers": 10**6}, "num_layers must be at most 1,000"),
        ("CLIP", "vision_config", {"patch_size": [2, 2]}, "patch_size must be tuple"),
        ("CLIP", "vision_config", {"patch_size": 5}, "image_size must be a multiple"),
    ],
)
def test_what_we_have_not_is_refused_by_name(
    name: str, side: str, changes: dict[str, Any], message: str, folders: Any, tmp_path: Path
) -> None:
    with pytest.raises(RegardError, match=message):
        from_pretrained(changed(folders[name], tmp_path, side, **changes))


@pytest.mark.parametrize(
    ("name", "lost"),
    [
        ("CLIP", "vision_model.embeddings.class_embedding"),
        ("SigLIP", "vision_model.head.attention.in_proj_weight"),
    ],
)
def test_missing_and_unexpected_weights_are_named(
    name: str, lost: str, folders: Any, tmp_path: Path
) -> None:
    weights = load_file(folders[name] / "model.safetensors")
    weights["other"] = weights.pop(lost)
    changed(folders[name], tmp_path)
    save_file(weights, tmp_path / "model.safetensors")
    with pytest.raises(RegardError, match=rf"missing {lost}; unexpected other"):
        from_pretrained(tmp_path)


def test_a_model_of_neither_layout_is_not_saved(folders: Any, tmp_path: Path) -> None:
    model = from_pretrained(folders["CLIP"])
    object.__setattr__(model.config.text, "causal", False)
    with pytest.raises(RegardError, match="must be of a family here"):
        save_pretrained(model, tmp_path)


def test_the_scale_and_the_bias_begin_as_in_the_papers(folders: Any) -> None:
    clip, siglip = (type(model)(model.config) for model in map(from_pretrained, folders.values()))
    assert clip.logit_scale.item() == pytest.approx(2.6592, abs=1e-4)  # CLIP, section 2.5
    assert siglip.logit_scale.exp().item() == pytest.approx(10)  # SigLIP, algorithm 1
    assert siglip.logit_bias.item() == -10
    assert torch.isfinite(siglip(pixels=torch.zeros(1, 3, 6, 6))).all()
