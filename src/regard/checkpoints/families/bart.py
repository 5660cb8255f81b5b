"""The encoder–decoder's names and settings in Hugging Face's BART and mBART layouts.

BART (Lewis et al. 2020) normalizes after each sub-layer, mBART (Liu et al. 2020) before it.
"""

from typing import Any

from regard.checkpoints.families.heads import label_settings, read_labels, read_writer_head
from regard.checkpoints.families.marian import RENAMES, SHARED, read_sizes, shared_settings
from regard.checkpoints.family import Family, Place, Settings, refuse_settings, rename
from regard.errors import UnsupportedError
from regard.models import EncoderDecoder, EncoderDecoderConfig

# By the config's head.
HEAD = {
    "language_model": (),
    "classification": (
        ("head.pooler.dense", "classification_head.dense"),
        ("head.output", "classification_head.out_proj"),
    ),
    "question_answering": (("head.output", "qa_outputs"),),
}
ENDINGS = {
    "language_model": "ForConditionalGeneration",
    "classification": "ForSequenceClassification",
    "question_answering": "ForQuestionAnswering",
}
LABELS = 3  # where config.json does not say
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
    head = HEAD[model.config.head]
    return {
        name: rename(name, head) if name.startswith("head.") else _their_name(name)
        for name in model.state_dict()
    }


def aliases(model: EncoderDecoder) -> dict[str, str]:
    """Names that transformers gives the one table beside the one we write."""
    tables = ["model.encoder.embed_tokens", "model.decoder.embed_tokens"]
    if model.config.head == "language_model":
        tables.append("lm_head")
    return {f"{name}.weight": SHARED for name in tables}


def to_config(config: EncoderDecoderConfig) -> Settings:
    """config.json for a model of this configuration."""
    family, name = ("mbart", "MBart") if config.norm_first else ("bart", "Bart")
    bare = config.head == "language_model" and not config.logits_bias
    head = "Model" if bare else ENDINGS[config.head]
    return {
        "model_type": family,
        "architectures": [name + head],
        **shared_settings(config),
        "activation_function": _ACTIVATIONS.get(config.activation, config.activation),
        "classifier_dropout": config.head_dropout,
        **label_settings(config.labels),
    }


def from_config(settings: Settings) -> EncoderDecoderConfig:
    """The configuration that config.json describes."""
    family = settings["model_type"]
    refuse_settings(settings, {"tie_word_embeddings": True})
    eos = settings.get("eos_token_id", 2)
    head = read_writer_head(settings)
    if family == "mbart" and head != "language_model":
        raise UnsupportedError(
            f"an mBART model here must be one that writes (MBartForConditionalGeneration); config."
            f"json says {settings['architectures'][0]}. Load the model with transformers and give"
            " it to regard.trace."
        )
    start = settings.get("decoder_start_token_id", 2 if family == "bart" else None)
    return EncoderDecoderConfig(
        **read_sizes(settings),
        dropout=settings.get("dropout", 0.1),
        norm="post" if family == "bart" else "pre",
        activation=settings.get("activation_function", "gelu"),
        scale_embedding=settings.get("scale_embedding", False),
        # A file of the model without its head, as of facebook/bart-base, holds no such bias.
        logits_bias=settings.get("architectures") not in (["BartModel"], ["MBartModel"]),
        head=head,
        labels=read_labels(settings, head, count=LABELS),
        head_dropout=settings.get("classifier_dropout", 0.0),
        pad_id=settings.get("pad_token_id", 1),
        eos_id=eos,
        # The first mBART starts from the target's language, which no config.json knows; mBART-50
        # starts from eos, and reads the language next.
        start_id=eos if start is None else start,
        **FIXED,
    )


_ACTIVATIONS = {"gelu_tanh": "gelu_new"}  # ours → theirs where they differ


def _fits(config: EncoderDecoderConfig) -> bool:
    same = all(getattr(config, name) == value for name, value in FIXED.items())
    # With a head, mBART's decoder begins with the text's last token, a language.
    return same and (config.head == "language_model" or not config.norm_first)


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
