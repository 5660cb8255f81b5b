"""The names and settings of two encoders in Hugging Face's CLIP layout."""

from dataclasses import replace
from typing import Any

from regard.checkpoints.family import Family, Key, Place, Settings, rename
from regard.models.configs.config import ModelConfig
from regard.models.configs.dual_encoder import DualEncoderConfig
from regard.models.configs.encoder import EncoderConfig
from regard.models.configs.vision import VisionConfig

# Replaced in this order, inside every name of our state dict.
NAMES = (
    ("text.head.output", "text_projection"),
    ("image.head.output", "visual_projection"),
    ("text.embed.", "text_model.embeddings."),
    ("image.embed.norm", "vision_model.pre_layrnorm"),
    ("image.embed.", "vision_model.embeddings."),
    ("embeddings.tokens", "embeddings.token_embedding"),
    ("embeddings.positions.weight", "embeddings.position_embedding.weight"),
    ("embeddings.patches", "embeddings.patch_embedding"),
    ("text.encoder.norm", "text_model.final_layer_norm"),
    ("image.encoder.norm", "vision_model.post_layernorm"),
    ("text.", "text_model."),
    ("image.", "vision_model."),
    (".self_attention.output", ".self_attn.out_proj"),
    (".self_attention.query", ".self_attn.q_proj"),
    (".self_attention.key", ".self_attn.k_proj"),
    (".self_attention.value", ".self_attn.v_proj"),
    (".self_attention_norm", ".layer_norm1"),
    (".feed_forward.inner", ".mlp.fc1"),
    (".feed_forward.outer", ".mlp.fc2"),
    (".feed_forward_norm", ".layer_norm2"),
)
# Of either encoder.
LAYERS = {
    "hidden_size": Key("d_model"),
    "num_hidden_layers": Key("num_layers", 12),
    "num_attention_heads": Key("num_heads"),
    "intermediate_size": Key("d_ff"),
}
TEXT = LAYERS | {
    "vocab_size": Key("vocab_size"),
    "max_position_embeddings": Key("max_positions"),
    "hidden_act": Key("activation"),
    "layer_norm_eps": Key("norm_eps"),
}
IMAGE = LAYERS | {
    "image_size": Key("image_size", 224, lambda side: (side, side), lambda size: size[0]),
    "patch_size": Key("patch_size", 16, lambda side: (side, side), lambda size: size[0]),
    "num_channels": Key("channels", 3),
    "hidden_act": Key("activation"),
    "layer_norm_eps": Key("norm_eps"),
}
# Our fields that all such encoders share.
TEXT_FIELDS: Settings = dict(norm_first=True, embedding_norm=False, token_types=None, dropout=0.0)
TEXT_FIELDS |= dict(head="embedding", pad_id=None)
IMAGE_FIELDS: Settings = {"head": "embedding"}
USUAL: Settings = {"hidden_size": 512, "num_attention_heads": 8, "intermediate_size": 2048}
USUAL |= {"hidden_act": "quick_gelu", "layer_norm_eps": 1e-5, "patch_size": 32}
USUAL |= {"vocab_size": 49408, "max_position_embeddings": 77, "eos_token_id": 49407}
WIDER = {"hidden_size": 768, "num_attention_heads": 12, "intermediate_size": 3072}
_OLD_END = 2  # which says nothing: the end is the highest id of a text


def side(name: str, settings: Settings) -> Settings:
    """Return the settings of one encoder, "text" or "vision"; old files have them under two
    keys."""
    old = settings.get(f"{name}_config_dict")
    return dict((settings.get(f"{name}_config") if old is None else old) or {})


def fields(keys: dict[str, Key], settings: Settings, fixed: Settings) -> dict[str, Any]:
    """Our fields of one encoder, whose settings lack no key that has no default."""
    values = {
        key: settings[key] if entry.default is ... else settings.get(key, entry.default)
        for key, entry in keys.items()
    }
    return fixed | {entry.field: entry.read(values[key]) for key, entry in keys.items()}


def written(keys: dict[str, Key], config: ModelConfig) -> Settings:
    """Return the keys of config.json for one encoder."""
    values = {key: entry.write(getattr(config, entry.field)) for key, entry in keys.items()}
    return values | {"attention_dropout": 0.0}


def is_square(config: VisionConfig) -> bool:
    """Return True if images and patches are square, which one number describes."""
    return all(len({*size}) == 1 for size in (config.image_size, config.patch_size))


def fits(text: EncoderConfig, image: VisionConfig, other: DualEncoderConfig) -> bool:
    """Return True if a model is one of these encoders, but for what `TEXT` and `IMAGE` say."""
    sizes: Settings = {entry.field: getattr(other.text, entry.field) for entry in TEXT.values()}
    same = replace(text, **sizes | {"dropout": other.text.dropout}) == other.text
    sizes = {entry.field: getattr(other.image, entry.field) for entry in IMAGE.values()}
    same = same and replace(image, **sizes | {"dropout": other.image.dropout}) == other.image
    return same and is_square(other.image)


def _encoders(
    text: Settings, image: Settings, width: int | None
) -> tuple[EncoderConfig, VisionConfig]:
    end = text["eos_token_id"]
    vector = {"projection": width, "projection_bias": False}
    settings = {
        "causal": True,
        "pooling": "end",
        "end_id": None if end == _OLD_END else end,
    } | vector
    return EncoderConfig(**fields(TEXT, text, TEXT_FIELDS | settings)), VisionConfig(
        **fields(
            IMAGE, image, IMAGE_FIELDS | vector | {"patch_bias": False, "embedding_norm": True}
        )
    )


def read(settings: Settings, fields: dict[str, Any]) -> dict[str, Any]:
    """Return the configs of both encoders."""
    width = settings.get("projection_dim", 512)
    text, image = (side(name, settings) for name in ("text", "vision"))
    both = _encoders(USUAL | text, USUAL | WIDER | image, width)
    return dict(zip(("text", "image"), both, strict=True))


def write(config: DualEncoderConfig) -> Settings:
    """Return the settings of both encoders."""
    width = {"projection_dim": config.width}
    end = _OLD_END if config.text.end_id is None else config.text.end_id
    return width | {
        "text_config": written(TEXT, config.text) | width | {"eos_token_id": end},
        "vision_config": written(IMAGE, config.image) | width,
    }


def place(name: str, config: DualEncoderConfig) -> str | Place:
    """Their name of a weight, and its form there."""
    if name == "logit_scale":
        return Place(name, lead=-1)
    if name == "image.embed.class_token":
        return Place("vision_model.embeddings.class_embedding", lead=-2)
    if name == "image.embed.positions":
        return Place("vision_model.embeddings.position_embedding.weight", lead=-1)
    return rename(name, NAMES)


def _type_of(config: DualEncoderConfig) -> str | None:
    end = config.text.end_id
    text = USUAL | {"eos_token_id": _OLD_END if end is None else end}
    both = _encoders(text, USUAL, config.width)
    return "clip" if end != _OLD_END and fits(*both, config) else None


FAMILY = Family(
    config=DualEncoderConfig,
    classes={"clip": "CLIPModel"},
    keys={},
    fixed={"pairwise": False},
    read=read,
    write=write,
    type_of=_type_of,
    place=place,
    ignored=("*.position_ids",),
)
