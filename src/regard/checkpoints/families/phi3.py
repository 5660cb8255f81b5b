"""The decoder's names and settings in Hugging Face's Phi-3 layout: Llama's, but for the projections
of attention and of the feed-forward network's inner layer, which are joined.

Phi-4-mini's files have the same model_type; theirs rotate a part of each head.
"""

from dataclasses import replace

from regard.checkpoints.families import llama
from regard.checkpoints.family import Place, Settings, rename, tied
from regard.models.configs.decoder import DecoderConfig


def _place(name: str, config: DecoderConfig) -> str | Place:
    theirs = llama.BASE + rename(name, llama.RENAMES)
    path, _, piece = theirs.removesuffix(".weight").rpartition(".")
    if piece in ("gate_proj", "up_proj"):
        return Place(f"{path}.gate_up_proj.weight", part=piece == "up_proj", parts=2)
    heads, keys = config.num_heads, config.num_key_heads or config.num_heads
    spans = {"q_proj": (0, heads), "k_proj": (heads, keys), "v_proj": (heads + keys, keys)}
    if piece not in spans:
        return theirs
    part, span = spans[piece]
    return Place(f"{path}.qkv_proj.weight", part=part, parts=heads + 2 * keys, span=span)


def type_of(config: DecoderConfig) -> str | None:
    """Phi-3, if it computes what a model of this configuration does."""
    even = config.head_dim in (None, config.d_model // config.num_heads)
    return "phi3" if even and llama.fits("phi3", config) else None


def write(config: DecoderConfig) -> Settings:
    """Return the keys that are said differently."""
    return llama.write(config, "phi3")


FAMILY = replace(
    llama.FAMILY,
    classes={"phi3": "Phi3"},
    write=write,
    type_of=type_of,
    place=_place,
    aliases=tied(language_model={"lm_head.weight": "model.embed_tokens.weight"}),
)
