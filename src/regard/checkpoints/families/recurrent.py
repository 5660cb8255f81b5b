"""The recurrent encoder–decoder in our own layout: transformers has no such model."""

from dataclasses import fields
from typing import Any

from regard.checkpoints.family import Family, Key, Settings
from regard.errors import UnsupportedError
from regard.models.configs.recurrent import RecurrentConfig

SHARED = "shared.weight"
# What everyone's config.json calls fields that ours calls differently.
RENAMES = {
    "target_vocab_size": "decoder_vocab_size",
    "attention": "attention_type",
    "max_positions": "max_position_embeddings",
    "pad_id": "pad_token_id",
    "eos_id": "eos_token_id",
    "start_id": "decoder_start_token_id",
}


def _place(name: str, config: RecurrentConfig) -> str:
    """Return our name, but for the table that both sides share."""
    shared = config.target_vocab_size is None and name.endswith("embed.tokens.weight")
    return SHARED if shared else name


def read(settings: Settings, fields: dict[str, Any]) -> dict[str, Any]:
    """Refuse a table of its own for the output."""
    if not settings.get("tie_word_embeddings", True):
        raise UnsupportedError(
            "tie_word_embeddings must be true for this model; config.json says false."
        )
    return {}


FAMILY = Family(
    config=RecurrentConfig,
    classes={"regard-recurrent": "RecurrentEncoderDecoder"},
    keys={RENAMES.get(ours.name, ours.name): Key(ours.name) for ours in fields(RecurrentConfig)},
    written={"is_encoder_decoder": True, "tie_word_embeddings": True},
    read=read,
    place=_place,
)
