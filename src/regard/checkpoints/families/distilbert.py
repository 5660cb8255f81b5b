"""The encoder's names and settings in Hugging Face's DistilBERT layout.

DistilBERT has no token types and no pooler.
"""

from typing import Any

from regard.checkpoints.families import bert
from regard.checkpoints.family import Family, Key, Settings, tied
from regard.checkpoints.heads import ANSWERS, TEXT_HEADS
from regard.models.configs.encoder import EncoderConfig

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
KEYS = {
    "vocab_size": Key("vocab_size"),
    "dim": Key("d_model"),
    "n_layers": Key("num_layers"),
    "n_heads": Key("num_heads"),
    "hidden_dim": Key("d_ff"),
    "activation": Key("activation", "gelu"),
    "dropout": Key("dropout", 0.1),
    "max_position_embeddings": Key("max_positions"),
    "pad_token_id": Key("pad_id", 0),
}
# The setting that holds the head's dropout, and its value when config.json has none.
HEAD_DROPOUT = {
    "classification": ("seq_classif_dropout", 0.2),
    ANSWERS: ("qa_dropout", 0.1),
}


def read(settings: Settings, fields: dict[str, Any]) -> dict[str, Any]:
    """Return the dropout of the head, whose key depends on it."""
    head = fields["head"]
    dropout = settings.get(*HEAD_DROPOUT[head]) if head in HEAD_DROPOUT else None
    return {"pooler_activation": "relu", "head_dropout": dropout}


def write(config: EncoderConfig) -> Settings:
    """Return the key and the dropout of the head."""
    if config.head not in HEAD_DROPOUT:
        return {}
    dropout = config.dropout if config.head_dropout is None else config.head_dropout
    return {HEAD_DROPOUT[config.head][0]: dropout}


def type_of(config: EncoderConfig) -> str | None:
    """DistilBERT, if it computes the same function."""
    fits = config.head != "pooler" and (
        config.head != "classification" or config.pooler_activation == "relu"
    )
    return "distilbert" if fits else None


FAMILY = Family(
    config=EncoderConfig,
    classes={"distilbert": "DistilBert"},
    heads=TEXT_HEADS | {"Model": "none"},
    keys=KEYS,
    fixed=bert.PLAIN
    | {"token_types": None, "position_offset": 0, "norm_eps": 1e-12, "embedding_width": None},
    written={"attention_dropout": 0.0, "tie_word_embeddings": True},
    refused={"tie_word_embeddings": True},
    read=read,
    write=write,
    type_of=type_of,
    body=BODY,
    head=HEAD,
    aliases=tied(
        masked_lm={"vocab_projector.weight": "distilbert.embeddings.word_embeddings.weight"}
    ),
    base="distilbert.",
    ignored=("embeddings.position_ids",),
)
