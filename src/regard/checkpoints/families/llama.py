"""The decoder's names and settings in Hugging Face's Llama layout, and in those made from it.

The names are the same, but for norms of outputs; `KINDS` says how their settings differ.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from regard.checkpoints.family import Family, Key, Settings, is_a, rename
from regard.checkpoints.heads import ANSWERS, READER_HEADS
from regard.errors import DamagedFileError, UnsupportedError
from regard.models.configs.decoder import DecoderConfig
from regard.models.configs.encoder import EncoderConfig
from regard.models.configs.scaling import (
    DynamicScaling,
    LinearScaling,
    Llama3Scaling,
    LongScaling,
    Scaling,
    YarnScaling,
)

# Replaced in this order, inside every name of our state dict.
RENAMES = (
    ("decoder.embed.tokens", "embed_tokens"),
    ("decoder.layers.", "layers."),
    ("decoder.norm", "norm"),
    ("self_attention_output_norm", "post_attention_layernorm"),
    ("feed_forward_output_norm", "post_feedforward_layernorm"),
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
# Fields that are so in a model of each type, unless its kind says otherwise.
PLAIN: dict[str, Any] = dict(
    attention_bias=False,
    feed_forward_bias=False,
    norms="input",
    query_key_norm="none",
    rotary_share=1.0,
    unrotated=(),
    joined_projections=False,
    experts=0,
    experts_per_token=2,
    shares_add_to_one=True,
    expert_d_ff=None,
    unrouted=(),
    gate_limit=None,
    sinks=False,
    norm_kind="rms",
    scale_embedding=False,
    score_width=None,
    score_cap=None,
    window_theta=None,
    output_cap=None,
)
# Keys of config.json that some kinds have → the field of PLAIN that they decide.
DECIDED = {
    "attention_bias": "attention_bias",
    "mlp_bias": "feed_forward_bias",
    "no_rope_layers": "unrotated",
    "partial_rotary_factor": "rotary_share",
    "num_local_experts": "experts",
    "num_experts": "experts",
    "num_experts_per_tok": "experts_per_token",
    "norm_topk_prob": "shares_add_to_one",
    "moe_intermediate_size": "expert_d_ff",
    "mlp_only_layers": "unrouted",
    "swiglu_limit": "gate_limit",
    "query_pre_attn_scalar": "score_width",
    "attn_logit_softcapping": "score_cap",
    "final_logit_softcapping": "output_cap",
    "rope_local_base_freq": "window_theta",
}
_AS_IT_IS = ("query_pre_attn_scalar", "attn_logit_softcapping", "final_logit_softcapping")


@dataclass(frozen=True)
class Kind:
    """Settings of a model_type."""

    fields: Mapping[str, Any] = field(default_factory=dict)  # of all its models, if not PLAIN
    keys: tuple[str, ...] = ()  # of DECIDED
    defaults: Settings = field(default_factory=dict)  # of keys that config.json lacks
    # the layers that may have one: "none", "all", the "upper" ones, or those of "types"
    windows: str = "none"
    output_bias: bool = True  # on the output of attention, where its other projections have one
    answers: str | None = None  # prefix of the body of a model that answers; None: no such class
    ropes: tuple[str, ...] = ("default", "linear", "dynamic", "llama3", "yarn")


_WINDOW = {"sliding_window": 4096}
_EXPERTS = ("num_experts", "num_experts_per_tok", "moe_intermediate_size")
_GEMMA = dict(norms="both", norm_kind="rms_plus_one", scale_embedding=True)
_GEMMA_DEFAULTS = {"num_key_value_heads": 4, "head_dim": 256, "query_pre_attn_scalar": 256}
_GEMMA_DEFAULTS |= {"tie_word_embeddings": True, "pad_token_id": 0, "bos_token_id": 2}
_GEMMA_DEFAULTS |= {"eos_token_id": 1, **_WINDOW}
KINDS = {
    "llama": Kind(keys=("attention_bias", "mlp_bias"), answers="transformer."),
    "mistral": Kind(
        defaults={"num_key_value_heads": 8, **_WINDOW}, windows="all", answers="model."
    ),
    "qwen2": Kind(
        {"attention_bias": True},
        defaults=_WINDOW,
        windows="upper",
        output_bias=False,
        answers="transformer.",
    ),
    "qwen3": Kind(
        {"query_key_norm": "head"},
        keys=("attention_bias",),
        defaults={"num_key_value_heads": 32, "head_dim": 128, **_WINDOW},
        windows="upper",
        answers="transformer.",
    ),
    "olmo2": Kind(
        {"query_key_norm": "projection", "norms": "output"},
        keys=("attention_bias",),
        defaults={"rms_norm_eps": 1e-5, "pad_token_id": 1, "eos_token_id": 50279},
    ),
    "smollm3": Kind(
        keys=("attention_bias", "mlp_bias", "no_rope_layers"),
        defaults={"num_key_value_heads": 4, "tie_word_embeddings": True, "rope_theta": 2000000.0}
        | {"pad_token_id": 128004, "bos_token_id": 128000, "eos_token_id": 128001},
        answers="transformer.",
    ),
    "mixtral": Kind(
        keys=("num_local_experts", "num_experts_per_tok"),
        defaults={"num_key_value_heads": 8, "num_local_experts": 8, "num_experts_per_tok": 2}
        | {"rms_norm_eps": 1e-5, "rope_theta": 1000000.0, "bos_token_id": 1, "eos_token_id": 2}
        | {"sliding_window": None},
        windows="all",
        answers="model.",
    ),
    "qwen3_moe": Kind(
        {"query_key_norm": "head"},
        keys=("attention_bias", *_EXPERTS, "norm_topk_prob", "mlp_only_layers"),
        defaults={"num_key_value_heads": 4, "num_local_experts": 128, "num_experts_per_tok": 8}
        | {"norm_topk_prob": False, "moe_intermediate_size": 768, "decoder_sparse_step": 1}
        | {"use_sliding_window": False, **_WINDOW},
        windows="all",
        answers="transformer.",
    ),
    "gpt_oss": Kind(
        {"sinks": True, "feed_forward_bias": True},
        keys=("attention_bias", "num_local_experts", "num_experts_per_tok", "swiglu_limit"),
        defaults={"num_key_value_heads": 8, "head_dim": 64, "rms_norm_eps": 1e-5}
        | {"num_local_experts": 128, "num_experts_per_tok": 4, "swiglu_limit": 7.0}
        | {"sliding_window": 128, "attention_bias": True, "rope_theta": 150000.0},
        windows="types",
    ),
    "phi3": Kind(
        {"joined_projections": True},
        keys=("partial_rotary_factor",),
        defaults={"original_max_position_embeddings": 4096, "rms_norm_eps": 1e-5}
        | {"pad_token_id": 32000, "bos_token_id": 1, "eos_token_id": 32000, "sliding_window": None},
        windows="all",
        ropes=("default", "longrope"),
    ),
    "gemma2": Kind(
        _GEMMA,
        keys=("attention_bias", *_AS_IT_IS),
        defaults=_GEMMA_DEFAULTS
        | {"attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0},
        windows="types",
    ),
    "gemma3_text": Kind(
        _GEMMA | {"query_key_norm": "head"},
        keys=("attention_bias", _AS_IT_IS[0], _AS_IT_IS[2], "rope_local_base_freq"),
        defaults=_GEMMA_DEFAULTS,
        windows="types",
        ropes=("default", "linear", "llama3"),
    ),
}


def _place(name: str, config: DecoderConfig) -> str:
    return _body(config) + rename(name, RENAMES)


def aliases(config: DecoderConfig) -> dict[str, str]:
    """Return the output projection where it is the embedding table; and what the body of a model
    that answers questions is called in another of these families."""
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
    answers = config.head == ANSWERS and KINDS[_model_type(config) or "llama"].answers
    return answers or BASE


def _model_type(config: DecoderConfig) -> str | None:
    return next((name for name in FAMILY.classes if fits(name, config)), None)


def fits(model_type: str, config: DecoderConfig) -> bool:
    """Return True if a model of this configuration can be saved as one of this type."""
    kind, scaling = KINDS[model_type], config.rotary_scaling
    decided = {DECIDED[key] for key in kind.keys}
    return (
        all(
            getattr(config, name) == value
            for name, value in {**PLAIN, **kind.fields}.items()
            if name not in decided
        )
        and config.attention_output_bias == (config.attention_bias and kind.output_bias)
        and (config.experts > 0) == ("num_experts_per_tok" in kind.keys)
        and _writable(config, kind.windows)
        and (scaling is None or scaling.rope_type in kind.ropes)
        and (config.head != ANSWERS or kind.answers is not None)
        # transformers refuses a Llama whose width its heads do not divide, whatever their own.
        and (model_type != "llama" or config.d_model % config.num_heads == 0)
    )


def _writable(config: DecoderConfig, windows: str) -> bool:
    """Return True if a kind with these windows can say which layers have one."""
    full = tuple(index for index, window in enumerate(config.windows) if window is None)
    if windows == "upper":
        return full == tuple(range(len(full)))
    if windows == "types":
        return True
    return len(full) == config.num_layers or (windows == "all" and not full)


def write(config: DecoderConfig, model_type: str | None = None) -> Settings:
    """Return the keys that they say differently; dropout, which they lack, is not written."""
    kind = KINDS[model_type or _model_type(config) or "llama"]
    settings: Settings = {
        "num_key_value_heads": config.num_key_heads or config.num_heads,
        "head_dim": config.head_dim or config.d_model // config.num_heads,
        "rope_parameters": _rope_parameters(config, kind),
        # What version 4 looks for in their place.
        "rope_theta": config.rotary_theta,
        "rope_scaling": _rope_parameters(config, kind) if config.rotary_scaling else None,
    }
    settings |= {key: getattr(config, DECIDED[key]) for key in kind.keys}
    if "no_rope_layers" in kind.keys:
        layers = range(config.num_layers)
        settings["no_rope_layers"] = [int(index not in config.unrotated) for index in layers]
    if kind.windows != "none":
        settings["sliding_window"] = config.window
    if kind.windows == "upper" or "use_sliding_window" in kind.defaults:
        settings["use_sliding_window"] = config.window is not None
    if kind.windows == "upper":
        settings["max_window_layers"] = len(config.unwindowed)
    if kind.windows == "types":
        settings["layer_types"] = layer_types(config)
    if isinstance(scaling := config.rotary_scaling, LongScaling):
        settings["original_max_position_embeddings"] = config.max_positions
        settings["max_position_embeddings"] = scaling.long_positions
    return settings


def read(settings: Settings, fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that they say differently."""
    kind, heads = KINDS[settings["model_type"]], fields["num_heads"]
    theta, scaling, share = _rotary(settings, kind)
    window, unwindowed = _window(settings, kind)
    key_heads = settings.get("num_key_value_heads")
    settled = {**PLAIN, **kind.fields}
    settled |= {DECIDED[key]: settings.get(key, False) for key in kind.keys if key.endswith("bias")}
    settled |= {DECIDED[key]: settings.get(key) for key in kind.keys if key in _AS_IT_IS}
    if "no_rope_layers" in kind.keys:
        settled["unrotated"] = _unrotated(settings)
    if isinstance(scaling, LongScaling):
        settled["max_positions"] = settings["original_max_position_embeddings"]
    return settled | dict(
        num_key_heads=heads if key_heads is None else key_heads,
        head_dim=fields["head_dim"] or fields["d_model"] // heads,
        attention_output_bias=settled["attention_bias"] and kind.output_bias,
        rotary_theta=theta,
        rotary_scaling=scaling,
        rotary_share=share,
        window=window,
        unwindowed=unwindowed,
    )


def _unrotated(settings: Settings) -> tuple[int, ...]:
    """Layers without positions: those that are 0 in config.json, or every fourth."""
    every, count = settings.get("no_rope_layer_interval", 4), settings["num_hidden_layers"]
    rotated = settings.get("no_rope_layers")
    if rotated is None:
        rotated = [(index + 1) % every for index in range(count)]
    return tuple(index for index in range(count) if not rotated[index])


def _rope_parameters(config: DecoderConfig, kind: Kind) -> dict[str, Any]:
    parameters: dict[str, Any] = {"rope_theta": config.rotary_theta, "rope_type": "default"}
    if "partial_rotary_factor" in kind.keys:
        parameters["partial_rotary_factor"] = config.rotary_share
    scaling = config.rotary_scaling
    if scaling is None:
        return parameters
    numbers = asdict(scaling)
    if numbers.pop("long_positions", None):
        numbers["original_max_position_embeddings"] = config.max_positions
    return parameters | {"rope_type": scaling.rope_type, **numbers}


def _rotary(settings: Settings, kind: Kind) -> tuple[float, Scaling | None, Any]:
    """Theta, scaling and the share of a head, from rope_parameters or what stood in its place
    before version 5."""
    parameters = _rope_settings(settings, "rope_parameters")
    # A scaling that is switched on by hand has the older key, which goes before the newer one.
    if scaling_of_old := _rope_settings(settings, "rope_scaling"):
        kind_of_old = scaling_of_old.get("rope_type", scaling_of_old.get("type", "default"))
        parameters = parameters | scaling_of_old | {"rope_type": kind_of_old}
    theta = parameters.get("rope_theta")
    theta = settings.get("rope_theta", 10000.0) if theta is None else theta
    share = parameters.get("partial_rotary_factor", settings.get("partial_rotary_factor", 1.0))
    if share != 1.0 and "partial_rotary_factor" not in kind.keys:
        raise UnsupportedError(
            f"partial_rotary_factor must be 1 for this model; config.json says {share}."
        )
    rope = parameters.get("rope_type", parameters.get("type", "default"))
    if "longrope" in kind.ropes and rope in ("su", "yarn"):
        rope = "longrope"  # its names of old
    if rope not in kind.ropes:
        raise UnsupportedError(
            f"rope_type must be {', '.join(kind.ropes[:-1])} or {kind.ropes[-1]}; config.json says"
            f" {rope!r}. Load the model with transformers and give it to regard.trace."
        )
    scaling: Scaling | None = None
    if rope in ("llama3", "yarn"):
        parameters = _with_first_length(settings, parameters)
    if rope == "linear":
        scaling = LinearScaling(_need(parameters, "factor"))
    elif rope == "dynamic":
        scaling = DynamicScaling(_need(parameters, "factor"))
    elif rope == "llama3":
        keys = ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings")
        scaling = Llama3Scaling(*(_need(parameters, key) for key in keys))
    elif rope == "yarn":
        scaling = _yarn(parameters)
    elif rope == "longrope":
        scaling = _long(settings, parameters)
    return theta, scaling, share


def _rope_settings(settings: Settings, key: str) -> dict[str, Any]:
    parameters = settings.get(key) or {}
    if not isinstance(parameters, dict):
        raise DamagedFileError(
            f"the rotary settings of config.json must be a JSON object; they are {parameters!r}."
        )
    return parameters


def _with_first_length(settings: Settings, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the rotary settings with the length of the first texts, which may stand beside them or
    be that of all texts; and with the factor, which may follow from the two."""
    longest = settings["max_position_embeddings"]
    first = settings.get("original_max_position_embeddings")
    first = parameters.get("original_max_position_embeddings", longest) if first is None else first
    if parameters.get("factor") is None and first is not None and is_a(first, float) and first > 0:
        parameters = parameters | {"factor": longest / first}
    return parameters | {"original_max_position_embeddings": first}


def _long(settings: Settings, parameters: dict[str, Any]) -> LongScaling:
    first = settings["original_max_position_embeddings"]
    longest = settings["max_position_embeddings"]
    factor, grown = parameters.get("factor"), parameters.get("attention_factor")
    if factor is None:
        factor = longest / first
    if grown is None:
        grown = math.sqrt(1 + math.log(factor) / math.log(first)) if factor > 1 else 1.0
    short, long = (tuple(_need(parameters, key)) for key in ("short_factor", "long_factor"))
    return LongScaling(short, long, grown, long_positions=longest)


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
    value = parameters[key]
    is_number = is_a(value, float) and 0 < value < math.inf
    if not is_number and not isinstance(value, list):  # a factor for each frequency
        raise DamagedFileError(
            f"{key} of config.json's rotary settings must be a number above 0; it is {value!r}."
        )
    return value


def _window(settings: Settings, kind: Kind) -> tuple[int | None, tuple[int, ...]]:
    """Tokens that a token attends to, and the layers without this limit."""
    layers, window = settings["num_hidden_layers"], settings.get("sliding_window")
    if kind.windows == "all":
        uses = settings["use_sliding_window"] if "use_sliding_window" in kind.defaults else True
        return (window if uses else None), ()
    if kind.windows == "types":
        full = full_layers(settings, layers)
        if window is None and len(full) < layers:
            raise UnsupportedError(
                "sliding_window must be a number where layer_types has sliding_attention;"
                " config.json says null."
            )
        return (None, ()) if len(full) == layers else (window, full)
    if not settings.get("use_sliding_window", False) or window is None:
        window = None
    if kind.windows == "none":
        kinds = settings.get("layer_types") or ()
        if "no_rope_layers" in kind.keys and (window or "sliding_attention" in kinds):
            raise UnsupportedError(
                "use_sliding_window must be false for this model; config.json says"
                f" {settings.get('use_sliding_window')}, and layer_types {kinds}."
            )
        return None, ()
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
    return (window, tuple(range(first))) if window and first < layers else (None, ())


def full_layers(settings: Settings, layers: int) -> tuple[int, ...]:
    """Numbers of the layers that have no window, by layer_types."""
    kinds = settings["layer_types"]
    if len(kinds) != layers or not {*kinds} <= {"full_attention", "sliding_attention"}:
        raise UnsupportedError(
            f"layer_types must be full_attention or sliding_attention for each of {layers} layers;"
            f" config.json says {kinds}."
        )
    return tuple(index for index, kind in enumerate(kinds) if kind == "full_attention")


def layer_types(config: DecoderConfig | EncoderConfig) -> list[str]:
    """Names of the kinds of layers, as `full_layers` reads them."""
    return [
        "full_attention" if window is None else "sliding_attention" for window in config.windows
    ]


FAMILY = Family(
    config=DecoderConfig,
    classes={
        "llama": "Llama",
        "mistral": "Mistral",
        "qwen2": "Qwen2",
        "qwen3": "Qwen3",
        "olmo2": "Olmo2",
        "smollm3": "SmolLM3",
    },
    heads={"ForCausalLM": "language_model", **READER_HEADS},
    keys=KEYS,
    defaults={name: kind.defaults for name, kind in KINDS.items()},
    fixed={"positions": "rotary", "gated": True, "score": "scaled_dot"},
    read=read,
    write=write,
    type_of=_model_type,
    head=HEAD,
    place=_place,
    aliases=aliases,
    base=BASE,
    ignored=("*.rotary_emb.inv_freq",),  # computed, not stored
)
