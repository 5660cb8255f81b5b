"""What a model gives, as config.json says it: the class in "architectures", and the labels; and the
names of an encoder's weights, which depend on its head."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from regard.checkpoints.family import Settings, rename
from regard.errors import UnsupportedError, refusing

if TYPE_CHECKING:
    from regard.models import Encoder, VisionTransformer

# The ending of a transformers class → the head it has. "Model" has a pooler where the family does.
TEXT_HEADS = {
    "Model": "pooler",
    "ForMaskedLM": "masked_lm",
    "ForSequenceClassification": "classification",
    "ForTokenClassification": "token_classification",
    "ForQuestionAnswering": "question_answering",
}
# Of encoders: the projection of each token, which all families call alike.
TOKEN_HEADS = {
    "token_classification": (("head.output", "classifier"),),
    "question_answering": (("head.output", "qa_outputs"),),
}
# Of models that write; a file of the model alone, "Model", has all that a language model needs.
WRITER_HEADS = {
    "LMHeadModel": "language_model",
    "ForCausalLM": "language_model",
    "ForConditionalGeneration": "language_model",
    "ForSequenceClassification": "classification",
    "ForQuestionAnswering": "question_answering",
}
# Of encoder–decoder families: parts of a model, or heads on it.
NOT_WRITERS = (
    *("EncoderModel", "ForCausalLM"),
    *("ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering"),
)
IMAGE_HEADS = {"Model": "pooler", "ForImageClassification": "classification"}

# Our own key, beside theirs: transformers says this in Python only.
POOLER = "add_pooling_layer"


Table = Iterable[tuple[str, str]]  # (ours, theirs), replaced in this order inside every name


def encoder_names(
    model: Encoder | VisionTransformer, *, base: str, body: Table, head: Mapping[str, Table]
) -> dict[str, str]:
    """Our name → theirs for every weight of an encoder.

    Args:
        base: their prefix for all but the head.
        body: the table for all but the head.
        head: the table for the head, by the config's head.
    """
    own = (TOKEN_HEADS | dict(head)).get(model.config.head, ())
    return {
        name: rename(name, own) if name.startswith("head.") else f"{base}.{rename(name, body)}"
        for name in model.state_dict()
    }


def read_head(settings: Settings, prefix: str, heads: Mapping[str, str]) -> str:
    """The head of the class that wrote config.json, a name in `heads` after `prefix` ("Bert")."""
    architecture = _architecture(settings) or f"{prefix}Model"
    head = heads.get(str(architecture).removeprefix(prefix))
    if head is None:
        raise UnsupportedError(
            f"architectures must be one of {', '.join(prefix + ending for ending in heads)};"
            f" config.json says {architecture}."
        )
    return "none" if head == "pooler" and not settings.get(POOLER, True) else head


def named_head(settings: Settings, heads: Mapping[str, str]) -> str | None:
    """The head that the name of the class in config.json ends with; None where it names none."""
    architecture = _architecture(settings)
    return next((head for end, head in heads.items() if architecture.endswith(end)), None)


def _architecture(settings: Settings) -> str:
    """The name of the class that wrote config.json; empty where it does not say."""
    with refusing("architectures in config.json must be a list of names"):
        return str((settings.get("architectures") or [""])[0])


def read_writer_head(settings: Settings) -> str:
    """The head of the class that wrote config.json: a language model unless it names another."""
    return named_head(settings, WRITER_HEADS) or "language_model"


def check_writes(settings: Settings) -> None:
    """Refuses a class of models that read, of an encoder–decoder family that has none here.

    Raises:
        UnsupportedError: config.json names such a class.
    """
    architecture = _architecture(settings)
    if architecture.endswith(NOT_WRITERS):
        raise UnsupportedError(
            f"a {settings['model_type']} model here must be one that writes"
            f" (…ForConditionalGeneration); config.json says {architecture}. regard look opens it"
            " by transformers; in Python, load it with transformers and give it to regard.trace."
        )


def head_settings(head: str, prefix: str, heads: Mapping[str, str]) -> Settings:
    """What config.json says for a head."""
    if head == "none":
        return {"architectures": [f"{prefix}Model"], POOLER: False}
    ending = next(ending for ending, name in heads.items() if name == head)
    return {"architectures": [f"{prefix}{ending}"]}


def read_labels(settings: Settings, head: str, *, count: int = 2) -> tuple[str, ...]:
    """The names of the classes in their order; by default transformers' unnamed ones.

    Args:
        count: of the unnamed ones.
    """
    if head not in ("classification", "token_classification"):
        return ()
    names = settings.get("id2label")
    if names is None:
        return tuple(f"LABEL_{index}" for index in range(settings.get("num_labels", count)))
    return tuple(str(names[key]) for key in sorted(names, key=int))


def label_settings(labels: tuple[str, ...]) -> Settings:
    """What config.json says for these labels."""
    if not labels:
        return {}
    return {
        "id2label": {str(index): label for index, label in enumerate(labels)},
        "label2id": {label: index for index, label in enumerate(labels)},
    }
