from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from fixtures.families import DECODERS
from regard import RegardError
from regard.checkpoints import from_pretrained, save_pretrained
from regard.checkpoints.families.gemma import FAMILY
from regard.models import Decoder, DecoderConfig
from regard.models.positions import LinearScaling, YarnScaling

SETTINGS: dict[str, Any] = dict(
    model_type="gemma3_text",
    vocab_size=31,
    hidden_size=10,
    intermediate_size=14,
    num_hidden_layers=7,
    num_attention_heads=5,
    max_position_embeddings=64,
    sliding_window=3,
)
YARN = YarnScaling(4.0, 1.2, original_max_position_embeddings=64)


def config(name: str, **changes: Any) -> DecoderConfig:
    return DecoderConfig(31, **DECODERS[name] | changes)


def read(**changes: Any) -> DecoderConfig:
    return FAMILY.from_config(SETTINGS | changes)


@pytest.mark.parametrize("name", ["gemma2", "gemma3"])
def test_a_model_comes_back_as_it_was_under_the_published_names(name: str, tmp_path: Path) -> None:
    model = Decoder(config(name, num_layers=2)).eval()
    save_pretrained(model, tmp_path)
    file = load_file(tmp_path / "model.safetensors")
    norms = ["input_layernorm", "post_attention_layernorm"]
    norms += ["pre_feedforward_layernorm", "post_feedforward_layernorm"]
    norms += ["self_attn.q_norm", "self_attn.k_norm"] if name == "gemma3" else []
    for norm in norms:  # counted from 1
        assert file[f"model.layers.1.{norm}.weight"].eq(0).all()
    assert sum("norm" in key for key in file) == 2 * len(norms) + 1
    again, ids = from_pretrained(tmp_path), torch.tensor([[5, 9, 2, 30, 7]])
    assert again.config == model.config
    with torch.no_grad():
        assert torch.equal(again(ids), model(ids))


def test_layers_with_a_window_are_those_that_config_json_says_or_all_but_every_sixth() -> None:
    assert read().unwindowed == (5,)
    assert read(sliding_window_pattern=3).unwindowed == (2, 5)
    assert read(model_type="gemma2").unwindowed == (1, 3, 5)
    assert read(layer_types=["full_attention"] * 7).window is None
    kinds = ["sliding_attention", "full_attention", "sliding_attention"]
    assert read(num_hidden_layers=3, layer_types=kinds).windows == (3, None, 3)
    for wrong in (["full_attention"], ["chunked_attention"] * 7):
        with pytest.raises(RegardError, match="layer_types must be full_attention or sliding_at"):
            read(layer_types=wrong)
    with pytest.raises(RegardError, match="sliding_window must be a number where layer_types"):
        read(sliding_window=None)


def test_two_kinds_of_positions_are_read_as_versions_4_and_5_write_them() -> None:
    linear = dict(rope_type="linear", factor=8.0)
    for found in (
        read(rope_scaling=linear, rope_theta=500.0, rope_local_base_freq=50.0),
        read(
            rope_parameters=dict(
                full_attention=linear | dict(rope_theta=500.0),
                sliding_attention=dict(rope_type="default", rope_theta=50.0),
            )
        ),
    ):
        assert found.rotaries == ((500.0, LinearScaling(8.0)), (50.0, None))
        assert found.rotated == (2, 2, 2, 2, 2, 1, 2)
    assert read().rotaries == ((1e6, None), (1e4, None))
    assert read(model_type="gemma2", rope_theta=9.0).rotaries == ((9.0, None),)
    with pytest.raises(RegardError, match='rope_type must be "default" for a gemma3_text'):
        read(rope_parameters=dict(sliding_attention=linear))


def test_caps_and_scales_are_those_of_the_published_configs() -> None:
    second, third = read(model_type="gemma2"), read()
    assert (second.score_cap, second.output_cap) == (50.0, 30.0)
    assert (third.score_cap, third.output_cap) == (None, None)
    assert second.score_width is None  # 256, as wide as a head
    assert read(head_dim=16).score_width == 256
    assert read(model_type="gemma2", attn_logit_softcapping=2.5).score_cap == 2.5
    assert read(attn_logit_softcapping=2.5).score_cap is None  # as in transformers
    with pytest.raises(RegardError, match="use_bidirectional_attention must be false"):
        read(use_bidirectional_attention=True)


def test_models_that_it_does_not_compute_are_refused() -> None:
    for name in ("gemma2", "gemma3"):
        assert FAMILY.fits(config(name))
        for change in (
            dict(norms="input"),
            dict(norm_kind="rms"),
            dict(scale_embedding=False),
            dict(unrotated=(1,)),
            dict(head="question_answering"),
        ):
            assert not FAMILY.fits(config(name, **change))
    assert not FAMILY.fits(config("gemma2", window_theta=9.0))
    assert not FAMILY.fits(config("gemma3", rotary_scaling=YARN))
    scaled = dict(rotary_scaling=LinearScaling(2.0))
    assert FAMILY.fits(config("gemma3", **scaled))
    assert not FAMILY.fits(config("gemma3", **scaled, window_theta=None))
