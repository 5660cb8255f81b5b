"""The decoder's names and settings in Hugging Face's layout of Gemma 2 and of Gemma 3's texts:
Llama's, with norms of a sub-layer's input and output, and two kinds of layers.
"""

from dataclasses import replace
from typing import Any

from regard.checkpoints.families import llama
from regard.checkpoints.family import Key, Settings, refuse_settings, rename, tied
from regard.models.configs.decoder import DecoderConfig

RENAMES = (
    ("self_attention_output_norm", "post_attention_layernorm"),
    ("feed_forward_output_norm", "post_feedforward_layernorm"),
    ("feed_forward_norm", "pre_feedforward_layernorm"),
    *llama.RENAMES,
)
LOCAL_THETA = 10000.0
PATTERN = {"gemma2": 2, "gemma3_text": 6}  # the last of so many layers has no window


def type_of(config: DecoderConfig) -> str | None:
    """Gemma 2 or 3, if it computes what a model of this configuration does."""
    for name in PATTERN:
        # Gemma 3 never scales the positions of layers with a window.
        scaled = config.rotary_scaling is not None and config.window is not None
        one = config.window_theta is None and scaled
        if llama.fits(name, config) and not (one and name == "gemma3_text"):
            return name
    return None


def read(settings: Settings, fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that are said differently than Llama's."""
    name, layers = settings["model_type"], settings["num_hidden_layers"]
    both_ways = {"use_bidirectional_attention": bool(settings.get("use_bidirectional_attention"))}
    refuse_settings(settings | both_ways, {"use_bidirectional_attention": False})
    if settings.get("layer_types") is None:
        every = settings.get("sliding_window_pattern", PATTERN[name])
        every = PATTERN[name] if name == "gemma2" else every
        kinds = ["sliding_attention" if index % every else "full_attention"
                 for index in range(1, layers + 1)]  # fmt: skip
        settings = settings | {"layer_types": kinds}
    theta = None
    if name == "gemma3_text":
        settings, theta = _two_ropes(settings)
    values = llama.read(settings, fields)
    if (theta == values["rotary_theta"] and values["rotary_scaling"] is None) or not values[
        "window"
    ]:
        theta = None
    if values["score_width"] == values["head_dim"]:
        values["score_width"] = None
    return values | {"window_theta": theta}


def _two_ropes(settings: Settings) -> tuple[Settings, Any]:
    """Return settings with the positions of layers without a window alone, and the theta of the
    others."""
    ropes: dict[str, Any] = settings.get("rope_parameters") or {}
    full: dict[str, Any] = dict(ropes.get("full_attention") or {})
    local: dict[str, Any] = dict(ropes.get("sliding_attention") or {})
    full |= settings.get("rope_scaling") or {}
    full.setdefault("rope_theta", settings.get("rope_theta", 1000000.0))
    said = {"rope_type": local.get("rope_type", local.get("type", "default"))}
    refuse_settings(settings | said, {"rope_type": "default"})
    theta: Any = local.get("rope_theta", settings.get("rope_local_base_freq", LOCAL_THETA))
    return settings | {"rope_parameters": full}, theta


def write(config: DecoderConfig) -> Settings:
    """Return the keys that are said differently."""
    name = type_of(config) or "gemma2"
    settings = llama.write(config, name)
    settings["query_pre_attn_scalar"] = config.score_width or settings["head_dim"]
    if name == "gemma2":
        return settings
    if config.head == "classification":
        settings["architectures"] = ["Gemma3TextForSequenceClassification"]
    theta = config.window_theta or config.rotary_theta
    settings["rope_local_base_freq"] = theta
    settings["rope_parameters"] = {
        "full_attention": settings["rope_parameters"],
        "sliding_attention": {"rope_type": "default", "rope_theta": theta},
    }
    return settings


FAMILY = replace(
    llama.FAMILY,
    classes={"gemma2": "Gemma2", "gemma3_text": "Gemma3"},
    keys={
        ("hidden_activation" if key == "hidden_act" else key): entry
        for key, entry in llama.KEYS.items()
    }
    | {"hidden_activation": Key("activation", "gelu_pytorch_tanh")},
    read=read,
    write=write,
    type_of=type_of,
    place=lambda name, config: llama.BASE + rename(name, RENAMES),
    aliases=tied(language_model={"lm_head.weight": "model.embed_tokens.weight"}),
)
