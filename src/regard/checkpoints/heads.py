"""Heads as config.json says them: by the class in "architectures", whose ending names the head."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from regard.errors import UnsupportedError, refusing

if TYPE_CHECKING:
    from regard.models.configs.config import ModelConfig

Settings = dict[str, Any]  # the content of config.json

ANSWERS = "question_answering"
# The ending of a transformers class → the head it has. "Model" has a pooler where the family does.
TEXT_HEADS = {
    "Model": "pooler",
    "ForMaskedLM": "masked_lm",
    "ForSequenceClassification": "classification",
    "ForTokenClassification": "token_classification",
    "ForQuestionAnswering": ANSWERS,
}
# Of them, what models that write may have too.
READER_HEADS = {
    end: head for end, head in TEXT_HEADS.items() if head in ("classification", ANSWERS)
}
# The projection of each token, which all families call alike.
PROJECTIONS = {"token_classification": "classifier", ANSWERS: "qa_outputs"}
# Of models that write; a file of the model alone, "Model", has all that a language model needs.
_WRITER_HEADS = {
    **dict.fromkeys(("LMHeadModel", "ForCausalLM", "ForConditionalGeneration"), "language_model"),
    **READER_HEADS,
}
IMAGE_HEADS = {"Model": "pooler", "ForImageClassification": "classification"}
# Of encoder–decoder families: parts of a model, or heads on it.
_NOT_WRITERS = ("EncoderModel", "ForCausalLM", *[*TEXT_HEADS][2:])
_POOLER = "add_pooling_layer"  # our own key: transformers says this in Python only


def ending_of(head: str, heads: Mapping[str, str] = TEXT_HEADS) -> str:
    """Return the ending of the classes with a head, such as "ForMaskedLM"."""
    return next(ending for ending, name in heads.items() if name == head)


def named_head(settings: Settings, heads: Mapping[str, str]) -> str | None:
    """Return the head that the name of the class in config.json ends with; None where it names
    none."""
    architecture = _architecture(settings)
    return next((head for end, head in heads.items() if architecture.endswith(end)), None)


def read_writer_head(settings: Settings) -> str:
    """Return the head of the class that wrote config.json: a language model unless it names
    another."""
    return named_head(settings, _WRITER_HEADS) or "language_model"


def head_of(settings: Settings, prefix: str, heads: Mapping[str, str]) -> str:
    """Return the head of the class that wrote config.json.

    Args:
        prefix: of the family's classes, such as "Bert".
        heads: by the endings of its classes; those of a family that writes are not all of its own.
    """
    if "language_model" in heads.values():
        return read_writer_head(settings)
    architecture = _architecture(settings) or f"{prefix}Model"
    head = heads.get(architecture.removeprefix(prefix))
    if head is None:
        raise UnsupportedError(
            f"architectures must be one of {', '.join(prefix + ending for ending in heads)};"
            f" config.json says {architecture}."
        )
    return "none" if head == "pooler" and not settings.get(_POOLER, True) else head


def check_writes(settings: Settings) -> None:
    """Refuses a class of models that read, of an encoder–decoder family that has none here."""
    architecture = _architecture(settings)
    if architecture.endswith(_NOT_WRITERS):
        raise UnsupportedError(
            f"a {settings['model_type']} model here must be one that writes"
            f" (…ForConditionalGeneration); config.json says {architecture}. regard look opens it"
            " by transformers; in Python, load it with transformers and give it to regard.trace."
        )


def head_settings(config: ModelConfig, prefix: str, heads: Mapping[str, str]) -> Settings:
    """Return the keys of config.json for the head of a config and its labels."""
    if config.head == "none":
        return {"architectures": [f"{prefix}Model"], _POOLER: False}
    settings: Settings = {"architectures": [prefix + ending_of(config.head, heads)]}
    if config.labels:
        settings["id2label"] = {str(index): label for index, label in enumerate(config.labels)}
        settings["label2id"] = {label: index for index, label in enumerate(config.labels)}
    return settings


def read_labels(settings: Settings, head: str, count: int) -> tuple[str, ...]:
    """Return the names of the classes in their order; by default transformers' unnamed ones."""
    if head not in ("classification", "token_classification"):
        return ()
    names = settings.get("id2label")
    if names is None:
        return tuple(f"LABEL_{index}" for index in range(settings.get("num_labels", count)))
    return tuple(str(names[key]) for key in sorted(names, key=int))


def _architecture(settings: Settings) -> str:
    """Return the name of the class that wrote config.json; empty where it does not say."""
    with refusing("architectures in config.json must be a list of names"):
        return str((settings.get("architectures") or [""])[0])
