"""Mixtral, Qwen3-MoE and gpt-oss: which layers have experts, where these lie in files, and what is
refused; parity is a test apart."""

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from fixtures.families import DECODERS
from regard import RegardError
from regard.checkpoints import from_pretrained, save_pretrained
from regard.checkpoints.families import gpt_oss, mixtral
from regard.models import Decoder, DecoderConfig

SETTINGS: dict[str, Any] = dict(
    model_type="qwen3_moe",
    vocab_size=31,
    hidden_size=10,
    intermediate_size=14,
    num_hidden_layers=6,
    num_attention_heads=2,
    max_position_embeddings=64,
)
OSS = SETTINGS | dict(model_type="gpt_oss")


def model_of(name: str) -> Decoder:
    torch.manual_seed(1)
    return Decoder(DecoderConfig(31, **DECODERS[name])).eval()


def qwen(**changes: Any) -> DecoderConfig:
    config: DecoderConfig = mixtral.FAMILY.from_config(SETTINGS | changes)
    return config


def test_layers_without_experts_are_named_or_counted() -> None:
    assert qwen().unrouted == ()
    assert qwen(mlp_only_layers=[1, 4]).unrouted == (1, 4)
    assert qwen(mlp_only_layers=[2], decoder_sparse_step=2).unrouted == (0, 2, 4)
    assert qwen(decoder_sparse_step=2).routed == (False, True) * 3
    assert qwen(num_experts=0).experts == 0


def test_the_number_of_experts_has_two_names_and_the_window_a_switch() -> None:
    assert (qwen(num_experts=15).experts, qwen(num_local_experts=9).experts) == (15, 9)
    assert qwen(sliding_window=7).window is None
    assert qwen(sliding_window=7, use_sliding_window=True).window == 7


@pytest.mark.parametrize("name", ["mixtral", "qwen3_moe", "gpt_oss"])
def test_what_is_saved_comes_back_and_a_missing_expert_is_named(name: str, tmp_path: Path) -> None:
    model = model_of(name)
    save_pretrained(model, tmp_path)
    again, ids = from_pretrained(tmp_path), torch.tensor([[5, 9, 2, 30, 7]])
    assert again.config == model.config
    with torch.no_grad():
        torch.testing.assert_close(again(ids), model(ids))
    state = model.state_dict()
    assert all(torch.equal(tensor, state[name]) for name, tensor in again.state_dict().items())
    file = tmp_path / "model.safetensors"
    tensors = load_file(file)
    lost = next(name for name in tensors if "experts" in name)
    save_file({name: tensor for name, tensor in tensors.items() if name != lost}, file)
    with pytest.raises(RegardError, match=f"do not fit its config.json: missing {lost}"):
        from_pretrained(tmp_path)


def test_gpt_oss_has_one_tensor_of_all_experts(tmp_path: Path) -> None:
    model = model_of("gpt_oss")
    save_pretrained(model, tmp_path)
    file = load_file(tmp_path / "model.safetensors")
    both = file["model.layers.1.mlp.experts.gate_up_proj"]
    expert = model.decoder.layers[1].feed_forward.experts[3]
    assert both.shape == (4, 14, 2 * 22)
    assert torch.equal(both[3, :, ::2].T, expert.gate.weight)
    assert torch.equal(both[3, :, 1::2].T, expert.inner.weight)
    biases = file["model.layers.1.mlp.experts.gate_up_proj_bias"]
    assert torch.equal(biases[3, 1::2], expert.inner.bias)
    outer = file["model.layers.1.mlp.experts.down_proj"]
    assert torch.equal(outer[3].T, expert.outer.weight)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"quantization_config": {"quant_method": "mxfp4"}}, "config.json says mxfp4. Save it"),
        ({"swiglu_alpha": 2.0}, "swiglu_alpha must be 1.702 for a gpt_oss model here"),
        ({"hidden_act": "relu"}, 'hidden_act must be "silu" for a gpt_oss model here'),
    ],
)
def test_what_gpt_oss_would_compute_otherwise_is_refused(
    changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(RegardError, match=message):
        gpt_oss.FAMILY.from_config(OSS | changes)


def test_gpt_oss_has_a_window_in_every_other_layer_and_yarn_by_default() -> None:
    config = gpt_oss.FAMILY.from_config(OSS | dict(intermediate_size=14))
    assert config.windows == (128, None) * 3
    assert (config.rotary_theta, config.rotary_scaling.factor) == (150000.0, 32.0)
    assert (config.gate_limit, config.experts, config.experts_per_token) == (7.0, 128, 4)


@pytest.mark.parametrize(
    ("family", "sizes", "billions"),
    [  # of Mixtral 8x7B, Qwen3-30B-A3B and gpt-oss-20b, and what their authors call their sizes
        (
            mixtral.FAMILY,
            dict(model_type="mixtral", vocab_size=32000, hidden_size=4096, intermediate_size=14336)
            | dict(num_hidden_layers=32, num_attention_heads=32),
            46.7,
        ),
        (
            mixtral.FAMILY,
            dict(vocab_size=151936, hidden_size=2048, intermediate_size=6144, head_dim=128)
            | dict(num_hidden_layers=48, num_attention_heads=32, num_experts=128),
            30.5,
        ),
        (
            gpt_oss.FAMILY,
            dict(model_type="gpt_oss", vocab_size=201088, hidden_size=2880, intermediate_size=2880)
            | dict(num_hidden_layers=24, num_attention_heads=64, num_local_experts=32),
            20.9,
        ),
    ],
)
def test_published_models_have_as_many_weights_as_their_authors_say(
    family: Any, sizes: dict[str, Any], billions: float
) -> None:
    shapes = family.from_config(SETTINGS | sizes).shapes()
    assert round(sum(map(math.prod, shapes.values())) / 1e9, 1) == billions


def test_more_experts_for_a_token_than_there_are_are_refused() -> None:
    with pytest.raises(RegardError, match="experts_per_token must be from 1 to the 3 experts"):
        DecoderConfig(31, experts=3, experts_per_token=4)
    with pytest.raises(RegardError, match="gate_limit needs gated=True"):
        DecoderConfig(31, gate_limit=1.0)
