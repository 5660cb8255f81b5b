"""The encoder–decoder's names and settings in Hugging Face's Marian and Pegasus layouts.

The post-norm Transformer of the paper is Marian's architecture, the pre-norm one Pegasus's.
"""

from collections.abc import Collection
from dataclasses import replace
from types import ModuleType
from typing import Any

from regard.checkpoints.family import Family, Key, Place, Settings, rename
from regard.checkpoints.heads import check_writes
from regard.errors import UnsupportedError
from regard.models.configs.encoder_decoder import EncoderDecoderConfig
from regard.models.configs.tables import sinusoids

# Replaced in this order, inside every name of our state dict.
RENAMES = (
    (".embed.tokens", ".embed_tokens"),
    (".embed.positions", ".embed_positions"),
    (".embed.norm", ".layernorm_embedding"),  # BART's alone
    (".self_attention.", ".self_attn."),
    (".cross_attention.", ".encoder_attn."),
    ("_attn.query", "_attn.q_proj"),
    ("_attn.key", "_attn.k_proj"),
    ("_attn.value", "_attn.v_proj"),
    ("_attn.output", "_attn.out_proj"),
    (".self_attention_norm", ".self_attn_layer_norm"),
    (".cross_attention_norm", ".encoder_attn_layer_norm"),
    (".feed_forward_norm", ".final_layer_norm"),
    (".feed_forward.inner", ".fc1"),
    (".feed_forward.outer", ".fc2"),
    ("coder.norm", "coder.layer_norm"),
)
SHARED = "model.shared.weight"
LOGITS_BIAS = "final_logits_bias"
# What Marian, Pegasus, BART and mBART say alike; one d_ff for both sides, which must agree.
KEYS = {
    "vocab_size": Key("vocab_size"),
    "d_model": Key("d_model"),
    "encoder_layers": Key("encoder_layers"),
    "decoder_layers": Key("decoder_layers"),
    "encoder_attention_heads": Key("encoder_heads"),
    "decoder_attention_heads": Key("decoder_heads"),
    "decoder_ffn_dim": Key("d_ff"),
    "encoder_ffn_dim": Key("d_ff"),
    "dropout": Key("dropout"),
    "activation_function": Key("activation"),
    "max_position_embeddings": Key("max_positions"),
    "scale_embedding": Key("scale_embedding", False),
    "pad_token_id": Key("pad_id"),
    "eos_token_id": Key("eos_id"),
    "decoder_start_token_id": Key("start_id"),
}
# What these layouts have no key for, so that only the paper's own choice can be written.
FIXED = {
    "norm_kind": "layer",
    "norm_eps": 1e-5,
    "gated": False,
    "feed_forward_bias": True,
    "attention_bias": True,
    "head_dim": None,
    "score": "scaled_dot",
    "tied_output": True,
    "scale_output": False,
    "count_padding": True,
}
WRITTEN = {
    "attention_dropout": 0.0,
    "activation_dropout": 0.0,
    "tie_word_embeddings": True,
    "is_encoder_decoder": True,
    "bos_token_id": None,
    "forced_eos_token_id": None,
}


def aliases(config: EncoderDecoderConfig) -> dict[str, str]:
    """Names that transformers gives the tables beside those we write."""
    shared = config.target_vocab_size is None
    tables = {
        name: SHARED if shared else name
        for side in ("encoder", "decoder")
        for name in [f"model.{side}.embed_tokens.weight"]
    }
    if config.head != "language_model":
        return tables
    return tables | {"lm_head.weight": tables["model.decoder.embed_tokens.weight"]}


def constants(config: EncoderDecoderConfig, xp: ModuleType) -> dict[str, Any]:
    """Return the tables of sinusoids, which are computed, not stored."""
    if config.positions != "sinusoidal":
        return {}
    table = sinusoids(xp, config.max_positions, config.d_model)
    return {f"{side}.embed.positions.weight": table for side in ("encoder", "decoder")}


def check_sizes(settings: Settings) -> None:
    """Raise UnsupportedError unless the feed-forward networks of both sides are of one width."""
    if settings["encoder_ffn_dim"] != settings["decoder_ffn_dim"]:
        raise UnsupportedError(
            "encoder_ffn_dim and decoder_ffn_dim must be equal;"
            f" got {settings['encoder_ffn_dim']} and {settings['decoder_ffn_dim']}."
        )


def read(settings: Settings, fields: dict[str, Any]) -> dict[str, Any]:
    """Return the kind of model and of positions; `complete` adds what the weights say."""
    check_writes(settings)
    check_sizes(settings)
    family = settings["model_type"]
    shared = settings.get("share_encoder_decoder_embeddings", True)
    static = settings.get("static_position_embeddings", True) or family in ("marian", "pegasus")
    pre = settings.get("normalize_before", False) if family == "regard" else family == "pegasus"
    return dict(
        target_vocab_size=None if shared else settings["decoder_vocab_size"],
        norm="pre" if pre else "post",
        positions="sinusoidal" if static else "learned",
    )


def write(config: EncoderDecoderConfig) -> Settings:
    """Return the keys for the kind of model and of positions."""
    return {
        "decoder_vocab_size": config.decoder_vocab_size,
        "share_encoder_decoder_embeddings": config.target_vocab_size is None,
        "static_position_embeddings": config.positions == "sinusoidal",
        "normalize_before": config.norm_first,
    }


def complete(config: EncoderDecoderConfig, weights: Collection[str]) -> EncoderDecoderConfig:
    """Marian's and Pegasus's own files have a bias of the logits, models trained here do not."""
    return replace(config, logits_bias=LOGITS_BIAS in weights)


def _type_of(config: EncoderDecoderConfig) -> str | None:
    """Return the transformers family that computes the same function; "regard" if none does."""
    if config.positions in ("relative", "spread"):
        return None
    if config.positions == "sinusoidal" and not config.norm_first:
        return "marian"
    if config.positions == "sinusoidal" and config.target_vocab_size is None:
        return "pegasus"
    return "regard"


def place(name: str, config: EncoderDecoderConfig) -> str | Place | None:
    """Return the name of a weight in the files of Marian, Pegasus, BART and mBART."""
    if config.positions in ("sinusoidal", "spread") and name.endswith("embed.positions.weight"):
        return None
    if name == "logits_bias":
        return Place(LOGITS_BIAS, lead=1)
    if name.endswith("embed.tokens.weight") and config.target_vocab_size is None:
        return SHARED
    return f"model.{rename(name, RENAMES)}"


FAMILY = Family(
    config=EncoderDecoderConfig,
    classes={
        "marian": "MarianMTModel",
        "pegasus": "PegasusForConditionalGeneration",
        "regard": "EncoderDecoder",
    },
    keys=KEYS,
    fixed=FIXED | {"position_offset": 0, "embedding_norm": False, "head": "language_model"},
    written=WRITTEN,
    read=read,
    write=write,
    type_of=_type_of,
    place=place,
    aliases=aliases,
    constants=constants,
    complete=complete,
    ignored=("model.*coder.embed_positions.weight",),  # of sinusoids
)
