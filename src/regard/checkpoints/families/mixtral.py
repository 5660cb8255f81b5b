"""The decoder's names and settings in Hugging Face's layout of Mixtral and of Qwen3-MoE: those of
Llama and of Qwen3, with a mixture of experts in place of the feed-forward network.
"""

from dataclasses import replace
from typing import Any

from regard.checkpoints.families import llama
from regard.checkpoints.family import Settings, rename, tied
from regard.checkpoints.heads import ANSWERS
from regard.models.configs.decoder import DecoderConfig

RENAMES = {
    "mixtral": (
        (".gate.weight", ".w1.weight"),
        (".outer.weight", ".w2.weight"),
        (".inner.weight", ".w3.weight"),
        ("feed_forward.router", "block_sparse_moe.gate"),
        ("feed_forward.experts", "block_sparse_moe.experts"),
        *llama.RENAMES,
    ),
    "qwen3_moe": (
        (".gate.weight", ".gate_proj.weight"),
        (".outer.weight", ".down_proj.weight"),
        (".inner.weight", ".up_proj.weight"),
        ("feed_forward.router", "mlp.gate"),
        ("feed_forward.", "mlp."),
        *llama.RENAMES,
    ),
}


def type_of(config: DecoderConfig) -> str | None:
    """Mixtral or Qwen3-MoE, if it computes what a model of this configuration does."""
    return next((name for name in RENAMES if llama.fits(name, config)), None)


def read(settings: Settings, fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that are said differently than Llama's."""
    values = llama.read(settings, fields)
    experts = settings.get("num_experts", settings["num_local_experts"])
    if not experts:
        return values  # of a Qwen3-MoE that is a Qwen3
    values |= {"experts": experts, "experts_per_token": settings["num_experts_per_tok"]}
    if settings["model_type"] == "mixtral":
        return values
    plain, step = settings.get("mlp_only_layers") or (), settings["decoder_sparse_step"]
    layers = range(settings["num_hidden_layers"])
    return values | {
        "shares_add_to_one": settings["norm_topk_prob"],
        "expert_d_ff": settings["moe_intermediate_size"],
        "unrouted": tuple(index for index in layers if index in plain or (index + 1) % step),
    }


def write(config: DecoderConfig) -> Settings:
    """Return the keys that are said differently."""
    settings = llama.write(config, type_of(config))
    if "moe_intermediate_size" in settings:
        settings["moe_intermediate_size"] = config.expert_d_ff or config.d_ff
    return settings


def place(name: str, config: DecoderConfig) -> str:
    """Return the name of a weight in their files."""
    model_type = type_of(config) or "mixtral"
    answers = config.head == ANSWERS and llama.KINDS[model_type].answers
    return (answers or llama.BASE) + rename(name, RENAMES[model_type])


FAMILY = replace(
    llama.FAMILY,
    classes={"mixtral": "Mixtral", "qwen3_moe": "Qwen3Moe"},
    read=read,
    write=write,
    type_of=type_of,
    place=place,
    aliases=tied(language_model={"lm_head.weight": "model.embed_tokens.weight"}),
)
