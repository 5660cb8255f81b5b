"""The encoder's names and settings in Hugging Face's ELECTRA layout: BERT's, with tables of another
width than the states, and without a pooler.

Of the discriminator's files the body is read: the head that finds replaced tokens is left out.
"""

from dataclasses import replace
from typing import Any

from regard.checkpoints.families import bert, roberta
from regard.checkpoints.family import Key, Settings, refuse_settings, tied
from regard.checkpoints.heads import TEXT_HEADS
from regard.models.configs.encoder import EncoderConfig

# By the config's head.
HEAD = {
    "masked_lm": (
        ("head.dense", "generator_predictions.dense"),
        ("head.norm", "generator_predictions.LayerNorm"),
        ("head.bias", "generator_lm_head.bias"),
    ),
    "classification": roberta.HEAD["classification"],
}


def read(settings: Settings, fields: dict[str, Any]) -> dict[str, Any]:
    """Tables that are as wide as the states are not projected."""
    if fields["head"] == "masked_lm":
        refuse_settings(settings, {"hidden_act": "gelu"})  # the head has it whatever the layers do
    width = fields["embedding_width"]
    return {
        **bert.read(settings, fields),
        "embedding_width": None if width == fields["d_model"] else width,
    }


def type_of(config: EncoderConfig) -> str | None:
    """ELECTRA, if it computes the same function."""
    fits = config.head != "pooler" and config.token_types is not None
    return (
        "electra" if fits and (config.head != "masked_lm" or config.activation == "gelu") else None
    )


FAMILY = replace(
    bert.FAMILY,
    classes={"electra": "Electra"},
    heads=TEXT_HEADS | {"Model": "none", "ForPreTraining": "none"},
    keys=bert.KEYS | {"embedding_size": Key("embedding_width", 128)},
    fixed=bert.PLAIN | {"position_offset": 0, "pooler_activation": "gelu"},
    read=read,
    write=lambda config: {"embedding_size": config.embedding_width or config.d_model},
    type_of=type_of,
    body=(("embed.projection", "embeddings_project"), *bert.BODY),
    head=HEAD,
    aliases=tied(
        masked_lm={"generator_lm_head.weight": "electra.embeddings.word_embeddings.weight"}
    ),
    base="electra.",
    ignored=("discriminator_predictions.*", "embeddings.position_ids"),
)
