"""The encoder–decoder's names and settings in Hugging Face's M2M100 layout, which is NLLB's too
(Fan et al. 2020; NLLB Team 2022): Pegasus's, with positions that padding does not have.
"""

from types import ModuleType
from typing import Any

from regard.checkpoints.families import marian
from regard.checkpoints.family import Family, Key, Settings
from regard.checkpoints.heads import check_writes
from regard.errors import UnsupportedError
from regard.models.configs.encoder_decoder import EncoderDecoderConfig
from regard.models.configs.tables import sinusoids

KEYS = marian.KEYS | {
    "dropout": Key("dropout", 0.1),
    "activation_function": Key("activation", "relu"),
    "scale_embedding": Key("scale_embedding", True),
    "max_position_embeddings": Key("max_positions", 1024),
    "pad_token_id": Key("pad_id", 1),
    "eos_token_id": Key("eos_id", 2),
    "decoder_start_token_id": Key("start_id", 2),
}


def read(settings: Settings, fields: dict[str, Any]) -> dict[str, Any]:
    """Positions begin behind padding's row, which is its id's."""
    check_writes(settings)
    marian.check_sizes(settings)
    if fields["start_id"] == fields["pad_id"]:  # of which transformers makes other numbers by step
        raise UnsupportedError(
            "decoder_start_token_id of an M2M100 model must not be pad_token_id, whose token has no"
            f" position; in config.json both are {fields['pad_id']}. Give the id that a text begins"
            " with, usually eos_token_id."
        )
    return {"position_offset": fields["pad_id"] + 1}


def constants(config: EncoderDecoderConfig, xp: ModuleType) -> dict[str, Any]:
    """Return the tables of sinusoids, which are computed, not stored; padding's row is zero."""
    offset = config.position_offset
    table = sinusoids(xp, config.max_positions + offset, config.d_model, spread=True)
    table[offset - 1] = 0
    return {f"{side}.embed.positions.weight": table for side in ("encoder", "decoder")}


FAMILY = Family(
    config=EncoderDecoderConfig,
    classes={"m2m_100": "M2M100ForConditionalGeneration"},
    keys=KEYS,
    fixed={
        **marian.FIXED,
        "target_vocab_size": None,
        "norm": "pre",
        "positions": "spread",
        "count_padding": False,
        "embedding_norm": False,
        "logits_bias": False,
        "head": "language_model",
    },
    written=marian.WRITTEN,
    refused={"tie_word_embeddings": True},
    read=read,
    type_of=lambda config: "m2m_100" if config.position_offset == config.pad_id + 1 else None,
    place=marian.place,
    aliases=marian.aliases,
    constants=constants,
    base="model.",
    ignored=("model.*coder.embed_positions.weight*", "model.*coder.version"),  # of sinusoids
)
