"""The encoder's names and settings in Hugging Face's DistilBERT layout.

DistilBERT has no token types and no pooler.
"""

from functools import partial

from regard.checkpoints.families.heads import (
    TEXT_HEADS,
    encoder_names,
    head_settings,
    label_settings,
    read_head,
    read_labels,
)
from regard.checkpoints.family import Family, Settings, refuse_settings
from regard.models import Encoder, EncoderConfig

# Replaced in this order, inside every name of our state dict but the head's.
BODY = (
    ("embed.tokens", "embeddings.word_embeddings"),
    ("embed.positions", "embeddings.position_embeddings"),
    ("embed.norm", "embeddings.LayerNorm"),
    ("encoder.layers.", "transformer.layer."),
    (".self_attention.query", ".attention.q_lin"),
    (".self_attention.key", ".attention.k_lin"),
    (".self_attention.value", ".attention.v_lin"),
    (".self_attention.output", ".attention.out_lin"),
    (".self_attention_norm", ".sa_layer_norm"),
    (".feed_forward.inner", ".ffn.lin1"),
    (".feed_forward.outer", ".ffn.lin2"),
    (".feed_forward_norm", ".output_layer_norm"),
)
# By the config's head.
HEAD = {
    "masked_lm": (
        ("head.dense", "vocab_transform"),
        ("head.norm", "vocab_layer_norm"),
        ("head.bias", "vocab_projector.bias"),
    ),
    "classification": (("head.pooler.dense", "pre_classifier"), ("head.output", "classifier")),
}
HEADS = TEXT_HEADS | {"Model": "none"}
# The setting that holds the head's dropout, and its value when config.json has none.
HEAD_DROPOUT = {
    "classification": ("seq_classif_dropout", 0.2),
    "question_answering": ("qa_dropout", 0.1),
}
NORM_EPS = 1e-12  # config.json does not say it


def aliases(model: Encoder) -> dict[str, str]:
    """The masked-word head's name for the token table."""
    if model.config.head != "masked_lm":
        return {}
    return {"vocab_projector.weight": "distilbert.embeddings.word_embeddings.weight"}


def to_config(config: EncoderConfig) -> Settings:
    """config.json for a model of this configuration."""
    settings = {
        "model_type": "distilbert",
        **head_settings(config.head, "DistilBert", HEADS),
        "vocab_size": config.vocab_size,
        "dim": config.d_model,
        "n_layers": config.num_layers,
        "n_heads": config.num_heads,
        "hidden_dim": config.d_ff,
        "activation": config.activation,
        "dropout": config.dropout,
        "attention_dropout": 0.0,
        "max_position_embeddings": config.max_positions,
        "pad_token_id": config.pad_id,
        "tie_word_embeddings": True,
        **label_settings(config.labels),
    }
    if config.head in HEAD_DROPOUT:
        dropout = config.dropout if config.head_dropout is None else config.head_dropout
        settings[HEAD_DROPOUT[config.head][0]] = dropout
    return settings


def from_config(settings: Settings) -> EncoderConfig:
    """The configuration that config.json describes."""
    refuse_settings(settings, {"tie_word_embeddings": True})
    head = read_head(settings, "DistilBert", HEADS)
    return EncoderConfig(
        vocab_size=settings["vocab_size"],
        d_model=settings["dim"],
        num_layers=settings["n_layers"],
        num_heads=settings["n_heads"],
        d_ff=settings["hidden_dim"],
        dropout=settings.get("dropout", 0.1),
        activation=settings.get("activation", "gelu"),
        norm_eps=NORM_EPS,
        max_positions=settings["max_position_embeddings"],
        token_types=None,
        head=head,
        labels=read_labels(settings, head),
        pooler_activation="relu",
        head_dropout=settings.get(*HEAD_DROPOUT[head]) if head in HEAD_DROPOUT else None,
        pad_id=settings.get("pad_token_id", 0),
    )


def fits(config: EncoderConfig) -> bool:
    """Whether DistilBERT computes the same function."""
    return (
        config.token_types is None
        and config.position_offset == 0
        and config.norm_eps == NORM_EPS
        and config.head != "pooler"
        and (config.head != "classification" or config.pooler_activation == "relu")
    )


FAMILY = Family(
    model=Encoder,
    from_config=from_config,
    to_config=to_config,
    fits=fits,
    names=partial(encoder_names, base="distilbert", body=BODY, head=HEAD),
    aliases=aliases,
    base="distilbert.",
    ignored=("embeddings.position_ids",),
)
