"""The encoder–decoder's names and settings in Hugging Face's BART and mBART layouts.

BART (Lewis et al. 2020) normalizes after each sub-layer, mBART (Liu et al. 2020) before it.
"""

from typing import Any

from regard.checkpoints.families import marian
from regard.checkpoints.family import Family, Key, Settings
from regard.checkpoints.heads import READER_HEADS
from regard.errors import UnsupportedError
from regard.models.configs.encoder_decoder import EncoderDecoderConfig

# By the config's head.
HEAD = {
    "classification": (
        ("head.pooler.dense", "classification_head.dense"),
        ("head.output", "classification_head.out_proj"),
    )
}
_ACTIVATIONS = {"gelu_tanh": "gelu_new"}  # ours → theirs where they differ
KEYS = marian.KEYS | {
    "dropout": Key("dropout", 0.1),
    "activation_function": Key(
        "activation", "gelu", write=lambda name: _ACTIVATIONS.get(name, name)
    ),
    "classifier_dropout": Key("head_dropout", 0.0),
    "pad_token_id": Key("pad_id", 1),
    "eos_token_id": Key("eos_id", 2),
    "decoder_start_token_id": Key("start_id", None),
}


def read(settings: Settings, fields: dict[str, Any]) -> dict[str, Any]:
    """Return the norm of the family, and where its decoder starts."""
    marian.check_sizes(settings)
    bart = settings["model_type"] == "bart"
    if not bart and fields["head"] != "language_model":
        raise UnsupportedError(
            "an mBART model here must be one that writes (MBartForConditionalGeneration); config."
            f"json says {settings['architectures'][0]}. Load the model with transformers and give"
            " it to regard.trace."
        )
    # The first mBART starts from the target's language, which no config.json knows; mBART-50 starts
    # from eos, and reads the language next.
    start = settings.get("decoder_start_token_id", 2 if bart else None)
    return dict(
        norm="post" if bart else "pre",
        # A file of the model without its head, as of facebook/bart-base, holds no such bias.
        logits_bias=settings.get("architectures") not in (["BartModel"], ["MBartModel"]),
        start_id=fields["eos_id"] if start is None else start,
    )


def write(config: EncoderDecoderConfig) -> Settings:
    """Return the class of a model without a bias of the logits, which is the model alone."""
    bare = config.head == "language_model" and not config.logits_bias
    return {"architectures": ["MBartModel" if config.norm_first else "BartModel"]} if bare else {}


def _type_of(config: EncoderDecoderConfig) -> str | None:
    if not config.norm_first:
        return "bart"
    # With a head, mBART's decoder begins with the text's last token, a language.
    return "mbart" if config.head == "language_model" else None


FAMILY = Family(
    config=EncoderDecoderConfig,
    classes={"bart": "Bart", "mbart": "MBart"},
    heads={"ForConditionalGeneration": "language_model", **READER_HEADS},
    labels=3,
    keys=KEYS,
    fixed={
        **marian.FIXED,
        "target_vocab_size": None,
        "positions": "learned",
        "position_offset": 2,
        "embedding_norm": True,
    },
    written=marian.WRITTEN,
    refused={"tie_word_embeddings": True},
    read=read,
    write=write,
    type_of=_type_of,
    head=HEAD,
    place=marian.place,
    aliases=marian.aliases,
    base="model.",
    ignored=("model.encoder.version", "model.decoder.version"),
)
