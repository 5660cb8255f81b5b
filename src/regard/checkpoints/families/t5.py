"""The encoder–decoder's names and settings in Hugging Face's T5 layout (Raffel et al. 2020).

The original T5 has one table for both embeddings and the output, before which states are scaled.
T5 1.1, and Flan after it, gate the feed-forward networks, have an output table of their own and
scale nothing. mT5 is T5 1.1 with a vocabulary of many languages, and is saved as T5.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from regard.checkpoints.family import Family, Key, Settings, refuse_settings, rename
from regard.checkpoints.heads import check_writes
from regard.models.configs.encoder_decoder import EncoderDecoderConfig

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
KEYS = {
    "vocab_size": Key("vocab_size"),
    "d_model": Key("d_model"),
    "d_kv": Key("head_dim"),
    "d_ff": Key("d_ff"),
    "num_layers": Key("encoder_layers"),
    "num_decoder_layers": Key("decoder_layers", None),
    "num_heads": Key("encoder_heads"),
    "relative_attention_num_buckets": Key("relative_buckets", 32),
    "relative_attention_max_distance": Key("relative_distance", 128),
    "n_positions": Key("max_positions", 512),
    "dropout_rate": Key("dropout", 0.1),
    "layer_norm_epsilon": Key("norm_eps", 1e-6),
    "tie_word_embeddings": Key("tied_output", True),
    "scale_decoder_outputs": Key("scale_output", None),
    "pad_token_id": Key("pad_id", 0),
    "eos_token_id": Key("eos_id", 1),
    "decoder_start_token_id": Key("start_id", None),
}


def aliases(config: EncoderDecoderConfig) -> dict[str, str]:
    """Names that transformers gives the one table beside the one we write."""
    tables = ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight")
    tied = (OUTPUT,) if config.tied_output else ()
    return dict.fromkeys((*tables, *tied), SHARED)


def read(settings: Settings, fields: dict[str, Any]) -> dict[str, Any]:
    """Return the activation, and what follows from other fields; `complete` adds what the weights
    say."""
    check_writes(settings)
    tied: bool = fields["tied_output"]
    multilingual = (
        settings["model_type"] == "mt5"
    )  # which scales nothing, whatever its config.json says
    scaled: bool = not multilingual and settings.get("scale_decoder_outputs", tied)
    activation, gated = _activation(
        settings.get("feed_forward_proj", "gated-gelu" if multilingual else "relu")
    )
    # transformers writes what follows from the projection beside it, and believes it first.
    refuse_settings(settings, {"dense_act_fn": activation, "is_gated_act": gated})
    layers, start = fields["decoder_layers"], fields["start_id"]
    return dict(
        decoder_layers=fields["encoder_layers"] if layers is None else layers,
        decoder_heads=fields["encoder_heads"],
        activation=activation,
        gated=gated,
        scale_output=scaled,
        tied_output=scaled or tied,
        start_id=fields["pad_id"] if start is None else start,
    )


def write(config: EncoderDecoderConfig) -> Settings:
    """Return the keys whose value follows from several fields."""
    return {
        "d_kv": config.head_dim or config.d_model // config.encoder_heads,
        "feed_forward_proj": _PROJECTIONS[config.activation, config.gated],
    }


def complete(config: EncoderDecoderConfig, weights: Collection[str]) -> EncoderDecoderConfig:
    """Settle if the output has a table of its own, about which config.json cannot be trusted:
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


def _type_of(config: EncoderDecoderConfig) -> str | None:
    fits = (
        config.head == "language_model"
        and config.encoder_heads == config.decoder_heads
        and (config.tied_output or not config.scale_output)
        and (config.activation, config.gated) in _PROJECTIONS
    )
    return "t5" if fits else None


def _place(name: str, config: EncoderDecoderConfig) -> str:
    if name.endswith("embed.tokens.weight"):
        return SHARED
    last = ENCODER_LAST if name.startswith("encoder.") else DECODER_LAST
    return rename(name, RENAMES + last + (GATED if config.gated else PLAIN))


FAMILY = Family(
    config=EncoderDecoderConfig,
    classes={"t5": "T5ForConditionalGeneration", "mt5": "MT5ForConditionalGeneration"},
    keys=KEYS,
    fixed={
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
        "count_padding": True,
    },
    written={"is_encoder_decoder": True},
    read=read,
    write=write,
    type_of=_type_of,
    head={"language_model": (("output.weight", OUTPUT),)},
    place=_place,
    aliases=aliases,
    complete=complete,
    # In files of long ago: a table that no version reads.
    ignored=("decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight",),
)
