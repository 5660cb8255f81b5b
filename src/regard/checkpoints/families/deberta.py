"""The encoder's names and settings in Hugging Face's DeBERTa-v2 layout, which v3 has too: BERT's
names around an attention whose scores are the sum of three products.

Of the files of pre-training, the head that finds replaced tokens is left out.
"""

from dataclasses import replace
from typing import Any

from regard.checkpoints.families import bert
from regard.checkpoints.family import Key, Settings, refuse_settings, tied
from regard.checkpoints.heads import TEXT_HEADS

# Theirs where a file lacks the key. Those of another value here must say so.
DEFAULTS: Settings = {
    "relative_attention": False,
    "position_biased_input": True,
    "share_att_key": False,
    "pos_att_type": None,
    "norm_rel_ebd": "none",
    "position_buckets": -1,
}
REFUSED: Settings = {
    "relative_attention": True,
    "position_biased_input": False,
    "share_att_key": True,
    "norm_rel_ebd": "layer_norm",
    "conv_kernel_size": 0,
    "pooler_dropout": 0,
    "tie_word_embeddings": True,
}
# Other names of the head of words, in files of later models.
_LATER = {
    f"lm_predictions.lm_head.{later}": f"cls.predictions.{name}"
    for later, name in (
        ("dense.weight", "transform.dense.weight"),
        ("dense.bias", "transform.dense.bias"),
        ("LayerNorm.weight", "transform.LayerNorm.weight"),
        ("LayerNorm.bias", "transform.LayerNorm.bias"),
        ("bias", "bias"),
    )
}


def read(settings: Settings, fields: dict[str, Any]) -> dict[str, Any]:
    """Return the reach of the distances, and refuse what the scores cannot be made of here."""
    width, settings = fields["d_model"], DEFAULTS | settings
    kinds = settings["pos_att_type"] or []
    kinds = kinds.lower().split("|") if isinstance(kinds, str) else kinds
    settings["pos_att_type"] = "|".join(sorted(kind.strip() for kind in kinds))
    sizes = {"embedding_size": width, "pooler_hidden_size": width}
    sizes["attention_head_size"] = width // fields["num_heads"]
    refuse_settings(settings, REFUSED | sizes | {"pos_att_type": "c2p|p2c"})
    reach = settings.get("max_relative_positions", -1)
    return {
        **bert.read(settings, fields),
        **({"head_dropout": None} if fields["head"] == "token_classification" else {}),
        "longest_distance": reach if reach > 0 else fields["max_positions"],
    }


FAMILY = replace(
    bert.FAMILY,
    classes={"deberta-v2": "DebertaV2"},
    heads=TEXT_HEADS | {"Model": "none"},
    keys={key: entry for key, entry in bert.KEYS.items() if key != "classifier_dropout"}
    | {
        "layer_norm_eps": Key("norm_eps", 1e-7),
        "type_vocab_size": Key("token_types", 0, lambda n: n or None, lambda n: n or 0),
        "position_buckets": Key("distance_buckets", -1),
        "cls_dropout": Key("head_dropout", None),
        "pooler_hidden_act": Key("pooler_activation", "gelu"),
    },
    fixed=bert.PLAIN
    | {"positions": "distances", "position_offset": 0, "embedding_width": None}
    | {"count_padding": True},
    written=bert.WRITTEN | REFUSED | {"pos_att_type": ["p2c", "c2p"]},
    refused={},
    read=read,
    write=lambda config: {"max_relative_positions": config.longest_distance},
    type_of=lambda config: None if config.head == "pooler" else "deberta-v2",
    body=(
        ("encoder.distances.table", "encoder.rel_embeddings"),
        ("encoder.distances.norm", "encoder.LayerNorm"),
        (".self_attention.query", ".attention.self.query_proj"),
        (".self_attention.key", ".attention.self.key_proj"),
        (".self_attention.value", ".attention.self.value_proj"),
        *bert.BODY,
    ),
    head={
        "masked_lm": bert.HEAD["masked_lm"],
        "classification": (("head.pooler.", "pooler."), ("head.output", "classifier")),
    },
    aliases=tied(
        masked_lm=_LATER
        | {
            "cls.predictions.decoder.weight": "deberta.embeddings.word_embeddings.weight",
            "cls.predictions.decoder.bias": "cls.predictions.bias",
        }
    ),
    base="deberta.",
    ignored=(
        *("embeddings.position_embeddings.*", "embeddings.position_ids"),
        *("cls.predictions.*", "lm_predictions.*", "mask_predictions.*"),
    ),
)
