"""JSON that is not an object a line: one array, or an array a line as spaCy has it."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from regard.data.lines import BadLine
from regard.errors import DamagedFileError
from regard.json_files import unrepeated
from regard.lines import json_object

NO_NAMES = (
    'expected a JSON object; got list, whose values have no names: write {"text": …, "label": …},'
    " with the names of what they are, or write the lists as CSV"
)


def is_whole(lines: list[str | BadLine]) -> bool:
    """Return whether the first lines are the beginning of one value, not an object a line."""
    first = next((line.strip() for line in lines if isinstance(line, str) and line.strip()), "")
    if first[:1] not in ("[", "{"):
        return False
    try:
        value = json.loads(first)
    except ValueError:
        return first in ("[", "{") or first[0] == "["
    if isinstance(value, dict):
        return isinstance(value.get("data"), list)
    filled = [line for line in lines[:9] if isinstance(line, str) and line.strip()]
    if len(filled) > 1 and filled[1].lstrip()[:1] == "[":  # an array a line
        return False
    return not isinstance(spacy(value), dict)


def read_whole(groups: Iterable[list[str | BadLine]], name: str) -> Iterator[tuple[int, Any]]:
    """Yield the objects of one array, or of the array "data" in one object, numbered from 1.

    Raises:
        DamagedFileError: it is no JSON, or no array of objects.
    """
    lines = [line for group in groups for line in group]
    for line in lines:
        if isinstance(line, BadLine):
            raise DamagedFileError(line.message)
    try:
        whole = json.loads("\n".join(map(str, lines)), object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise DamagedFileError(f"{name} is not JSON: {error}. Copy it again.") from None
    if isinstance(whole, ValueError):
        raise DamagedFileError(f"{name} cannot be read: {whole}")
    values = whole.get("data") if isinstance(whole, Mapping) else whole
    if not isinstance(values, list):
        raise DamagedFileError(
            f"{name} must be JSON lines, one array of objects, or an object with such an array as"
            ' "data"; it is another object. Convert it to one of them.'
        )
    for number, value in enumerate(values, 1):
        try:
            value = spacy(value)
            if isinstance(value, list):
                raise DamagedFileError(NO_NAMES)
            text = json.dumps(value, ensure_ascii=False, default=_refuse)
            yield number, json_object(text, strict=False)
        except DamagedFileError as error:
            yield number, BadLine(name, number, "bad record", str(error))


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any] | ValueError:
    """Return an object, or what is wrong with it, so that one of many does not cost the others."""
    try:
        return unrepeated(pairs)
    except ValueError as error:
        return error


def _refuse(error: ValueError) -> None:
    raise DamagedFileError(f"expected a JSON object; {error}")


def spacy(value: object) -> object:
    """Return a text with what is said of it, ["text", {"entities": …}], as one object; else the
    value."""
    if not isinstance(value, list) or len(value) != 2:
        return value
    text, about = value
    return {"text": text, **about} if isinstance(text, str) and isinstance(about, dict) else value
