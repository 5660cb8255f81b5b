"""The decoder's names and settings in Hugging Face's Llama, Mistral, Qwen2 and Qwen3 layouts.

The names are the same. Of the settings, Llama has biases on all projections of attention or on
none, and so has Qwen3; Qwen2 has them on all but the output, Mistral on none; Mistral has windows
in all layers, Qwen2 and Qwen3 in the upper ones. Qwen3 normalizes queries and keys.
"""

import math
from dataclasses import asdict
from typing import Any

from regard.checkpoints.family import Family, Key, Settings, rename
from regard.checkpoints.heads import ANSWERS, READER_HEADS
from regard.configs.decoder import DecoderConfig
from regard.configs.scaling import LinearScaling, Llama3Scaling, Scaling, YarnScaling
from regard.errors import DamagedFileError, UnsupportedError

# Replaced in this order, inside every name of our state dict.
RENAMES = (
    ("decoder.embed.tokens", "embed_tokens"),
    ("decoder.layers.", "layers."),
    ("decoder.norm", "norm"),
    ("feed_forward_norm", "post_attention_layernorm"),
    ("self_attention_norm", "input_layernorm"),
    ("feed_forward.gate", "mlp.gate_proj"),
    ("feed_forward.inner", "mlp.up_proj"),
    ("feed_forward.outer", "mlp.down_proj"),
    ("self_attention.query_norm", "self_attn.q_norm"),
    ("self_attention.key_norm", "self_attn.k_norm"),
    ("self_attention.query", "self_attn.q_proj"),
    ("self_attention.key", "self_attn.k_proj"),
    ("self_attention.value", "self_attn.v_proj"),
    ("self_attention.output", "self_attn.o_proj"),
)
# By the config's head.
HEAD = {"language_model": (("output", "lm_head"),), "classification": (("head.output", "score"),)}
KEYS = {
    "vocab_size": Key("vocab_size"),
    "hidden_size": Key("d_model"),
    "intermediate_size": Key("d_ff"),
    "num_hidden_layers": Key("num_layers"),
    "num_attention_heads": Key("num_heads"),
    "num_key_value_heads": Key("num_key_heads", None),
    "head_dim": Key("head_dim", None),
    "hidden_act": Key("activation", "silu"),
    "max_position_embeddings": Key("max_positions"),
    "rms_norm_eps": Key("norm_eps", 1e-6),
    "tie_word_embeddings": Key("tied_output", False),
    "bos_token_id": Key("bos_id", None),
    "eos_token_id": Key("eos_id", None),
    "pad_token_id": Key("pad_id", None),
}
BASE = "model."
ANSWER_TYPES = ("llama", "qwen2", "qwen3")  # whose body is "transformer." where they answer
# Where config.json does not say.
WINDOW = 4096  # of all but Llama
KEY_HEADS = {"mistral": 8, "qwen3": 32}
BIASED = ("llama", "qwen3")  # have attention_bias, on the output too


def _place(name: str, config: DecoderConfig) -> str:
    return _body(config) + rename(name, RENAMES)


def aliases(config: DecoderConfig) -> dict[str, str]:
    """The output projection where it is the embedding table; and what the body of a model that
    answers questions is called in another of these families."""
    if config.head == "language_model":
        return {"lm_head.weight": "model.embed_tokens.weight"} if config.tied_output else {}
    body = _body(config)
    if body == BASE:
        return {}
    return {
        theirs.replace(body, BASE, 1): theirs
        for theirs in FAMILY.names(config, config.shapes()).values()
        if isinstance(theirs, str) and theirs.startswith(body)
    }


def _body(config: DecoderConfig) -> str:
    """Prefix of their names of all but the head."""
    answers = config.head == ANSWERS
    return "transformer." if answers and _model_type(config) in ANSWER_TYPES else BASE


def _model_type(config: DecoderConfig) -> str | None:
    biases = (config.attention_bias, config.attention_output_bias)
    if config.query_key_norm:
        return None if biases[0] != biases[1] or config.feed_forward_bias else "qwen3"
    if biases == (True, False) and not config.feed_forward_bias:
        return "qwen2"
    # transformers refuses a Llama whose width its heads do not divide, whatever their own.
    divides = config.d_model % config.num_heads == 0
    if biases[0] == biases[1] and set(config.windows) == {None} and divides:
        return "llama"
    if biases == (False, False) and not config.feed_forward_bias and len(set(config.windows)) == 1:
        return "mistral"
    return None


def write(config: DecoderConfig) -> Settings:
    """Return the keys that the three say differently; dropout, which they lack, is not written."""
    family = _model_type(config)
    settings: Settings = {
        "num_key_value_heads": config.num_key_heads or config.num_heads,
        "head_dim": config.head_dim or config.d_model // config.num_heads,
        "rope_parameters": _rope_parameters(config),
        # What version 4 looks for in their place.
        "rope_theta": config.rotary_theta,
        "rope_scaling": _rope_parameters(config) if config.rotary_scaling else None,
    }
    if family == "llama":
        settings["attention_bias"] = config.attention_bias
        settings["mlp_bias"] = config.feed_forward_bias
    else:
        settings["sliding_window"] = config.window
    if family == "qwen3":
        settings["attention_bias"] = config.attention_bias
    if family in ("qwen2", "qwen3"):
        settings["use_sliding_window"] = config.window is not None
        settings["max_window_layers"] = config.first_window_layer
    return settings


def read(settings: Settings, fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that the three say differently."""
    family, heads = settings["model_type"], fields["num_heads"]
    theta, scaling = _rotary(settings)
    window, first_window_layer = _window(settings)
    key_heads = settings.get("num_key_value_heads", KEY_HEADS.get(family))
    bias = settings.get("attention_bias", False) if family in BIASED else family == "qwen2"
    return dict(
        num_key_heads=heads if key_heads is None else key_heads,
        head_dim=fields["head_dim"]
        or (128 if family == "qwen3" else 0)
        or fields["d_model"] // heads,
        feed_forward_bias=family == "llama" and settings.get("mlp_bias", False),
        attention_bias=bias,
        attention_output_bias=bias and family in BIASED,
        query_key_norm=family == "qwen3",
        rotary_theta=theta,
        rotary_scaling=scaling,
        window=window,
        first_window_layer=first_window_layer,
    )


def _rope_parameters(config: DecoderConfig) -> dict[str, Any]:
    parameters: dict[str, Any] = {"rope_theta": config.rotary_theta, "rope_type": "default"}
    scaling = config.rotary_scaling
    if scaling is None:
        return parameters
    return parameters | {"rope_type": scaling.rope_type, **asdict(scaling)}


def _rotary(settings: Settings) -> tuple[float, Scaling | None]:
    """Theta and scaling, from rope_parameters or what stood in its place before version 5."""
    parameters = settings.get("rope_parameters") or settings.get("rope_scaling") or {}
    theta: float = parameters.get("rope_theta") or settings.get("rope_theta", 10000.0)
    part = parameters.get("partial_rotary_factor", settings.get("partial_rotary_factor", 1.0))
    if part != 1.0:
        raise UnsupportedError(
            f"partial_rotary_factor must be 1 for this model; config.json says {part}."
        )
    kind = parameters.get("rope_type", parameters.get("type", "default"))
    if kind == "default":
        return theta, None
    if kind == "linear":
        return theta, LinearScaling(_need(parameters, "factor"))
    if kind == "llama3":
        keys = ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings")
        return theta, Llama3Scaling(*(_need(parameters, key) for key in keys))
    if kind == "yarn":
        return theta, _yarn(parameters)
    raise UnsupportedError(
        f"rope_type must be default, linear, llama3 or yarn; config.json says {kind!r}."
        " Load the model with transformers and give it to regard.trace."
    )


def _yarn(parameters: dict[str, Any]) -> YarnScaling:
    factor = _need(parameters, "factor")

    def growth(share: float) -> float:
        return 0.1 * share * math.log(factor) + 1.0 if factor > 1 else 1.0

    attention_factor = parameters.get("attention_factor")
    if attention_factor is None:
        shares = [parameters.get(name) or 0.0 for name in ("mscale", "mscale_all_dim")]
        attention_factor = growth(shares[0]) / growth(shares[1]) if all(shares) else growth(1.0)
    return YarnScaling(
        factor,
        attention_factor,
        beta_fast=parameters.get("beta_fast") or 32,
        beta_slow=parameters.get("beta_slow") or 1,
        truncate=parameters.get("truncate", True),
        original_max_position_embeddings=_need(parameters, "original_max_position_embeddings"),
    )


def _need(parameters: dict[str, Any], key: str) -> Any:
    if key not in parameters:
        raise DamagedFileError(
            f"the rotary settings of config.json must have {key!r}; they have"
            f" {', '.join(parameters)}."
        )
    return parameters[key]


def _window(settings: Settings) -> tuple[int | None, int]:
    """Tokens that a token attends to, and the first layer with this limit."""
    family, layers = settings["model_type"], settings["num_hidden_layers"]
    if family == "llama":
        return None, 0
    window = settings.get("sliding_window", WINDOW)
    if family == "mistral":
        return window, 0
    if not settings.get("use_sliding_window", False) or window is None:
        window = None
    first = settings.get("max_window_layers", 28)
    kinds = settings.get("layer_types")
    if kinds is not None:  # it decides; max_window_layers is what it is made from when not given
        first = sum(kind == "full_attention" for kind in kinds)
        if kinds != ["full_attention"] * first + ["sliding_attention"] * (layers - first):
            raise UnsupportedError(
                f"layer_types must be full_attention for the lower of {layers} layers and"
                f" sliding_attention for the others; config.json says {kinds}."
            )
        if window is None and first < layers:
            raise UnsupportedError(
                "layer_types has sliding_attention, so use_sliding_window must be true and"
                " sliding_window a number; in config.json they are not."
            )
    return (window, first) if window is not None and first < layers else (None, 0)


FAMILY = Family(
    config=DecoderConfig,
    classes={"llama": "Llama", "mistral": "Mistral", "qwen2": "Qwen2", "qwen3": "Qwen3"},
    heads={"ForCausalLM": "language_model", **READER_HEADS},
    keys=KEYS,
    fixed={"positions": "rotary", "norm_kind": "rms", "gated": True, "score": "scaled_dot"},
    read=read,
    write=write,
    type_of=_model_type,
    head=HEAD,
    place=_place,
    aliases=aliases,
    base=BASE,
    ignored=("*.rotary_emb.inv_freq",),  # computed, not stored
)
