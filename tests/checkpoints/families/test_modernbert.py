from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from fixtures.families import ENCODERS
from regard import RegardError
from regard.checkpoints import from_pretrained, save_pretrained
from regard.checkpoints.families import bert
from regard.checkpoints.families.modernbert import FAMILY
from regard.models import Encoder, EncoderConfig

SIZES: dict[str, Any] = dict(num_heads=3, d_ff=22, max_positions=64, dropout=0.0)
SETTINGS: dict[str, Any] = dict(
    model_type="modernbert",
    vocab_size=31,
    hidden_size=12,
    intermediate_size=14,
    num_hidden_layers=7,
    num_attention_heads=2,
    max_position_embeddings=64,
    pad_token_id=0,
)
IDS = torch.tensor([[5, 9, 2, 30, 7]])


def config(name: str = "modernbert", **changes: Any) -> EncoderConfig:
    return EncoderConfig(31, **SIZES | ENCODERS[name] | changes)


def read(**changes: Any) -> EncoderConfig:
    return FAMILY.from_config(SETTINGS | changes)


@pytest.mark.parametrize("name", ["modernbert", "modernbert, biased"])
@pytest.mark.parametrize("head", ["masked_lm", "classification", "token_classification"])
def test_a_model_comes_back_as_it_was_under_the_published_names(
    name: str, head: str, tmp_path: Path
) -> None:
    labels = () if head == "masked_lm" else ("no", "yes")
    model = Encoder(config(name, head=head, labels=labels, head_dropout=0.0)).eval()
    save_pretrained(model, tmp_path)
    file = load_file(tmp_path / "model.safetensors")
    layer = model.encoder.layers[1]
    attention, feed_forward = layer.self_attention, layer.feed_forward
    parts = torch.cat([attention.query.weight, attention.key.weight, attention.value.weight])
    assert torch.equal(file["model.layers.1.attn.Wqkv.weight"], parts)
    parts = torch.cat([feed_forward.gate.weight, feed_forward.inner.weight])
    assert torch.equal(file["model.layers.1.mlp.Wi.weight"], parts)
    assert "model.layers.0.attn_norm.weight" not in file  # the embedding has normalized it
    assert {"model.final_norm.weight", "head.dense.weight", "head.norm.weight"} <= set(file)
    assert ("decoder.bias" if head == "masked_lm" else "classifier.weight") in file
    again = from_pretrained(tmp_path)
    assert again.config == model.config
    with torch.no_grad():
        torch.testing.assert_close(again(IDS), model(IDS))


def test_layers_with_a_window_are_those_that_config_json_says_or_all_but_every_third() -> None:
    assert read().unwindowed == (0, 3, 6)
    assert read().window == 65  # 64 on each side, and itself
    assert read(local_attention=5).window == 3
    assert read(global_attn_every_n_layers=4).unwindowed == (0, 4)
    assert read(layer_types=["full_attention"] * 7).window is None
    with pytest.raises(RegardError, match="layer_types must be full_attention or sliding_at"):
        read(layer_types=["full_attention"])


def test_two_kinds_of_positions_are_read_as_versions_4_and_5_write_them() -> None:
    ropes = dict(full_attention=dict(rope_theta=500.0), sliding_attention=dict(rope_theta=50.0))
    for found in (
        read(global_rope_theta=500.0, local_rope_theta=50.0),
        read(rope_parameters=ropes),
    ):
        assert found.rotaries == ((500.0, None), (50.0, None))
        assert found.rotated == (1, 2, 2, 1, 2, 2, 1)
    assert read().rotaries == ((160000.0, None), (10000.0, None))
    with pytest.raises(RegardError, match='rope_type must be "default" for a modernbert'):
        read(rope_scaling=dict(rope_type="linear", factor=2.0))


def test_models_that_it_does_not_compute_are_refused() -> None:
    assert FAMILY.fits(config())
    assert not bert.FAMILY.fits(config())
    for change in (
        dict(head_norm=False),
        dict(norm_first=False),
        dict(gated=False),
        dict(norm_kind="rms"),
        dict(positions="learned"),
        dict(token_types=2),
        dict(head="pooler"),
    ):
        assert not FAMILY.fits(config(**change))
    for key, value in (("decoder_bias", False), ("tie_word_embeddings", False)):
        with pytest.raises(RegardError, match=f"{key} must be true for a modernbert"):
            read(**{key: value})
    with pytest.raises(RegardError, match="pooling must be one of first, mean"):
        read(classifier_pooling="max")
