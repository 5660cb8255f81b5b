"""The decoder's names and settings in Hugging Face's GPT-2 layout."""

import re

from regard.checkpoints.family import Family, Key, Place, rename, tied
from regard.checkpoints.heads import READER_HEADS
from regard.models.configs.decoder import DecoderConfig

# Replaced in this order, inside every name of our state dict.
RENAMES = (
    ("decoder.embed.tokens", "transformer.wte"),
    ("decoder.embed.positions", "transformer.wpe"),
    ("decoder.layers.", "transformer.h."),
    ("decoder.norm", "transformer.ln_f"),
    ("feed_forward_norm", "ln_2"),
    ("self_attention_norm", "ln_1"),
    ("feed_forward.inner", "mlp.c_fc"),
    ("feed_forward.outer", "mlp.c_proj"),
    ("self_attention.output", "attn.c_proj"),
)
# By the config's head.
HEAD = {"language_model": (("output", "lm_head"),), "classification": (("head.output", "score"),)}
FUSED = ("query", "key", "value")  # one weight of theirs, attn.c_attn, in this order
FUSED_NAME = re.compile(rf"self_attention\.({'|'.join(FUSED)})\b")
KEYS = {
    "vocab_size": Key("vocab_size"),
    "n_positions": Key("max_positions"),
    "n_embd": Key("d_model"),
    "n_layer": Key("num_layers"),
    "n_head": Key("num_heads"),
    "n_inner": Key("d_ff", None),
    "activation_function": Key("activation", "gelu_new"),
    "embd_pdrop": Key("dropout", 0.1),
    "resid_pdrop": Key("dropout", 0.1),  # this one counts
    "layer_norm_epsilon": Key("norm_eps", 1e-5),
    "scale_attn_weights": Key(
        "score",
        True,
        lambda scaled: "scaled_dot" if scaled else "dot",
        lambda score: score == "scaled_dot",
    ),
    "tie_word_embeddings": Key("tied_output", True),
    "bos_token_id": Key("bos_id", 50256),
    "eos_token_id": Key("eos_id", 50256),
    "pad_token_id": Key("pad_id", None),
}


def _place(name: str, config: DecoderConfig) -> Place:
    """Projections are Conv1D modules: their weights are (in, out), so c_attn joins columns."""
    theirs = rename(name, RENAMES)
    transposed = name.endswith(".weight") and (".self_attention." in name or "forward." in name)
    fused = FUSED_NAME.search(theirs)
    if fused is None:
        return Place(theirs, transposed=transposed)
    return Place(
        theirs.replace(fused[0], "attn.c_attn"),
        transposed=transposed,
        part=FUSED.index(fused[1]),
        parts=len(FUSED),
        dim=1 if transposed else 0,
    )


def type_of(config: DecoderConfig) -> str | None:
    """GPT-2, if it computes what a model of this configuration does."""
    fits = (
        config.num_key_heads in (None, config.num_heads)
        and config.head_dim in (None, config.d_model // config.num_heads)
        and config.d_model % config.num_heads == 0
    )
    return "gpt2" if fits else None


FAMILY = Family(
    config=DecoderConfig,
    classes={"gpt2": "GPT2"},
    heads={"LMHeadModel": "language_model", **READER_HEADS},
    keys=KEYS,
    fixed={
        "positions": "learned",
        "norm_kind": "layer",
        "gated": False,
        "feed_forward_bias": True,
        "attention_bias": True,
        "attention_output_bias": True,
        "window": None,
        "norms": "input",
        "query_key_norm": "none",
        "scale_embedding": False,
        "score_width": None,
        "score_cap": None,
        "output_cap": None,
    },
    written={"attn_pdrop": 0.0},  # the weights of attention are never dropped here
    refused={"scale_attn_by_inverse_layer_idx": False, "add_cross_attention": False},
    read=lambda settings, fields: {"d_ff": fields["d_ff"] or 4 * fields["d_model"]},
    type_of=type_of,
    head=HEAD,
    place=_place,
    aliases=tied(language_model={"lm_head.weight": "transformer.wte.weight"}),
    base="transformer.",
    ignored=("*.attn.bias", "*.attn.masked_bias"),  # the causal mask, which is no weight
)
