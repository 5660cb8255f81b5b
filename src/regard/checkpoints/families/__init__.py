"""The families of checkpoints: one table, and one module for each, imported when a folder asks."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from regard.checkpoints.family import Family
from regard.errors import UnsupportedError, did_you_mean


@dataclass(frozen=True)
class Entry:
    """Facts about a family that need neither its module nor torch."""

    module: str  # here
    model: str  # the class of its models in `regard.models`
    titles: Mapping[str, str]  # model_type of config.json → the name in messages
    headed: tuple[str, ...] = ()  # types whose models may have a head for labels or answers

    @property
    def family(self) -> Family:
        family: Family = import_module(f"{__name__}.{self.module}").FAMILY
        return family


# For saving, the first family that fits the model is taken, so a family that fits only some
# configs stands before one that fits all.
FAMILIES = (
    Entry("gpt2", "Decoder", {"gpt2": "GPT-2"}, headed=("gpt2",)),
    Entry(
        "llama",
        "Decoder",
        {"llama": "Llama", "mistral": "Mistral", "qwen2": "Qwen2", "qwen3": "Qwen3"}
        | {"olmo2": "OLMo 2", "smollm3": "SmolLM3"},
        headed=("llama", "mistral", "qwen2", "qwen3", "olmo2", "smollm3"),
    ),
    Entry(
        "mixtral",
        "Decoder",
        {"mixtral": "Mixtral", "qwen3_moe": "Qwen3-MoE"},
        headed=("mixtral", "qwen3_moe"),
    ),
    Entry("gpt_oss", "Decoder", {"gpt_oss": "gpt-oss"}, headed=("gpt_oss",)),
    Entry("phi3", "Decoder", {"phi3": "Phi-3"}, headed=("phi3",)),
    Entry(
        "gemma",
        "Decoder",
        {"gemma2": "Gemma 2", "gemma3_text": "Gemma 3"},
        headed=("gemma2", "gemma3_text"),
    ),
    Entry("bart", "EncoderDecoder", {"bart": "BART", "mbart": "mBART"}, headed=("bart",)),
    Entry("m2m100", "EncoderDecoder", {"m2m_100": "M2M100 and NLLB"}),
    Entry("t5", "EncoderDecoder", {"t5": "T5", "mt5": "mT5"}),
    Entry(
        "marian", "EncoderDecoder", {"marian": "Marian", "pegasus": "Pegasus", "regard": "regard"}
    ),
    Entry("recurrent", "RecurrentEncoderDecoder", {"regard-recurrent": "regard"}),
    Entry("bert", "Encoder", {"bert": "BERT"}, headed=("bert",)),
    Entry(
        "roberta",
        "Encoder",
        {"roberta": "RoBERTa", "xlm-roberta": "XLM-R"},
        headed=("roberta", "xlm-roberta"),
    ),
    Entry("electra", "Encoder", {"electra": "ELECTRA"}, headed=("electra",)),
    Entry("deberta", "Encoder", {"deberta-v2": "DeBERTa"}, headed=("deberta-v2",)),
    Entry("modernbert", "Encoder", {"modernbert": "ModernBERT"}, headed=("modernbert",)),
    Entry("distilbert", "Encoder", {"distilbert": "DistilBERT"}, headed=("distilbert",)),
    Entry("vit", "VisionTransformer", {"vit": "ViT"}),
    Entry("clip", "DualEncoder", {"clip": "CLIP"}),
    Entry("siglip", "DualEncoder", {"siglip": "SigLIP"}),
    Entry("whisper", "SpeechEncoderDecoder", {"whisper": "Whisper"}),
)
READERS = ("Encoder", "Decoder", "EncoderDecoder")  # can read a text for a head
TYPES: dict[str, Entry] = {name: entry for entry in FAMILIES for name in entry.titles}


def titles(*models: str, headed: bool = False) -> str:
    """Return the families whose models are of these classes, for messages.

    >>> titles("EncoderDecoder", "RecurrentEncoderDecoder", "VisionTransformer")
    'BART, mBART, M2M100 and NLLB, T5, mT5, Marian, Pegasus, regard, regard, ViT'
    """
    entries = [entry for model in models for entry in FAMILIES if entry.model == model]
    return ", ".join(
        title
        for entry in entries
        for name, title in entry.titles.items()
        if name in entry.headed or not headed
    )


def find_family(model_type: object, *, where: str) -> Entry:
    """Return the family of a model_type. `where` it was found is for the message."""
    if isinstance(model_type, str) and model_type in TYPES:
        return TYPES[model_type]
    hint = did_you_mean(model_type, TYPES)
    raise UnsupportedError(
        f"model_type must be one of {', '.join(sorted(TYPES))}; {where} says"
        f" {model_type!r}.{hint} regard look opens other models by transformers; in Python, load"
        " the model with transformers and give it to regard.trace."
    )


def family_of(model: Any) -> Family:
    """Return the family as which a model is saved."""
    for entry in FAMILIES:
        if entry.model == type(model).__name__ and entry.family.fits(model.config):
            return entry.family
    raise UnsupportedError(
        f"a model that is saved must be of a family here ({', '.join(sorted(TYPES))});"
        f" got {type(model).__name__}."
    )
