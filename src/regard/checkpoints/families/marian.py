"""The encoder–decoder's names and settings in Hugging Face's Marian and Pegasus layouts.

The post-norm Transformer of the paper is Marian's architecture, the pre-norm one Pegasus's.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from torch import Tensor

from regard.checkpoints.families.heads import check_writes
from regard.checkpoints.family import Family, Place, rename
from regard.errors import UnsupportedError
from regard.models import EncoderDecoder, EncoderDecoderConfig
from regard.positions import sinusoidal

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


def names(model: EncoderDecoder) -> dict[str, str | Place]:
    """Our name → theirs for every weight that is written."""
    fixed = constant_names(model.config)
    ours = [name for name in model.state_dict() if name not in (*fixed, "logits_bias")]
    bias = {"logits_bias": Place(LOGITS_BIAS, lead=1)} if model.config.logits_bias else {}
    return {name: _their_name(name, model.config) for name in ours} | bias


def aliases(model: EncoderDecoder) -> dict[str, str]:
    """Names that transformers gives the tables beside those we write."""
    tables = {
        f"model.{side}.embed_tokens.weight": _their_name(
            f"{side}.embed.tokens.weight", model.config
        )
        for side in ("encoder", "decoder")
    }
    return tables | {"lm_head.weight": tables["model.decoder.embed_tokens.weight"]}


def constants(model: EncoderDecoder) -> dict[str, Tensor]:
    """The tables of sinusoids, which are computed, not stored."""
    config = model.config
    names = constant_names(config)
    if not names:
        return {}
    table = sinusoidal(config.max_positions, config.d_model, layout="halves")
    return dict.fromkeys(names, table)


def constant_names(config: EncoderDecoderConfig) -> tuple[str, ...]:
    """Which of our weights no file holds."""
    if config.positions != "sinusoidal":
        return ()
    return ("encoder.embed.positions.weight", "decoder.embed.positions.weight")


def to_config(config: EncoderDecoderConfig) -> dict[str, Any]:
    """config.json for a model of this configuration."""
    family = _family(config)
    return {
        "model_type": family,
        "architectures": [_ARCHITECTURES[family]],
        **shared_settings(config),
        "decoder_vocab_size": config.decoder_vocab_size,
        "share_encoder_decoder_embeddings": config.target_vocab_size is None,
        "static_position_embeddings": config.positions == "sinusoidal",
        "normalize_before": config.norm_first,
    }


def shared_settings(config: EncoderDecoderConfig) -> dict[str, Any]:
    """What Marian, Pegasus, BART and mBART say alike."""
    settings: dict[str, Any] = {
        "vocab_size": config.vocab_size,
        "d_model": config.d_model,
        "dropout": config.dropout,
        "attention_dropout": 0.0,
        "activation_dropout": 0.0,
        "activation_function": config.activation,
        "max_position_embeddings": config.max_positions,
        "scale_embedding": config.scale_embedding,
        "tie_word_embeddings": True,
        "is_encoder_decoder": True,
        "pad_token_id": config.pad_id,
        "bos_token_id": None,
        "eos_token_id": config.eos_id,
        "forced_eos_token_id": None,
        "decoder_start_token_id": config.start_id,
    }
    for side in ("encoder", "decoder"):
        settings[f"{side}_layers"] = getattr(config, f"{side}_layers")
        settings[f"{side}_attention_heads"] = getattr(config, f"{side}_heads")
        settings[f"{side}_ffn_dim"] = config.d_ff
    return settings


def read_sizes(settings: dict[str, Any]) -> dict[str, Any]:
    """The sizes, which these families say alike, as fields of our config."""
    if settings["encoder_ffn_dim"] != settings["decoder_ffn_dim"]:
        raise UnsupportedError(
            "encoder_ffn_dim and decoder_ffn_dim must be equal;"
            f" got {settings['encoder_ffn_dim']} and {settings['decoder_ffn_dim']}."
        )
    return dict(
        vocab_size=settings["vocab_size"],
        d_model=settings["d_model"],
        encoder_layers=settings["encoder_layers"],
        decoder_layers=settings["decoder_layers"],
        encoder_heads=settings["encoder_attention_heads"],
        decoder_heads=settings["decoder_attention_heads"],
        d_ff=settings["encoder_ffn_dim"],
        max_positions=settings["max_position_embeddings"],
    )


def from_config(settings: dict[str, Any]) -> EncoderDecoderConfig:
    """The configuration that config.json describes; `complete` adds what the weights say."""
    check_writes(settings)
    family = settings["model_type"]
    shared = settings.get("share_encoder_decoder_embeddings", True)
    static = settings.get("static_position_embeddings", True) or family in ("marian", "pegasus")
    pre = settings.get("normalize_before", False) if family == "regard" else family == "pegasus"
    return EncoderDecoderConfig(
        **read_sizes(settings),
        target_vocab_size=None if shared else settings["decoder_vocab_size"],
        dropout=settings["dropout"],
        norm="pre" if pre else "post",
        activation=settings["activation_function"],
        scale_embedding=settings.get("scale_embedding", False),
        positions="sinusoidal" if static else "learned",
        pad_id=settings["pad_token_id"],
        eos_id=settings["eos_token_id"],
        start_id=settings["decoder_start_token_id"],
    )


def complete(config: EncoderDecoderConfig, weights: Collection[str]) -> EncoderDecoderConfig:
    """Marian's and Pegasus's own files have a bias of the logits, models trained here do not."""
    return replace(config, logits_bias=LOGITS_BIAS in weights)


_ARCHITECTURES = {
    "marian": "MarianMTModel",
    "pegasus": "PegasusForConditionalGeneration",
    "regard": "EncoderDecoder",
}


def _family(config: EncoderDecoderConfig) -> str:
    """The transformers family that computes the same function; "regard" if none does."""
    if config.positions == "sinusoidal" and not config.norm_first:
        return "marian"
    if config.positions == "sinusoidal" and config.target_vocab_size is None:
        return "pegasus"
    return "regard"


def _their_name(name: str, config: EncoderDecoderConfig) -> str:
    if name.endswith("embed.tokens.weight") and config.target_vocab_size is None:
        return SHARED
    return f"model.{rename(name, RENAMES)}"


# What these layouts have no key for, so that only the paper's own choice can be written.
_UNWRITTEN = (
    *("norm_kind", "norm_eps", "gated", "feed_forward_bias", "attention_bias", "head_dim", "score"),
    *(
        "position_offset",
        "embedding_norm",
        "tied_output",
        "scale_output",
        "head",
    ),
)


def _fits(config: EncoderDecoderConfig) -> bool:
    usual = EncoderDecoderConfig(vocab_size=config.vocab_size)
    same = all(getattr(config, name) == getattr(usual, name) for name in _UNWRITTEN)
    return same and config.positions in ("sinusoidal", "learned")


FAMILY = Family(
    model=EncoderDecoder,
    from_config=from_config,
    to_config=to_config,
    fits=_fits,
    names=names,
    aliases=aliases,
    constants=constants,
    complete=complete,
    ignored=("model.*coder.embed_positions.weight",),  # of sinusoids
)
