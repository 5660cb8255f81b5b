"""The decoder's names and settings in Hugging Face's gpt-oss layout: Mixtral's, but a layer has one
tensor of all experts, in which the columns of gate and inner projection take turns.
"""

import re
from dataclasses import replace
from typing import Any

from regard.checkpoints.families import llama
from regard.checkpoints.family import Place, Settings, refuse_settings, rename, tied
from regard.errors import UnsupportedError
from regard.models.configs.decoder import DecoderConfig

RENAMES = (
    ("feed_forward.router", "mlp.router"),
    ("self_attention.sinks", "self_attn.sinks"),
    *llama.RENAMES,
)
ROPE = {"rope_type": "yarn", "factor": 32.0, "beta_fast": 32.0, "beta_slow": 1.0}
ROPE |= {"truncate": False, "original_max_position_embeddings": 4096}
_EXPERT = re.compile(r"decoder\.layers\.(\d+)\.feed_forward\.experts\.(\d+)\.(\w+)\.(\w+)")


def read(settings: Settings, fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that are said differently than Llama's."""
    if settings.get("quantization_config"):
        raise UnsupportedError(
            "the weights of a gpt-oss model must be bfloat16 or float32 here; config.json says"
            f" {settings['quantization_config'].get('quant_method')}. Save it again by"
            " transformers, which opens it with dequantize=True."
        )
    refuse_settings(settings, {"swiglu_alpha": 1.702, "hidden_act": "silu"})
    layers = settings["num_hidden_layers"]
    if settings.get("layer_types") is None:
        kinds = ["full_attention" if index % 2 else "sliding_attention" for index in range(layers)]
        settings = settings | {"layer_types": kinds}
    if settings.get("rope_parameters") is None and settings.get("rope_scaling") is None:
        settings = settings | {"rope_parameters": ROPE}
    return llama.read(settings, fields) | {
        "experts": settings.get("num_experts", settings["num_local_experts"]),
        "experts_per_token": settings["num_experts_per_tok"],
        "gate_limit": settings["swiglu_limit"],
    }


def type_of(config: DecoderConfig) -> str | None:
    """gpt-oss, if it computes what a model of this configuration does."""
    return "gpt_oss" if config.activation == "silu" and llama.fits("gpt_oss", config) else None


def place(name: str, config: DecoderConfig) -> str | Place:
    """Return the name of a weight in their files, or its place in one of them."""
    if not (match := _EXPERT.fullmatch(name)):
        return llama.BASE + rename(name, RENAMES)
    layer, number, part, kind = match.groups()
    theirs = "down_proj" if part == "outer" else "gate_up_proj"
    parts = 1 if part == "outer" else 2
    return Place(
        f"model.layers.{layer}.mlp.experts.{theirs}" + "_bias" * (kind == "bias"),
        transposed=kind == "weight",
        part=part == "inner",
        parts=parts,
        dim=int(kind == "weight"),
        stack=config.experts,
        place=int(number),
        alternating=parts > 1,
    )


FAMILY = replace(
    llama.FAMILY,
    classes={"gpt_oss": "GptOss"},
    read=read,
    write=lambda config: llama.write(config, "gpt_oss") | {"swiglu_alpha": 1.702},
    type_of=type_of,
    place=place,
    aliases=tied(language_model={"lm_head.weight": "model.embed_tokens.weight"}),
)
