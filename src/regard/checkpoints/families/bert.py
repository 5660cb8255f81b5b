"""The encoder's names and settings in Hugging Face's BERT layout."""

from typing import Any

from regard.checkpoints.family import Family, Key, Settings, tied
from regard.checkpoints.heads import ANSWERS, TEXT_HEADS
from regard.models.configs.encoder import EncoderConfig

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
# Of old files, of what has no effect on the head that is asked for, and of counted numbers.
IGNORED = ("pooler.dense.*", "cls.seq_relationship.*", "embeddings.position_ids")
KEYS = {
    "vocab_size": Key("vocab_size"),
    "hidden_size": Key("d_model"),
    "num_hidden_layers": Key("num_layers"),
    "num_attention_heads": Key("num_heads"),
    "intermediate_size": Key("d_ff"),
    "hidden_act": Key("activation", "gelu"),
    "hidden_dropout_prob": Key("dropout", 0.1),
    "classifier_dropout": Key("head_dropout", None),
    "layer_norm_eps": Key("norm_eps", 1e-12),
    "max_position_embeddings": Key("max_positions"),
    "type_vocab_size": Key("token_types", 2),
    "pad_token_id": Key("pad_id", 0),
}
WRITTEN = {"attention_probs_dropout_prob": 0.0, "tie_word_embeddings": True}
# Settings that all have, and the families that are made of this one.
PLAIN = {
    "gated": False,
    "feed_forward_bias": True,
    "attention_bias": True,
    "norm_kind": "layer",
    "norm_first": False,
    "positions": "learned",
    "window": None,
    "embedding_norm": True,
    "causal": False,
    "head_norm": False,
    "head_bias": True,
    "pooling": "first",
}
REFUSED = {
    "position_embedding_type": "absolute",
    "is_decoder": False,
    "add_cross_attention": False,
    "tie_word_embeddings": True,
}


def read(settings: Settings, fields: dict[str, Any]) -> dict[str, Any]:
    """Return that nothing is dropped before the projection of an answer, as in transformers."""
    return {"head_dropout": 0.0} if fields["head"] == ANSWERS else {}


FAMILY = Family(
    config=EncoderConfig,
    classes={"bert": "Bert"},
    # Of the two heads of pre-training, that of next sentences is left out.
    heads=TEXT_HEADS | {"ForPreTraining": "masked_lm"},
    keys=KEYS,
    fixed=PLAIN | {"position_offset": 0, "pooler_activation": "tanh", "embedding_width": None},
    written=WRITTEN,
    refused=REFUSED,
    read=read,
    type_of=lambda config: None if config.token_types is None else "bert",
    body=BODY,
    head=HEAD,
    aliases=tied(
        masked_lm={
            "cls.predictions.decoder.weight": "bert.embeddings.word_embeddings.weight",
            "cls.predictions.decoder.bias": "cls.predictions.bias",
        }
    ),
    base="bert.",
    renamed=((".gamma", ".weight"), (".beta", ".bias")),
    ignored=IGNORED,
)
