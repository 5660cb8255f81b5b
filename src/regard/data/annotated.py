"""Records of programs of annotation: what Label Studio's annotators chose, what was set aside."""

from collections.abc import Mapping, Sequence
from typing import Any

_ANNOTATED = frozenset(("label", "labels", "spans", "options", "accept", "relations", "_task_hash"))


def set_aside(record: Mapping[str, Any], read: Sequence[Any] = ()) -> str | None:
    """Say why a record is not to be read; None for one that is.

    Args:
        read: the names of the fields that are read, whose values mean something else.

    >>> set_aside({"text": "a", "label": "x", "answer": "reject"})
    'its annotator said reject.'
    """
    answer = record.get("answer")
    if answer in ("reject", "ignore") and _ANNOTATED & record.keys() and "answer" not in read:
        return f"its annotator said {answer}."
    done = record.get("annotations")
    cancelled = isinstance(done, list) and bool(done) and all(map(is_cancelled, done))
    if (is_cancelled(record) and "was_cancelled" not in read) or cancelled:
        return "its annotator skipped it."
    return None


def choices(record: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return the choices of Label Studio's first annotation that was not skipped, by their names,
    as its short form of JSON has them.

    >>> mood = {"type": "choices", "from_name": "mood", "value": {"choices": ["good"]}}
    >>> choices({"data": {"text": "a"}, "annotations": [{"result": [mood]}]})
    {'mood': ['good']}
    """
    used = next((one for one in _objects(record.get("annotations")) if not is_cancelled(one)), {})
    values = {one.get("from_name"): one.get("value") for one in _objects(used.get("result"))}
    return {
        str(name): value["choices"]
        for name, value in values.items()
        if isinstance(value, Mapping) and isinstance(value.get("choices"), list)
    }


def _objects(value: object) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def is_cancelled(annotation: object) -> bool:
    """Return whether Label Studio says that an annotation was skipped."""
    return isinstance(annotation, Mapping) and annotation.get("was_cancelled") is True
