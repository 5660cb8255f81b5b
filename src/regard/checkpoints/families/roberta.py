"""The encoder's names and settings in Hugging Face's RoBERTa layout: BERT's but for a few."""

from functools import partial

from regard.checkpoints.families.bert import BODY, IGNORED, REFUSED, body_settings, read_body
from regard.checkpoints.families.heads import TEXT_HEADS, encoder_names, head_settings, read_head
from regard.checkpoints.family import Family, Settings, refuse_settings
from regard.errors import DamagedFileError
from regard.models import Encoder, EncoderConfig

# By the config's head.
HEAD = {
    "pooler": (("head.", "roberta.pooler."),),
    "masked_lm": (("head.", "lm_head."), ("lm_head.norm", "lm_head.layer_norm")),
    "classification": (
        ("head.pooler.dense", "classifier.dense"),
        ("head.output", "classifier.out_proj"),
    ),
}


def aliases(model: Encoder) -> dict[str, str]:
    """The masked-word head's names for the token table and for its own bias."""
    if model.config.head != "masked_lm":
        return {}
    return {
        "lm_head.decoder.weight": "roberta.embeddings.word_embeddings.weight",
        "lm_head.decoder.bias": "lm_head.bias",
    }


def to_config(config: EncoderConfig) -> Settings:
    """config.json for a model of this configuration."""
    head = head_settings(config.head, "Roberta", TEXT_HEADS)
    return {"model_type": "roberta"} | head | body_settings(config)


def from_config(settings: Settings) -> EncoderConfig:
    """The configuration that config.json describes."""
    refuse_settings(settings, REFUSED)
    head = read_head(settings, "Roberta", TEXT_HEADS)
    if head == "masked_lm":
        refuse_settings(settings, {"hidden_act": "gelu"})  # the head has it whatever the layers do
    pad_id = settings.get("pad_token_id", 1)
    if pad_id is None:
        raise DamagedFileError(
            "pad_token_id of a roberta model must be a number; config.json has none."
        )
    return EncoderConfig(
        max_positions=settings["max_position_embeddings"] - pad_id - 1,
        position_offset=pad_id + 1,
        count_padding=False,
        pad_id=pad_id,
        **read_body(settings, head),
    )


def fits(config: EncoderConfig) -> bool:
    """Whether RoBERTa computes the same function."""
    return (
        config.token_types is not None
        and not config.count_padding
        and config.position_offset == (config.pad_id or 0) + 1
        and config.pooler_activation == "tanh"
        and (config.head != "masked_lm" or config.activation == "gelu")
    )


FAMILY = Family(
    model=Encoder,
    from_config=from_config,
    to_config=to_config,
    fits=fits,
    names=partial(encoder_names, base="roberta", body=BODY, head=HEAD),
    aliases=aliases,
    base="roberta.",
    renamed=((".gamma", ".weight"), (".beta", ".bias")),
    ignored=IGNORED,
)
