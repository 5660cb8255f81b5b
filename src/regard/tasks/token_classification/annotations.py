"""Texts with labeled parts, as programs of annotation write them: doccano, spaCy, Prodigy, Label
Studio."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from regard.data import BadCellError
from regard.data.annotated import is_cancelled

_START, _END = ("start", "start_offset", "begin"), ("end", "end_offset")
_LABEL = ("label", "labels", "entity", "type", "tag", "entity_group", "entity_type")


def spans_of(value: Iterable[Any]) -> list[dict[str, Any]]:
    """Spans with a "start", an "end" and a "label", from a list of them in any of these forms.

    >>> spans_of([[0, 4, "PER"]])
    [{'start': 0, 'end': 4, 'label': 'PER'}]
    """
    return list(_spans(value))


def _spans(value: Iterable[Any]) -> Iterator[dict[str, Any]]:
    for part in value:
        if is_cancelled(part):
            continue
        if isinstance(part, Mapping) and isinstance(part.get("result"), list):  # Label Studio
            yield from _spans(part["result"])
        elif isinstance(part, Mapping) and isinstance(part.get("value"), Mapping):
            yield from _spans([part["value"]])
        elif isinstance(part, list | tuple) and len(part) == 3:
            yield _span(*part)
        elif isinstance(part, Mapping):
            yield _span(*(_first(part, names) for names in (_START, _END, _LABEL)))
        else:
            raise _no_span()


def _first(part: Mapping[str, Any], names: tuple[str, ...]) -> object:
    return next((part[name] for name in names if name in part), None)


def _span(start: object, end: object, label: object) -> dict[str, Any]:
    if isinstance(label, list) and len(label) == 1:
        [label] = label
    numbers = all(isinstance(place, int) and not isinstance(place, bool) for place in (start, end))
    if not numbers or not isinstance(label, str | int):
        raise _no_span()
    return {"start": start, "end": end, "label": str(label)}


def _no_span() -> BadCellError:
    return BadCellError(
        'a span must have a "start", an "end" and a "label", or be a list of them, [0, 4, "PER"].'
    )
