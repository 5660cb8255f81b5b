"""The vision Transformer's names and settings in Hugging Face's ViT layout."""

from typing import Any

from regard.checkpoints.family import Family, Key, Settings, refuse_settings
from regard.checkpoints.heads import IMAGE_HEADS
from regard.models.configs.vision import VisionConfig

# Replaced in this order, inside every name of our state dict but the head's.
BODY = (
    ("embed.class_token", "embeddings.cls_token"),
    ("embed.positions", "embeddings.position_embeddings"),
    ("embed.patches", "embeddings.patch_embeddings.projection"),
    ("encoder.norm", "layernorm"),
    ("encoder.layers.", "encoder.layer."),
    (".self_attention.output", ".attention.output.dense"),
    (".self_attention.", ".attention.attention."),
    (".self_attention_norm", ".layernorm_before"),
    (".feed_forward.inner", ".intermediate.dense"),
    (".feed_forward.outer", ".output.dense"),
    (".feed_forward_norm", ".layernorm_after"),
)
# By the config's head.
HEAD = {"pooler": (("head.", "vit.pooler."),), "classification": (("head.output", "classifier"),)}


def read(settings: Settings, fields: dict[str, Any]) -> dict[str, Any]:
    """Refuse a pooler of another activation or width."""
    if fields["head"] == "pooler":
        refuse_settings(settings, {"pooler_act": "tanh"})
        if settings.get("pooler_output_size") is not None:
            refuse_settings(settings, {"pooler_output_size": fields["d_model"]})
    return {}


def _pair(size: int | list[int]) -> tuple[int, int]:
    return (size, size) if isinstance(size, int) else (size[0], size[1])


def _short(size: tuple[int, int]) -> int | list[int]:
    """Shorten a square's size to one number, as transformers' image processors expect it."""
    return size[0] if size[0] == size[1] else list(size)


KEYS = {
    "image_size": Key("image_size", 224, _pair, _short),
    "patch_size": Key("patch_size", 16, _pair, _short),
    "num_channels": Key("channels", 3),
    "hidden_size": Key("d_model"),
    "num_hidden_layers": Key("num_layers"),
    "num_attention_heads": Key("num_heads"),
    "intermediate_size": Key("d_ff"),
    "hidden_act": Key("activation", "gelu"),
    "hidden_dropout_prob": Key("dropout", 0.0),
    "layer_norm_eps": Key("norm_eps", 1e-12),
    "qkv_bias": Key("attention_bias", True),
    "positions": Key("positions", "learned"),  # our own: theirs are learned, whatever they were
}
FAMILY = Family(
    config=VisionConfig,
    fixed={"class_token": True, "patch_bias": True, "embedding_norm": False},
    classes={"vit": "ViT"},
    heads=IMAGE_HEADS,
    keys=KEYS,
    written={"attention_probs_dropout_prob": 0.0},
    read=read,
    body=BODY,
    head=HEAD,
    base="vit.",
    ignored=("pooler.dense.*", "embeddings.mask_token"),
)
