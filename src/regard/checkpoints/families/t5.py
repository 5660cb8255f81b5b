"""The encoder–decoder's names and settings in Hugging Face's T5 layout (Raffel et al. 2020).

The original T5 has one table for both embeddings and the output, before which states are scaled.
T5 1.1, and Flan after it, gate the feed-forward networks, have an output table of their own and
scale nothing.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from regard.checkpoints.families.heads import check_writes
from regard.checkpoints.family import Family, Settings, rename
from regard.models import EncoderDecoder, EncoderDecoderConfig

# Replaced in this order, inside every name of our state dict; a layer of theirs numbers its
# sub-layers, and the feed-forward network is the last.
RENAMES = (
    (".relative_bias.table", ".block.0.layer.0.SelfAttention.relative_attention_bias"),
    ("coder.norm", "coder.final_layer_norm"),
    (".layers.", ".block."),
    (".self_attention.", ".layer.0.SelfAttention."),
    (".self_attention_norm", ".layer.0.layer_norm"),
    (".cross_attention.", ".layer.1.EncDecAttention."),
    (".cross_attention_norm", ".layer.1.layer_norm"),
    ("Attention.query", "Attention.q"),
    ("Attention.key", "Attention.k"),
    ("Attention.value", "Attention.v"),
    ("Attention.output", "Attention.o"),
)
ENCODER_LAST = (
    (".feed_forward_norm", ".layer.1.layer_norm"),
    (".feed_forward.", ".layer.1.DenseReluDense."),
)
DECODER_LAST = (
    (".feed_forward_norm", ".layer.2.layer_norm"),
    (".feed_forward.", ".layer.2.DenseReluDense."),
)
PLAIN = (("Dense.inner", "Dense.wi"), ("Dense.outer", "Dense.wo"))
GATED = (("Dense.gate", "Dense.wi_0"), ("Dense.inner", "Dense.wi_1"), ("Dense.outer", "Dense.wo"))
SHARED, OUTPUT = "shared.weight", "lm_head.weight"
# What every T5 has in common.
FIXED: dict[str, Any] = {
    "target_vocab_size": None,
    "norm": "pre",
    "norm_kind": "rms",
    "feed_forward_bias": False,
    "attention_bias": False,
    "score": "dot",
    "positions": "relative",
    "position_offset": 0,
    "scale_embedding": False,
    "embedding_norm": False,
    "logits_bias": False,
}


def names(model: EncoderDecoder) -> dict[str, str]:
    """Our name → theirs for every weight."""
    return {name: _their_name(name, model.config) for name in model.state_dict()}


def aliases(model: EncoderDecoder) -> dict[str, str]:
    """Names that transformers gives the one table beside the one we write."""
    tables = ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight")
    tied = (OUTPUT,) if model.config.tied_output else ()
    return dict.fromkeys((*tables, *tied), SHARED)


def to_config(config: EncoderDecoderConfig) -> Settings:
    """config.json for a model of this configuration."""
    return {
        "model_type": "t5",
        "architectures": ["T5ForConditionalGeneration"],
        "vocab_size": config.vocab_size,
        "d_model": config.d_model,
        "d_kv": config.head_dim or config.d_model // config.encoder_heads,
        "d_ff": config.d_ff,
        "num_layers": config.encoder_layers,
        "num_decoder_layers": config.decoder_layers,
        "num_heads": config.encoder_heads,
        "relative_attention_num_buckets": config.relative_buckets,
        "relative_attention_max_distance": config.relative_distance,
        "n_positions": config.max_positions,
        "dropout_rate": config.dropout,
        "layer_norm_epsilon": config.norm_eps,
        "feed_forward_proj": _PROJECTIONS[config.activation, config.gated],
        "tie_word_embeddings": config.tied_output,
        "scale_decoder_outputs": config.scale_output,
        "is_encoder_decoder": True,
        "pad_token_id": config.pad_id,
        "eos_token_id": config.eos_id,
        "decoder_start_token_id": config.start_id,
    }


def from_config(settings: Settings) -> EncoderDecoderConfig:
    """The configuration that config.json describes; `complete` adds what the weights say."""
    check_writes(settings)
    tied: bool = settings.get("tie_word_embeddings", True)
    scaled: bool = settings.get("scale_decoder_outputs", tied)
    activation, gated = _activation(settings.get("feed_forward_proj", "relu"))
    layers, heads = settings["num_layers"], settings["num_heads"]
    decoder_layers = settings.get("num_decoder_layers")
    pad, start = settings.get("pad_token_id", 0), settings.get("decoder_start_token_id")
    return EncoderDecoderConfig(
        vocab_size=settings["vocab_size"],
        d_model=settings["d_model"],
        encoder_layers=layers,
        decoder_layers=layers if decoder_layers is None else decoder_layers,
        encoder_heads=heads,
        decoder_heads=heads,
        head_dim=settings["d_kv"],
        d_ff=settings["d_ff"],
        dropout=settings.get("dropout_rate", 0.1),
        norm_eps=settings.get("layer_norm_epsilon", 1e-6),
        activation=activation,
        gated=gated,
        relative_buckets=settings.get("relative_attention_num_buckets", 32),
        relative_distance=settings.get("relative_attention_max_distance", 128),
        max_positions=settings.get("n_positions", 512),
        scale_output=scaled,
        tied_output=scaled or tied,
        pad_id=pad,
        eos_id=settings.get("eos_token_id", 1),
        start_id=pad if start is None else start,
        **FIXED,
    )


def complete(config: EncoderDecoderConfig, weights: Collection[str]) -> EncoderDecoderConfig:
    """Whether the output has a table of its own, about which config.json cannot be trusted:
    transformers before 5.2 always wrote tie_word_embeddings false, and since then always true."""
    return replace(config, tied_output=config.scale_output or OUTPUT not in weights)


# (activation, gated) → feed_forward_proj, in which "gelu" is exact alone and tanh's when gated.
_PROJECTIONS = {
    ("relu", False): "relu",
    ("gelu", False): "gelu",
    ("gelu_tanh", False): "gelu_new",
    ("gelu_new", False): "gelu_new",
    ("gelu_pytorch_tanh", False): "gelu_pytorch_tanh",
    ("silu", False): "silu",
    ("swish", False): "swish",
    ("relu", True): "gated-relu",
    ("gelu_tanh", True): "gated-gelu",
    ("gelu_new", True): "gated-gelu",
    ("gelu_pytorch_tanh", True): "gated-gelu_pytorch_tanh",
    ("silu", True): "gated-silu",
    ("swish", True): "gated-swish",
}


def _activation(projection: str) -> tuple[str, bool]:
    if projection == "gated-gelu":
        return "gelu_new", True
    return projection.removeprefix("gated-"), projection.startswith("gated-")


def _fits(config: EncoderDecoderConfig) -> bool:
    return (
        all(getattr(config, name) == value for name, value in FIXED.items())
        and config.head == "language_model"
        and config.encoder_heads == config.decoder_heads
        and (config.tied_output or not config.scale_output)
        and (config.activation, config.gated) in _PROJECTIONS
    )


def _their_name(name: str, config: EncoderDecoderConfig) -> str:
    if name == "output.weight":
        return OUTPUT
    if name.endswith("embed.tokens.weight"):
        return SHARED
    last = ENCODER_LAST if name.startswith("encoder.") else DECODER_LAST
    return rename(name, RENAMES + last + (GATED if config.gated else PLAIN))


FAMILY = Family(
    model=EncoderDecoder,
    from_config=from_config,
    to_config=to_config,
    fits=_fits,
    names=names,
    aliases=aliases,
    complete=complete,
    # In files of long ago: a table that no version reads.
    ignored=("decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight",),
)
