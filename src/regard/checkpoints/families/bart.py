"""The encoder–decoder's names and settings in Hugging Face's BART and mBART layouts.

BART (Lewis et al. 2020) normalizes after each sub-layer, mBART (Liu et al. 2020) before it.
"""

from typing import Any

from regard.checkpoints.families.marian import RENAMES, SHARED, read_sizes, shared_settings
from regard.checkpoints.family import Family, Place, Settings, refuse_settings, rename
from regard.models import EncoderDecoder, EncoderDecoderConfig

# What every model of these families has in common.
FIXED: dict[str, Any] = {
    "target_vocab_size": None,
    "norm_kind": "layer",
    "norm_eps": 1e-5,
    "gated": False,
    "feed_forward_bias": True,
    "attention_bias": True,
    "head_dim": None,
    "score": "scaled_dot",
    "positions": "learned",
    "position_offset": 2,
    "embedding_norm": True,
    "tied_output": True,
    "scale_output": False,
}


def names(model: EncoderDecoder) -> dict[str, str | Place]:
    """Our name → theirs for every weight."""
    return {name: _their_name(name) for name in model.state_dict()}


def aliases(model: EncoderDecoder) -> dict[str, str]:
    """Names that transformers gives the one table beside the one we write."""
    tables = ("model.encoder.embed_tokens", "model.decoder.embed_tokens", "lm_head")
    return {f"{name}.weight": SHARED for name in tables}


def to_config(config: EncoderDecoderConfig) -> Settings:
    """config.json for a model of this configuration."""
    family, name = ("mbart", "MBart") if config.norm_first else ("bart", "Bart")
    head = "ForConditionalGeneration" if config.logits_bias else "Model"
    return {
        "model_type": family,
        "architectures": [name + head],
        **shared_settings(config),
        "activation_function": _ACTIVATIONS.get(config.activation, config.activation),
    }


def from_config(settings: Settings) -> EncoderDecoderConfig:
    """The configuration that config.json describes."""
    family = settings["model_type"]
    refuse_settings(settings, {"tie_word_embeddings": True})
    eos = settings.get("eos_token_id", 2)
    start = settings.get("decoder_start_token_id", 2 if family == "bart" else None)
    return EncoderDecoderConfig(
        **read_sizes(settings),
        dropout=settings.get("dropout", 0.1),
        norm="post" if family == "bart" else "pre",
        activation=settings.get("activation_function", "gelu"),
        scale_embedding=settings.get("scale_embedding", False),
        # A file of the model without its head, as of facebook/bart-base, holds no such bias.
        logits_bias=settings.get("architectures") not in (["BartModel"], ["MBartModel"]),
        pad_id=settings.get("pad_token_id", 1),
        eos_id=eos,
        # The first mBART starts from the target's language, which no config.json knows; mBART-50
        # starts from eos, and reads the language next.
        start_id=eos if start is None else start,
        **FIXED,
    )


_ACTIVATIONS = {"gelu_tanh": "gelu_new"}  # ours → theirs where they differ


def _fits(config: EncoderDecoderConfig) -> bool:
    return all(getattr(config, name) == value for name, value in FIXED.items())


def _their_name(name: str) -> str | Place:
    if name == "logits_bias":
        return Place("final_logits_bias", lead=1)
    if name.endswith("embed.tokens.weight"):
        return SHARED
    return f"model.{rename(name, RENAMES)}"


FAMILY = Family(
    model=EncoderDecoder,
    from_config=from_config,
    to_config=to_config,
    fits=_fits,
    names=names,
    aliases=aliases,
    base="model.",
    ignored=("model.encoder.version", "model.decoder.version"),
)
