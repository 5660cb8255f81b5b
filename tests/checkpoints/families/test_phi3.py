from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from fixtures.families import DECODERS
from regard import RegardError
from regard.checkpoints import from_pretrained, save_pretrained
from regard.checkpoints.adapters import save_adapter
from regard.checkpoints.families.phi3 import FAMILY
from regard.models import Decoder, DecoderConfig
from regard.models.layers.low_rank import add_adapters
from regard.models.positions import LongScaling

EVEN: dict[str, Any] = DECODERS["phi3"] | dict(
    num_heads=2, head_dim=7, d_model=14, joined_projections=True
)
SETTINGS: dict[str, Any] = dict(
    model_type="phi3",
    vocab_size=31,
    hidden_size=10,
    intermediate_size=14,
    num_hidden_layers=3,
    num_attention_heads=2,
    max_position_embeddings=8192,
)
LONG = dict(short_factor=[1.0, 2.0], long_factor=[3.0, 4.0])


def config(**changes: Any) -> DecoderConfig:
    return DecoderConfig(31, **EVEN | changes)


def read(**changes: Any) -> DecoderConfig:
    return FAMILY.from_config(SETTINGS | changes)


def test_projections_are_joined_in_the_file_and_come_back(tmp_path: Path) -> None:
    model = Decoder(config(num_layers=1)).eval()
    save_pretrained(model, tmp_path)
    file = load_file(tmp_path / "model.safetensors")
    layer = model.decoder.layers[0]
    attention, feed_forward = layer.self_attention, layer.feed_forward
    parts = attention.query, attention.key, attention.value
    joined = torch.cat([part.weight for part in parts])
    assert joined.shape == (14 + 2 * 7, 14)
    assert torch.equal(file["model.layers.0.self_attn.qkv_proj.weight"], joined)
    joined = torch.cat([feed_forward.gate.weight, feed_forward.inner.weight])
    assert torch.equal(file["model.layers.0.mlp.gate_up_proj.weight"], joined)
    again, ids = from_pretrained(tmp_path), torch.tensor([[5, 9, 2, 30, 7]])
    assert again.config == model.config
    with torch.no_grad():
        assert torch.equal(again(ids), model(ids))


def test_long_rope_is_read_as_versions_4_and_5_write_it() -> None:
    expected = LongScaling((1.0, 2.0), (3.0, 4.0), 1.0408, long_positions=8192)
    for kind in ("longrope", "su", "yarn"):
        for found in (
            read(rope_scaling=LONG | dict(type=kind)),
            read(rope_parameters=LONG | dict(rope_type=kind, original_max_position_embeddings=7)),
        ):
            assert found.max_positions == 4096  # √(1 + ln 2 / ln 4096) = 1.0408
            scaling = found.rotary_scaling
            assert isinstance(scaling, LongScaling)
            assert scaling.attention_factor == pytest.approx(1.0408, abs=5e-5)
            assert scaling.short_factor == expected.short_factor
            assert scaling.long_factor == expected.long_factor
            assert scaling.long_positions == 8192
    assert read().max_positions == 8192
    assert read(partial_rotary_factor=0.8).rotary_dim == 4
    assert read(rope_parameters=dict(partial_rotary_factor=0.8)).rotary_share == 0.8


def test_other_scalings_and_models_that_it_does_not_compute_are_refused() -> None:
    with pytest.raises(RegardError, match=r"rope_type must be default or longrope; .* 'linear'"):
        read(rope_parameters=dict(rope_type="linear", factor=2.0))
    with pytest.raises(RegardError, match="must have 'short_factor'"):
        read(rope_parameters=dict(rope_type="longrope"))
    assert FAMILY.fits(config())
    for change in (
        dict(head_dim=6),
        dict(joined_projections=False),
        dict(attention_bias=True),
        dict(window=3, unwindowed=(0,)),
        dict(head="question_answering"),
    ):
        assert not FAMILY.fits(config(**change))


def test_adapters_of_joined_projections_are_one_adapter(tmp_path: Path) -> None:
    model = Decoder(config(num_layers=1))
    add_adapters(model, ("query", "key", "value"), rank=2, alpha=2)
    attention = model.decoder.layers[0].self_attention
    parts = attention.query, attention.key, attention.value
    for part in parts:
        torch.nn.init.normal_(part.lora_B)
    save_adapter(model, tmp_path, base_model="base", task_type="CAUSAL_LM")
    file = load_file(tmp_path / "adapter_model.safetensors")
    path = "base_model.model.model.layers.0.self_attn.qkv_proj"
    change = file[f"{path}.lora_B.weight"] @ file[f"{path}.lora_A.weight"]
    torch.testing.assert_close(change, torch.cat([part.lora_B @ part.lora_A for part in parts]))
