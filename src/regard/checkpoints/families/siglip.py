"""The names and settings of two encoders in Hugging Face's SigLIP layout."""

from typing import Any

from regard.checkpoints.families.clip import (
    IMAGE,
    IMAGE_FIELDS,
    TEXT,
    TEXT_FIELDS,
    fields,
    fits,
    place,
    side,
    written,
)
from regard.checkpoints.family import Family, Place, Settings, refuse_settings, rename
from regard.models.configs.dual_encoder import DualEncoderConfig
from regard.models.configs.encoder import EncoderConfig
from regard.models.configs.vision import VisionConfig

USUAL: Settings = {"hidden_size": 768, "num_attention_heads": 12, "intermediate_size": 3072}
USUAL |= {"hidden_act": "gelu_pytorch_tanh", "layer_norm_eps": 1e-6}
USUAL |= {"vocab_size": 32000, "max_position_embeddings": 64}
# Of the pooling of images, where all else is as CLIP has it.
_POOL = (
    ("image.head.pool.probe", "vision_model.head.probe"),
    ("image.head.pool.norm", "vision_model.head.layernorm"),
    ("image.head.pool.", "vision_model.head."),
    ("head.cross_attention.output", "head.attention.out_proj"),
    ("text.head.output", "text_model.head"),
)
_JOINED = ("query", "key", "value")  # in torch's MultiheadAttention


def _encoders(text: Settings, image: Settings) -> tuple[EncoderConfig, VisionConfig]:
    width = text.get("projection_size") or text["hidden_size"]
    settings = {"pooling": "last", "projection": width}
    return EncoderConfig(**fields(TEXT, text, TEXT_FIELDS | settings)), VisionConfig(
        **fields(IMAGE, image, IMAGE_FIELDS | {"class_token": False, "pooling": "attention"})
    )


def _read(settings: Settings, fields: dict[str, Any]) -> dict[str, Any]:
    text, image = (side(name, settings) for name in ("text", "vision"))
    refuse_settings(image | {"model_type": "siglip"}, {"vision_use_head": True})
    return dict(zip(("text", "image"), _encoders(USUAL | text, USUAL | image), strict=True))


def _write(config: DualEncoderConfig) -> Settings:
    return {
        "text_config": written(TEXT, config.text) | {"projection_size": config.width},
        "vision_config": written(IMAGE, config.image),
    }


def _place(name: str, config: DualEncoderConfig) -> str | Place:
    if name in ("logit_scale", "logit_bias"):
        return name
    path, _, ending = name.rpartition(".")
    *_, attention, part = path.split(".")
    if attention == "cross_attention" and part in _JOINED:
        joined = f"vision_model.head.attention.in_proj_{ending}"
        return Place(joined, part=_JOINED.index(part), parts=3)
    return place(rename(name, _POOL), config)


FAMILY = Family(
    config=DualEncoderConfig,
    classes={"siglip": "SiglipModel"},
    keys={},
    fixed={"pairwise": True},
    read=_read,
    write=_write,
    type_of=lambda config: (
        "siglip"
        if fits(*_encoders(USUAL | {"projection_size": config.width}, USUAL), config)
        else None
    ),
    place=_place,
    ignored=("*.position_ids",),
)
