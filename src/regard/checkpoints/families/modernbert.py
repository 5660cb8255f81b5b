"""The encoder's names and settings in Hugging Face's ModernBERT layout: rotary positions, windows
in most layers, gated feed-forward networks and joined projections.
"""

from typing import Any

from regard.checkpoints.families.llama import full_layers, layer_types
from regard.checkpoints.family import Family, Key, Place, Settings, refuse_settings, rename, tied
from regard.checkpoints.heads import TEXT_HEADS
from regard.models.configs.encoder import EncoderConfig

# Replaced in this order, inside every name of our state dict but the head's.
BODY = (
    ("embed.tokens", "embeddings.tok_embeddings"),
    ("embed.norm", "embeddings.norm"),
    ("encoder.norm", "final_norm"),
    ("encoder.layers.", "layers."),
    ("self_attention_norm", "attn_norm"),
    ("feed_forward_norm", "mlp_norm"),
    ("self_attention.output", "attn.Wo"),
    ("feed_forward.outer", "mlp.Wo"),
)
# Weights that theirs joins, in this order.
JOINED = {
    "self_attention": ("attn.Wqkv", ("query", "key", "value")),
    "feed_forward": ("mlp.Wi", ("gate", "inner")),
}
# By the config's head.
HEAD = {
    "masked_lm": (("head.bias", "decoder.bias"),),
    **dict.fromkeys(
        ("classification", "token_classification", "question_answering"),
        (("head.output", "classifier"),),
    ),
}
KEYS = {
    "vocab_size": Key("vocab_size"),
    "hidden_size": Key("d_model"),
    "num_hidden_layers": Key("num_layers"),
    "num_attention_heads": Key("num_heads"),
    "intermediate_size": Key("d_ff"),
    "hidden_activation": Key("activation", "gelu"),
    "norm_eps": Key("norm_eps", 1e-5),
    "norm_bias": Key(
        "norm_kind",
        False,
        lambda biased: "layer" if biased else "layer_without_bias",
        lambda kind: kind == "layer",
    ),
    "max_position_embeddings": Key("max_positions"),
    "attention_bias": Key("attention_bias", False),
    "mlp_bias": Key("feed_forward_bias", False),
    "classifier_activation": Key("pooler_activation", "gelu"),
    "classifier_bias": Key("head_bias", False),
    "classifier_dropout": Key("head_dropout", 0.0, write=lambda share: share or 0.0),
    "classifier_pooling": Key(
        "pooling", "cls", {"cls": "first", "mean": "mean"}.get, {"first": "cls", "mean": "mean"}.get
    ),
    "pad_token_id": Key("pad_id", 50283),
}
THETAS = {"full_attention": 160000.0, "sliding_attention": 10000.0}
_OLD = {"full_attention": "global_rope_theta", "sliding_attention": "local_rope_theta"}


def read(settings: Settings, fields: dict[str, Any]) -> dict[str, Any]:
    """Return which layers have a window, and the positions of both kinds."""
    layers, reach = settings["num_hidden_layers"], settings.get("local_attention", 128) // 2
    if settings.get("layer_types") is None:
        every = settings.get("global_attn_every_n_layers", 3)
        kinds = ["sliding_attention" if index % every else "full_attention"
                 for index in range(layers)]  # fmt: skip
        settings = settings | {"layer_types": kinds}
    full = full_layers(settings, layers)
    local, far = (_theta(settings, kind) for kind in ("sliding_attention", "full_attention"))
    values = {"rotary_theta": far, "dropout": 0.0}  # dropout is not theirs: it is inside mlp
    if len(full) == layers:
        return values
    theta = None if local == far else local
    return values | {"window": reach + 1, "unwindowed": full, "window_theta": theta}


def _theta(settings: Settings, kind: str) -> float:
    ropes: dict[str, Any] = settings.get("rope_parameters") or {}
    rope: dict[str, Any] = dict(ropes.get(kind) or {}) | (settings.get("rope_scaling") or {})
    said = settings | {"rope_type": rope.get("rope_type", rope.get("type", "default"))}
    refuse_settings(said, {"rope_type": "default"})
    theta: Any = rope.get("rope_theta", settings.get(_OLD[kind], THETAS[kind]))
    return theta


def write(config: EncoderConfig) -> Settings:
    """Return the keys that are said differently."""
    far, local = config.rotary_theta, config.window_theta or config.rotary_theta
    thetas = {"full_attention": far, "sliding_attention": local}
    return {
        "layer_types": layer_types(config),
        "local_attention": 128 if config.window is None else 2 * (config.window - 1),
        "rope_parameters": {
            kind: {"rope_type": "default", "rope_theta": theta} for kind, theta in thetas.items()
        },
        # As version 4 has them.
        **{_OLD[kind]: theta for kind, theta in thetas.items()},
    }


def _place(name: str, config: EncoderConfig) -> str | Place:
    path, _, ending = name.rpartition(".")
    for part, (theirs, pieces) in JOINED.items():
        layer, _, piece = path.rpartition(".")
        if piece in pieces and layer.endswith(part):
            joined = rename(layer, (*BODY, (part, theirs)))
            return Place(
                f"{FAMILY.base}{joined}.{ending}", part=pieces.index(piece), parts=len(pieces)
            )
    return FAMILY.base + rename(name, BODY)


FAMILY = Family(
    config=EncoderConfig,
    classes={"modernbert": "ModernBert"},
    heads=TEXT_HEADS | {"Model": "none"},
    keys=KEYS,
    fixed={
        "norm_first": True,
        "gated": True,
        "positions": "rotary",
        "embedding_norm": True,
        "causal": False,
        "head_norm": True,
        "embedding_width": None,
        "token_types": None,
        "position_offset": 0,
        "count_padding": True,
    },
    refused={"decoder_bias": True, "tie_word_embeddings": True},
    read=read,
    write=write,
    type_of=lambda config: (
        "modernbert"
        if config.head != "pooler" and config.norm_kind in ("layer", "layer_without_bias")
        else None
    ),
    head=HEAD,
    place=_place,
    aliases=tied(masked_lm={"decoder.weight": "model.embeddings.tok_embeddings.weight"}),
    base="model.",
)
