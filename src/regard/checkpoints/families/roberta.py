"""The encoder's names and settings in Hugging Face's RoBERTa layout: BERT's but for a few.

XLM-R differs in its tokenizer alone, and is saved as RoBERTa.
"""

from dataclasses import replace
from typing import Any

from regard.checkpoints.families import bert
from regard.checkpoints.family import Key, Settings, refuse_settings, tied
from regard.checkpoints.heads import TEXT_HEADS
from regard.errors import DamagedFileError
from regard.models.configs.encoder import EncoderConfig

# By the config's head.
HEAD = {
    "pooler": (("head.", "roberta.pooler."),),
    "masked_lm": (("head.", "lm_head."), ("lm_head.norm", "lm_head.layer_norm")),
    "classification": (
        ("head.pooler.dense", "classifier.dense"),
        ("head.output", "classifier.out_proj"),
    ),
}


def read(settings: Settings, fields: dict[str, Any]) -> dict[str, Any]:
    """Positions are counted from behind padding's, whose row of the table is its own id's."""
    if fields["head"] == "masked_lm":
        refuse_settings(settings, {"hidden_act": "gelu"})  # the head has it whatever the layers do
    pad_id = fields["pad_id"]
    if pad_id is None:
        raise DamagedFileError(
            "pad_token_id of a roberta model must be a number; config.json has none."
        )
    return {
        **bert.read(settings, fields),
        "max_positions": fields["max_positions"] - pad_id - 1,
        "position_offset": pad_id + 1,
    }


def type_of(config: EncoderConfig) -> str | None:
    """RoBERTa, if it computes the same function."""
    fits = config.token_types is not None and config.position_offset == (config.pad_id or 0) + 1
    return (
        "roberta" if fits and (config.head != "masked_lm" or config.activation == "gelu") else None
    )


FAMILY = replace(
    bert.FAMILY,
    classes={"roberta": "Roberta", "xlm-roberta": "XLMRoberta"},
    heads=TEXT_HEADS,
    keys=bert.KEYS | {"pad_token_id": Key("pad_id", 1)},
    fixed=bert.PLAIN
    | {"count_padding": False, "pooler_activation": "tanh", "embedding_width": None},
    read=read,
    write=lambda config: {"max_position_embeddings": config.max_positions + config.position_offset},
    type_of=type_of,
    body=bert.BODY,
    head=HEAD,
    aliases=tied(
        masked_lm={
            "lm_head.decoder.weight": "roberta.embeddings.word_embeddings.weight",
            "lm_head.decoder.bias": "lm_head.bias",
        }
    ),
    base="roberta.",
)
