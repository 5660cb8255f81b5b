"""The recurrent encoder–decoder in our own layout: transformers has no such model."""

from dataclasses import asdict
from typing import Any

from regard.checkpoints.family import Family
from regard.errors import UnsupportedError
from regard.models import RecurrentConfig, RecurrentEncoderDecoder

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


def names(model: RecurrentEncoderDecoder) -> dict[str, str]:
    """Our name → the file's: the same, but for the table that both sides share."""
    shared = model.config.target_vocab_size is None
    return {
        name: SHARED if shared and name.endswith("embed.tokens.weight") else name
        for name in model.state_dict()
    }


def to_config(config: RecurrentConfig) -> dict[str, Any]:
    """config.json for a model of this configuration."""
    return {
        "model_type": "regard-recurrent",
        "architectures": [RecurrentEncoderDecoder.__name__],
        "is_encoder_decoder": True,
        "tie_word_embeddings": True,
        **{RENAMES.get(name, name): value for name, value in asdict(config).items()},
    }


def from_config(settings: dict[str, Any]) -> RecurrentConfig:
    """The configuration that config.json describes."""
    if not settings.get("tie_word_embeddings", True):
        raise UnsupportedError(
            "tie_word_embeddings must be true for this model; config.json says false."
        )
    return RecurrentConfig(
        **{name: settings[RENAMES.get(name, name)] for name in RecurrentConfig.__dataclass_fields__}
    )


FAMILY = Family(
    model=RecurrentEncoderDecoder,
    from_config=from_config,
    to_config=to_config,
    names=names,
)
