from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from fixtures import families
from regard import RegardError
from regard.checkpoints import from_pretrained, save_pretrained
from regard.checkpoints.families.gpt2 import FAMILY
from regard.models import Decoder, DecoderConfig

SIZES: dict[str, Any] = dict(d_model=10, num_layers=2, num_heads=5, d_ff=14, max_positions=13)
SETTINGS: dict[str, Any] = dict(
    model_type="gpt2", vocab_size=31, n_embd=10, n_layer=2, n_head=5, n_positions=13
)


def small(**changes: Any) -> Decoder:
    model: Decoder = families.small("gpt2", **SIZES | changes)
    return model


def test_query_key_and_value_are_the_thirds_of_one_turned_weight(tmp_path: Path) -> None:
    model = small()
    save_pretrained(model, tmp_path)
    file = load_file(tmp_path / "model.safetensors")
    attention = model.decoder.layers[1].self_attention
    fused, bias = (file[f"transformer.h.1.attn.c_attn.{kind}"] for kind in ("weight", "bias"))
    assert fused.shape == (10, 30)
    for part, ours in enumerate((attention.query, attention.key, attention.value)):
        columns = slice(10 * part, 10 * part + 10)
        assert torch.equal(fused[:, columns].T, ours.weight)
        assert torch.equal(bias[columns], ours.bias)
    assert file["transformer.h.0.mlp.c_fc.weight"].shape == (10, 14)
    assert "lm_head.weight" not in file


def test_the_hubs_first_file_without_prefix_and_with_its_causal_masks_loads(tmp_path: Path) -> None:
    model = small()
    save_pretrained(model, tmp_path)
    path = tmp_path / "model.safetensors"
    file = {k.removeprefix("transformer."): v.clone() for k, v in load_file(path).items()}
    file["h.0.attn.bias"] = torch.ones(1, 1, 13, 13).tril()
    file["h.1.attn.masked_bias"] = torch.tensor(-1e4)
    file["lm_head.weight"] = file["wte.weight"].clone()
    save_file(file, path)
    torch.testing.assert_close(from_pretrained(tmp_path).state_dict(), model.state_dict())
    save_file(file | {"lm_head.weight": file["wte.weight"] + 1}, path)
    with pytest.raises(RegardError, match=r"lm_head.weight must equal wte.weight"):
        from_pretrained(tmp_path)


@pytest.mark.parametrize(
    "changes",
    [
        dict(),
        dict(tied_output=False, dropout=0.25, norm_eps=1e-3, activation="relu", score="dot"),
        dict(bos_id=1, eos_id=(2, 3), pad_id=4),
    ],
)
def test_a_config_comes_back_as_it_was(changes: dict[str, Any], tmp_path: Path) -> None:
    model = small(**changes)
    save_pretrained(model, tmp_path)
    assert from_pretrained(tmp_path).config == model.config


def test_what_config_json_leaves_out_is_transformers_default() -> None:
    config = FAMILY.from_config(SETTINGS)
    assert (config.d_ff, config.dropout, config.norm_eps) == (40, 0.1, 1e-5)
    assert (config.activation, config.score, config.tied_output) == ("gelu_new", "scaled_dot", True)
    assert FAMILY.from_config(SETTINGS | dict(n_inner=None)).d_ff == 40
    assert FAMILY.from_config(FAMILY.to_config(config)) == config


@pytest.mark.parametrize("name", ["scale_attn_by_inverse_layer_idx", "add_cross_attention"])
def test_what_is_not_had_here_is_refused(name: str) -> None:
    assert FAMILY.from_config(SETTINGS | {name: False}) == FAMILY.from_config(SETTINGS)
    with pytest.raises(RegardError, match=f"{name} must be false .*; config.json says true"):
        FAMILY.from_config(SETTINGS | {name: True})


@pytest.mark.parametrize(
    "change",
    [
        dict(positions="rotary"),
        dict(norm_kind="rms"),
        dict(gated=True),
        dict(feed_forward_bias=False),
        dict(attention_bias=False),
        dict(attention_output_bias=False),
        dict(num_key_heads=1),
        dict(head_dim=4),
        dict(window=3),
    ],
    ids=str,
)
def test_only_what_gpt2_computes_is_saved_as_gpt2(change: dict[str, Any], tmp_path: Path) -> None:
    assert FAMILY.fits(DecoderConfig(31, **SIZES))
    assert not FAMILY.fits(DecoderConfig(31, **SIZES | change))
    with pytest.raises(RegardError, match="a model that is saved must be of a family here"):
        save_pretrained(small(**change), tmp_path)
