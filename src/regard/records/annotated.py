"""Records of programs of annotation that their annotators set aside: Prodigy, Label Studio."""

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


def is_cancelled(annotation: Any) -> bool:
    """Return whether Label Studio says that an annotation was skipped."""
    return isinstance(annotation, Mapping) and annotation.get("was_cancelled") is True
