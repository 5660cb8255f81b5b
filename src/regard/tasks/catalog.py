"""The catalog of the tasks, each declared in its folder, and of the kinds of models for them."""

from collections.abc import Mapping
from typing import Any

from regard.checkpoints.shipped import (
    MODEL,
    SHIPPED,
    VECTOR_COMMANDS,
    VECTOR_READER,
    VECTORS,
    wrong_use,
)
from regard.errors import BadArgumentError, check_choice, unknown
from regard.tasks import (
    classification,
    embedding,
    extraction,
    fill_mask,
    images,
    matching,
    question_answering,
    summarization,
    text_generation,
    token_classification,
    transcription,
    translation,
)
from regard.tasks.declaration import Kind

# By the names that transformers gives to tasks, but for the last two.
DECLARATIONS: tuple[Kind, ...] = (
    translation.TASK,
    summarization.TASK,
    extraction.TASK,
    summarization.REWRITING,
    text_generation.TASK,
    classification.TASK,
    token_classification.TASK,
    question_answering.TASK,
    fill_mask.TASK,
    embedding.TASK,
    images.TASK,
    matching.TASK,
    transcription.TASK,
    translation.RECURRENT,
    Kind(
        "word-vectors",
        VECTORS,
        "to look up the vectors of words",
        "words-en, or a file or folder of word vectors",
        VECTOR_COMMANDS,
        VECTOR_READER,
    ),
)
KINDS = {kind.name: kind for kind in DECLARATIONS}
# What `regard.load` takes for a task, and those of them that have a command and a route.
LOADED = tuple(name for name, kind in KINDS.items() if kind.task and name[:9] != "recurrent")
VERBS = {kind.verb: name for name, kind in KINDS.items() if kind.verb}
TRAINED = {kind.training.name: kind for kind in DECLARATIONS if kind.training.name}


def doing(verb: str) -> Kind:
    """Return the declaration of the task with this verb.

    Raises:
        BadArgumentError: an unknown task.
    """
    check_choice("task", verb, VERBS)
    return KINDS[VERBS[verb]]


def chosen(verb: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that differ from their defaults, each within its bounds.

    Raises:
        BadArgumentError: an option that the task does not have, or a value out of range.
    """
    own = doing(verb).options_class()
    for name in options:
        if name not in own.settings():
            raise not_of(verb, name)
    values: dict[str, Any] = own(**options).passed()
    return values


def not_of(verb: str, name: str) -> BadArgumentError:
    """Return the error for an option, or a column, that a task does not have."""
    takers = [
        other
        for other in VERBS
        if name in doing(other).options_class().settings()
        or name in (each.name for each in doing(other).inputs[1:])
    ]
    if not takers:
        return unknown(f"an option of {verb}", name, doing(verb).options_class().settings())
    return BadArgumentError(
        f"`{name}` belongs to {' and '.join(takers)}; {verb} does not have it. Leave it out."
    )


def taken_by(command: str) -> tuple[str, ...]:
    """Return the shipped models that a command of `regard` takes."""
    return tuple(name for name, each in SHIPPED.items() if command in KINDS[each.kind].commands)


def default(kind: str, *languages: str | None) -> str | None:
    """Return the shipped model of a kind, which is used where none is named; None: no model is
    shipped.

    Args:
        languages: of the source and the target of a translator; the first one if none has them.
    """
    models = [model for model in SHIPPED.values() if kind in (model.kind, KINDS[model.kind].does)]
    fitting = [model for model in models if model.fits(*languages)] or models
    return fitting[0].name if fitting else None


def wrong_kind(name: object, what: str, kind: str, needed: str = MODEL) -> str:
    """Say of a model that cannot do what is asked what it is, and what takes it.

    Args:
        what: the model, such as "a language model (gpt2)".
        kind: what it is, a name in KINDS.
        needed: what to give in its place.
    """
    return wrong_use(name, what, KINDS[kind].commands, KINDS[kind].python, needed)
