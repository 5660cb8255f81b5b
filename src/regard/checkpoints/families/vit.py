"""The vision Transformer's names and settings in Hugging Face's ViT layout."""

from functools import partial

from regard.checkpoints.families.heads import (
    IMAGE_HEADS,
    encoder_names,
    head_settings,
    label_settings,
    read_head,
    read_labels,
)
from regard.checkpoints.family import Family, Settings, refuse_settings
from regard.models import VisionConfig, VisionTransformer

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
HEAD = {
    "pooler": (("head.", "vit.pooler."),),
    "classification": (("head.output", "classifier"),),
}


def to_config(config: VisionConfig) -> Settings:
    """config.json for a model of this configuration."""
    return {
        "model_type": "vit",
        **head_settings(config.head, "ViT", IMAGE_HEADS),
        "image_size": _short(config.image_size),
        "patch_size": _short(config.patch_size),
        "num_channels": config.channels,
        "hidden_size": config.d_model,
        "num_hidden_layers": config.num_layers,
        "num_attention_heads": config.num_heads,
        "intermediate_size": config.d_ff,
        "hidden_act": config.activation,
        "hidden_dropout_prob": config.dropout,
        "attention_probs_dropout_prob": 0.0,
        "layer_norm_eps": config.norm_eps,
        "qkv_bias": config.attention_bias,
        "positions": config.positions,  # our own key: theirs are learned, whatever they began as
        **label_settings(config.labels),
    }


def from_config(settings: Settings) -> VisionConfig:
    """The configuration that config.json describes."""
    head = read_head(settings, "ViT", IMAGE_HEADS)
    if head == "pooler":
        width = settings["hidden_size"]
        refuse_settings(settings, {"pooler_act": "tanh"})
        if settings.get("pooler_output_size") is not None:
            refuse_settings(settings, {"pooler_output_size": width})
    return VisionConfig(
        image_size=_pair(settings.get("image_size", 224)),
        patch_size=_pair(settings.get("patch_size", 16)),
        channels=settings.get("num_channels", 3),
        d_model=settings["hidden_size"],
        num_layers=settings["num_hidden_layers"],
        num_heads=settings["num_attention_heads"],
        d_ff=settings["intermediate_size"],
        dropout=settings.get("hidden_dropout_prob", 0.0),
        activation=settings.get("hidden_act", "gelu"),
        norm_eps=settings.get("layer_norm_eps", 1e-12),
        attention_bias=settings.get("qkv_bias", True),
        positions=settings.get("positions", "learned"),
        head=head,
        labels=read_labels(settings, head),
    )


def _short(size: tuple[int, int]) -> int | list[int]:
    """One number for a square, as transformers' image processors expect it."""
    return size[0] if size[0] == size[1] else list(size)


def _pair(size: int | list[int]) -> tuple[int, int]:
    return (size, size) if isinstance(size, int) else (size[0], size[1])


FAMILY = Family(
    model=VisionTransformer,
    from_config=from_config,
    to_config=to_config,
    names=partial(encoder_names, base="vit", body=BODY, head=HEAD),
    base="vit.",
    ignored=("pooler.dense.*", "embeddings.mask_token"),
)
