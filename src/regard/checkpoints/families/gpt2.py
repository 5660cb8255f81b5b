"""The decoder's names and settings in Hugging Face's GPT-2 layout."""

import re

from regard.checkpoints.families.heads import label_settings, read_labels, read_writer_head
from regard.checkpoints.family import Family, Place, Settings, refuse_settings, rename
from regard.models import Decoder, DecoderConfig

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
HEAD = {
    "language_model": (("output", "lm_head"),),
    "classification": (("head.output", "score"),),
    "question_answering": (("head.output", "qa_outputs"),),
}
ARCHITECTURES = {
    "language_model": "GPT2LMHeadModel",
    "classification": "GPT2ForSequenceClassification",
    "question_answering": "GPT2ForQuestionAnswering",
}
FUSED = ("query", "key", "value")  # one weight of theirs, attn.c_attn, in this order
FUSED_NAME = re.compile(rf"self_attention\.({'|'.join(FUSED)})\b")
REFUSED = {"scale_attn_by_inverse_layer_idx": False, "add_cross_attention": False}


def names(model: Decoder) -> dict[str, Place]:
    """Our name → where it lies in the file."""
    return {
        name: _place(name)
        if name.startswith("decoder.")
        else Place(rename(name, HEAD[model.config.head]))
        for name in model.state_dict()
    }


def _place(name: str) -> Place:
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


def aliases(model: Decoder) -> dict[str, str]:
    """The output projection where it is the embedding table."""
    config = model.config
    tied = config.head == "language_model" and config.tied_output
    return {"lm_head.weight": "transformer.wte.weight"} if tied else {}


def fits(config: DecoderConfig) -> bool:
    """Whether GPT-2 computes what a model of this configuration does."""
    return (
        config.positions == "learned"
        and config.norm_kind == "layer"
        and not config.gated
        and config.feed_forward_bias
        and config.attention_bias
        and config.attention_output_bias
        and config.num_key_heads in (None, config.num_heads)
        and config.head_dim in (None, config.d_model // config.num_heads)
        and config.d_model % config.num_heads == 0
        and config.window is None
    )


def to_config(config: DecoderConfig) -> Settings:
    """config.json for a model of this configuration."""
    return {
        "model_type": "gpt2",
        "architectures": [ARCHITECTURES[config.head]],
        "vocab_size": config.vocab_size,
        "n_positions": config.max_positions,
        "n_embd": config.d_model,
        "n_layer": config.num_layers,
        "n_head": config.num_heads,
        "n_inner": config.d_ff,
        "activation_function": config.activation,
        "resid_pdrop": config.dropout,
        "embd_pdrop": config.dropout,
        "attn_pdrop": 0.0,  # the weights of attention are never dropped here
        "layer_norm_epsilon": config.norm_eps,
        "scale_attn_weights": config.score == "scaled_dot",
        "tie_word_embeddings": config.tied_output,
        "bos_token_id": config.bos_id,
        "eos_token_id": config.eos_id,
        "pad_token_id": config.pad_id,
        **label_settings(config.labels),
    }


def from_config(settings: Settings) -> DecoderConfig:
    """The configuration that config.json describes."""
    refuse_settings(settings, REFUSED)
    width = settings["n_embd"]
    scaled = settings.get("scale_attn_weights", True)
    head = read_writer_head(settings)
    return DecoderConfig(
        vocab_size=settings["vocab_size"],
        d_model=width,
        num_layers=settings["n_layer"],
        num_heads=settings["n_head"],
        d_ff=settings.get("n_inner") or 4 * width,
        dropout=settings.get("resid_pdrop", 0.1),
        norm_eps=settings.get("layer_norm_epsilon", 1e-5),
        activation=settings.get("activation_function", "gelu_new"),
        score="scaled_dot" if scaled else "dot",
        max_positions=settings["n_positions"],
        tied_output=settings.get("tie_word_embeddings", True),
        head=head,
        labels=read_labels(settings, head),
        bos_id=settings.get("bos_token_id", 50256),
        eos_id=settings.get("eos_token_id", 50256),
        pad_id=settings.get("pad_token_id"),
    )


FAMILY = Family(
    model=Decoder,
    from_config=from_config,
    to_config=to_config,
    fits=fits,
    names=names,
    aliases=aliases,
    base="transformer.",
    ignored=("*.attn.bias", "*.attn.masked_bias"),  # the causal mask, which is no weight
)
