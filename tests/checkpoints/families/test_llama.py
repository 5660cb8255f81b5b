from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from regard import RegardError
from regard.checkpoints import from_pretrained, save_pretrained
from regard.checkpoints.families.llama import FAMILY
from regard.models import Decoder, DecoderConfig
from regard.models.positions import LinearScaling, Llama3Scaling, YarnScaling

SIZES: dict[str, Any] = dict(
    d_model=10,
    num_layers=3,
    num_heads=5,
    num_key_heads=1,
    head_dim=4,
    d_ff=14,
    norm_kind="rms",
    activation="silu",
    gated=True,
    feed_forward_bias=False,
    attention_bias=False,
    attention_output_bias=False,
    positions="rotary",
    tied_output=False,
)
IDS = torch.tensor([[5, 9, 2, 30, 7]])
SETTINGS: dict[str, Any] = dict(
    model_type="llama",
    vocab_size=31,
    hidden_size=10,
    intermediate_size=14,
    num_hidden_layers=3,
    num_attention_heads=8,
    max_position_embeddings=13,
)
LLAMA3 = dict(factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0)
LLAMA3["original_max_position_embeddings"] = 64
YARN = YarnScaling(4.0, 1.2, 16, 2, truncate=False, original_max_position_embeddings=64)


def config(**changes: Any) -> DecoderConfig:
    return DecoderConfig(31, **SIZES | changes)


def read(**changes: Any) -> DecoderConfig:
    return FAMILY.from_config(SETTINGS | changes)


# The family that has it all, for each configuration.
@pytest.mark.parametrize(
    ("changes", "family"),
    [
        (dict(), "llama"),
        (dict(attention_bias=True, attention_output_bias=True), "llama"),
        (dict(feed_forward_bias=True), "llama"),
        (dict(rotary_scaling=Llama3Scaling(8.0, 1.0, 4.0, 64), rotary_theta=5e5), "llama"),
        (dict(rotary_scaling=LinearScaling(2.0), tied_output=True), "llama"),
        (dict(rotary_scaling=YARN), "llama"),
        (dict(bos_id=1, eos_id=(2, 3), pad_id=4), "llama"),
        (dict(d_model=11), "mistral"),  # 5 heads do not divide 11
        (dict(window=3), "mistral"),
        (dict(attention_bias=True), "qwen2"),
        (dict(attention_bias=True, window=3), "qwen2"),
        (dict(attention_bias=True, window=3, unwindowed=(0, 1)), "qwen2"),
        (dict(query_key_norm="head"), "qwen3"),
        (dict(query_key_norm="head", attention_bias=True, attention_output_bias=True), "qwen3"),
        (dict(query_key_norm="head", window=3, unwindowed=(0, 1)), "qwen3"),
        (dict(query_key_norm="projection", norms="output"), "olmo2"),
        (dict(unrotated=(0, 2), feed_forward_bias=True), "smollm3"),
    ],
    ids=str,
)
def test_a_config_comes_back_as_it_was(
    changes: dict[str, Any], family: str, tmp_path: Path
) -> None:
    model = Decoder(config(**changes))
    assert FAMILY.to_config(model.config)["model_type"] == family
    save_pretrained(model, tmp_path)
    again = from_pretrained(tmp_path)
    assert again.config == model.config
    with torch.no_grad():
        assert torch.equal(again(IDS), model.eval()(IDS))


@pytest.mark.parametrize(
    "change",
    [
        dict(positions="learned"),
        dict(norm_kind="layer"),
        dict(gated=False),
        dict(score="dot"),
        dict(attention_output_bias=True),
        dict(attention_bias=True, feed_forward_bias=True),
        dict(window=3, unwindowed=(0,)),
        dict(window=3, feed_forward_bias=True),
        dict(query_key_norm="head", attention_bias=True),
        dict(query_key_norm="projection"),
        dict(norms="output"),
        dict(unrotated=(1,), window=3),
        dict(rotary_share=0.5),
        dict(query_key_norm="projection", norms="output", head="question_answering"),
    ],
    ids=str,
)
def test_what_none_of_the_three_computes_is_not_saved_as_one(change: dict[str, Any]) -> None:
    assert FAMILY.fits(config())
    assert not FAMILY.fits(config(**change))


def test_names_are_the_published_ones_and_old_angles_are_passed_over(tmp_path: Path) -> None:
    model = Decoder(config(num_layers=1)).eval()
    save_pretrained(model, tmp_path)
    path = tmp_path / "model.safetensors"
    file = load_file(path)
    layer = [f"self_attn.{part}_proj" for part in "qkvo"]
    layer += [f"mlp.{part}_proj" for part in ("gate", "up", "down")]
    layer += ["input_layernorm", "post_attention_layernorm"]
    assert set(file) == {
        "lm_head.weight",
        "model.embed_tokens.weight",
        "model.norm.weight",
        *(f"model.layers.0.{part}.weight" for part in layer),
    }
    gate, up = (file[f"model.layers.0.mlp.{part}_proj.weight"] for part in ("gate", "up"))
    feed_forward = model.decoder.layers[0].feed_forward
    assert torch.equal(gate, feed_forward.gate.weight)
    assert torch.equal(up, feed_forward.inner.weight)
    save_file(file | {"model.layers.0.self_attn.rotary_emb.inv_freq": torch.ones(2)}, path)
    with torch.no_grad():
        assert torch.equal(from_pretrained(tmp_path)(IDS), model(IDS))


def test_what_config_json_leaves_out_is_each_familys_default() -> None:
    llama, mistral, qwen2 = (read(model_type=kind) for kind in ("llama", "mistral", "qwen2"))
    assert (llama.num_key_heads, llama.head_dim, llama.tied_output) == (8, 1, False)
    assert (mistral.num_key_heads, mistral.window) == (8, 4096)
    assert read(model_type="mistral", num_attention_heads=16).num_key_heads == 8
    assert (qwen2.attention_bias, qwen2.attention_output_bias, qwen2.window) == (True, False, None)
    assert (llama.norm_eps, llama.rotary_theta, llama.rotary_scaling) == (1e-6, 10000.0, None)


def test_layers_without_positions_are_those_that_config_json_says_or_every_fourth() -> None:
    def unrotated(**changes: Any) -> tuple[int, ...]:
        return read(model_type="smollm3", num_hidden_layers=9, **changes).unrotated

    assert unrotated() == (3, 7)
    assert unrotated(no_rope_layer_interval=2) == (1, 3, 5, 7)
    assert unrotated(no_rope_layers=[1, 0, 1, 1, 1, 1, 0, 1, 1]) == (1, 6)
    assert unrotated(layer_types=["full_attention"] * 9, sliding_window=5) == (3, 7)
    for sliding in (
        dict(use_sliding_window=True, sliding_window=5),
        dict(sliding_window=5, layer_types=["full_attention"] * 8 + ["sliding_attention"]),
    ):
        with pytest.raises(RegardError, match="use_sliding_window must be false for this model"):
            unrotated(**sliding)


@pytest.mark.parametrize("kind", ["rope_type", "type"])
def test_rotary_settings_are_read_as_versions_4_and_5_write_them(kind: str) -> None:
    llama3 = LLAMA3 | {kind: "llama3"}
    expected = (7.0, Llama3Scaling(8.0, 1.0, 4.0, 64))
    for written in (
        dict(rope_theta=7.0, rope_scaling=llama3),
        dict(rope_parameters=llama3 | dict(rope_theta=7.0)),
    ):
        found = read(**written)
        assert (found.rotary_theta, found.rotary_scaling) == expected
    linear = {kind: "linear", "factor": 2.0}
    assert read(rope_scaling=linear).rotary_scaling == LinearScaling(2.0)
    assert read(rope_theta=7.0, rope_scaling=None).rotary_theta == 7.0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (dict(rope_scaling=dict(type="longrope")), "llama3 or yarn; .* says 'longrope'"),
        (dict(rope_scaling=dict(type="dynamic")), "must have 'factor'; they have"),
        (dict(rope_scaling=[4]), r"must be a JSON object; they are \[4\]"),
        (
            dict(rope_scaling=dict(type="yarn", factor=2, original_max_position_embeddings=0)),
            "original_max_position_embeddings .* must be a number above 0; it is 0",
        ),
        (dict(rope_parameters=dict(rope_type="linear")), "must have 'factor'; they have rope_type"),
        (dict(partial_rotary_factor=0.5), "partial_rotary_factor must be 1 .* says 0.5"),
    ],
)
def test_rotary_settings_that_are_not_had_here_are_refused(
    changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(RegardError, match=message):
        read(**changes)


def test_yarn_grows_query_and_key_by_what_config_json_says_or_the_paper() -> None:
    def attention_factor_for(**more: float) -> float:
        yarn = dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=64)
        scaling = read(rope_parameters=yarn | more).rotary_scaling
        assert isinstance(scaling, YarnScaling)
        assert (scaling.beta_fast, scaling.beta_slow, scaling.truncate) == (32, 1, True)
        return scaling.attention_factor

    assert attention_factor_for(attention_factor=1.5) == 1.5
    assert attention_factor_for() == pytest.approx(1.138629)  # 0.1 · ln 4 + 1
    assert attention_factor_for(mscale=2.0, mscale_all_dim=0.5) == pytest.approx(
        1.277259 / 1.069315, rel=1e-6
    )
    assert attention_factor_for(factor=0.5) == 1.0


FULL, SLIDING = "full_attention", "sliding_attention"


@pytest.mark.parametrize(
    ("settings", "windows"),
    [
        (dict(sliding_window=5), (None, None, None)),
        (dict(use_sliding_window=True, sliding_window=5), (None, None, None)),  # from layer 28 on
        (dict(use_sliding_window=True, sliding_window=5, max_window_layers=2), (None, None, 5)),
        (dict(use_sliding_window=True, max_window_layers=0), (4096, 4096, 4096)),
        (
            dict(use_sliding_window=True, sliding_window=5, layer_types=[FULL, SLIDING, SLIDING]),
            (None, 5, 5),
        ),
        (dict(layer_types=[FULL, FULL, FULL]), (None, None, None)),
    ],
)
def test_qwen2s_windows_are_of_its_upper_layers(
    settings: dict[str, Any], windows: tuple[int | None, ...]
) -> None:
    assert read(model_type="qwen2", **settings).windows == windows


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ([SLIDING, FULL, FULL], "layer_types must be full_attention for the lower of 3 layers"),
        ([FULL, SLIDING], "layer_types must be full_attention for the lower of 3 layers"),
        ([FULL, FULL, SLIDING], "sliding_attention, so use_sliding_window must be true and"),
    ],
)
def test_windows_that_cannot_be_are_refused(kinds: list[str], message: str) -> None:
    with pytest.raises(RegardError, match=message):
        read(model_type="qwen2", layer_types=kinds)


# As transformers' standardize_rope_params and convert_rope_params_to_dict have it.
@pytest.mark.parametrize("kind", ["yarn", "llama3"])
def test_the_length_of_the_first_texts_may_stand_beside_the_scaling_or_nowhere(kind: str) -> None:
    def first(**more: Any) -> int:
        scaling = dict(LLAMA3, rope_type=kind)
        scaling.pop("original_max_position_embeddings", None)
        found = read(rope_scaling=scaling, **more).rotary_scaling
        assert isinstance(found, YarnScaling | Llama3Scaling)
        return found.original_max_position_embeddings

    assert first() == SETTINGS["max_position_embeddings"]
    assert first(original_max_position_embeddings=5) == 5


def test_a_scaling_that_was_added_by_hand_goes_before_that_of_version_5() -> None:
    found = read(
        rope_parameters=dict(rope_theta=7.0, rope_type="default"),
        rope_scaling=dict(type="linear", factor=2.0),
    )
    assert (found.rotary_theta, found.rotary_scaling) == (7.0, LinearScaling(2.0))


@pytest.mark.parametrize(
    ("scaling", "room"),
    [
        (dict(type="linear", factor=4), 52),
        (dict(type="yarn", factor=4.0), 52),
        (dict(type="yarn", factor=4.0, original_max_position_embeddings=2), 13),
        (dict(type="dynamic", factor=4.0), 13),
        (None, 13),
    ],
)
def test_positions_that_a_scaling_stretches_give_room_for_longer_texts(
    scaling: dict[str, Any] | None, room: int
) -> None:
    config = read(rope_scaling=scaling)
    assert config.room == room
    assert config.longest == (13 if scaling and scaling["type"] == "dynamic" else None)
    assert FAMILY.from_config(FAMILY.to_config(config)) == config
