"""The encoder's names and settings in Hugging Face's BERT layout."""

from functools import partial
from typing import Any

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
    ("embed.token_types", "embeddings.token_type_embeddings"),
    ("embed.norm", "embeddings.LayerNorm"),
    ("encoder.layers.", "encoder.layer."),
    (".self_attention.output", ".attention.output.dense"),
    (".self_attention.", ".attention.self."),
    (".self_attention_norm", ".attention.output.LayerNorm"),
    (".feed_forward.inner", ".intermediate.dense"),
    (".feed_forward.outer", ".output.dense"),
    (".feed_forward_norm", ".output.LayerNorm"),
)
# By the config's head.
HEAD = {
    "pooler": (("head.", "bert.pooler."),),
    "masked_lm": (
        ("head.dense", "cls.predictions.transform.dense"),
        ("head.norm", "cls.predictions.transform.LayerNorm"),
        ("head.bias", "cls.predictions.bias"),
    ),
    "classification": (("head.pooler.", "bert.pooler."), ("head.output", "classifier")),
}
# Of the two heads of pre-training, that of next sentences is left out.
HEADS = TEXT_HEADS | {"ForPreTraining": "masked_lm"}
# Of old files, of what has no effect on the head that is asked for, and of counted numbers.
IGNORED = ("pooler.dense.*", "cls.seq_relationship.*", "embeddings.position_ids")
REFUSED = {
    "position_embedding_type": "absolute",
    "is_decoder": False,
    "add_cross_attention": False,
    "tie_word_embeddings": True,
}


def aliases(model: Encoder) -> dict[str, str]:
    """The masked-word head's names for the token table and for its own bias."""
    if model.config.head != "masked_lm":
        return {}
    return {
        "cls.predictions.decoder.weight": "bert.embeddings.word_embeddings.weight",
        "cls.predictions.decoder.bias": "cls.predictions.bias",
    }


def to_config(config: EncoderConfig) -> Settings:
    """config.json for a model of this configuration."""
    head = head_settings(config.head, "Bert", HEADS)
    return {"model_type": "bert"} | head | body_settings(config)


def from_config(settings: Settings) -> EncoderConfig:
    """The configuration that config.json describes."""
    refuse_settings(settings, REFUSED)
    head = read_head(settings, "Bert", HEADS)
    return EncoderConfig(
        max_positions=settings["max_position_embeddings"],
        pad_id=settings.get("pad_token_id", 0),
        **read_body(settings, head),
    )


def fits(config: EncoderConfig) -> bool:
    """Whether BERT computes the same function."""
    return (
        config.token_types is not None
        and config.position_offset == 0
        and config.pooler_activation == "tanh"
    )


def body_settings(config: EncoderConfig) -> Settings:
    """What BERT and RoBERTa say alike."""
    return {
        "vocab_size": config.vocab_size,
        "hidden_size": config.d_model,
        "num_hidden_layers": config.num_layers,
        "num_attention_heads": config.num_heads,
        "intermediate_size": config.d_ff,
        "hidden_act": config.activation,
        "hidden_dropout_prob": config.dropout,
        "attention_probs_dropout_prob": 0.0,
        "classifier_dropout": config.head_dropout,
        "layer_norm_eps": config.norm_eps,
        "max_position_embeddings": config.max_positions + config.position_offset,
        "type_vocab_size": config.token_types,
        "pad_token_id": config.pad_id,
        "tie_word_embeddings": True,
        **label_settings(config.labels),
    }


def read_body(settings: Settings, head: str) -> dict[str, Any]:
    """The fields that BERT and RoBERTa say alike."""
    return dict(
        vocab_size=settings["vocab_size"],
        d_model=settings["hidden_size"],
        num_layers=settings["num_hidden_layers"],
        num_heads=settings["num_attention_heads"],
        d_ff=settings["intermediate_size"],
        dropout=settings.get("hidden_dropout_prob", 0.1),
        activation=settings.get("hidden_act", "gelu"),
        norm_eps=settings.get("layer_norm_eps", 1e-12),
        token_types=settings.get("type_vocab_size", 2),
        head=head,
        labels=read_labels(settings, head),
        # transformers drops nothing before the projection of a question's answer.
        head_dropout=(0.0 if head == "question_answering" else settings.get("classifier_dropout")),
    )


FAMILY = Family(
    model=Encoder,
    from_config=from_config,
    to_config=to_config,
    fits=fits,
    names=partial(encoder_names, base="bert", body=BODY, head=HEAD),
    aliases=aliases,
    base="bert.",
    renamed=((".gamma", ".weight"), (".beta", ".bias")),
    ignored=IGNORED,
)
