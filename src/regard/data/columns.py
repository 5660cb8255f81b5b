"""Which two columns or fields of a file are the source and the target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeGuard

from regard.errors import BadArgumentError

Column = str | int  # a name, or a number from 1 as `cut` counts
Wanted = tuple[Column | None, Column | None]

_SOURCE_NAMES = ("source", "src", "source_text", "input", "sentence1")
_TARGET_NAMES = ("target", "tgt", "trg", "target_text", "output", "sentence2", "translation")
# Languages as first rows and JSON fields name them; a first row of two of them is a header.
# Without "id": a column of that name holds numbers more often than Indonesian.
_LANGUAGES = frozenset(
    """
    ar bg bn ca cs da de el en es et fa fi fr ga gu he hi hr hu is it ja kn ko lt lv ml mr ms ne
    nl no pa pl pt ro ru sk sl sq sr sv sw ta te th tr uk ur vi zh arabic bengali chinese czech
    dutch english french german greek gujarati hebrew hindi hungarian italian japanese korean
    marathi nepali polish portuguese punjabi romanian russian spanish swedish tamil telugu turkish
    ukrainian urdu vietnamese
    """.split()  # noqa: SIM905, a list of 90 quoted words reads worse
)


def find_columns(path: Path, first: Sequence[str], wanted: Wanted) -> tuple[int, int]:
    """Positions (from 0) of source and target in the rows of a table with this first row."""
    if None in wanted:
        named = _known_pair([cell.strip().lower() for cell in first])
        return named if named is not None else (0, 1)
    return column_position(path, first, wanted[0]), column_position(path, first, wanted[1])


def looks_like_header(first: Sequence[str], columns: tuple[int, int], wanted: Wanted) -> bool:
    """Whether the first row holds names: the wanted ones, or two that only a header would have."""
    if any(isinstance(column, str) and not is_number(column) for column in wanted):
        return True  # find_columns has found them there
    return _known_pair([first[column].strip().lower() for column in columns]) is not None


def find_fields(path: Path, record: Mapping[str, Any], wanted: Wanted) -> tuple[str, str]:
    """Names of the source and the target field of records like this one."""
    names = list(record)
    if None not in wanted:
        for column in wanted:
            if str(column) not in record:
                raise missing_column(path, column, names)
        return str(wanted[0]), str(wanted[1])
    known = _known_pair([name.lower() for name in names])
    if known is not None:
        return names[known[0]], names[known[1]]
    texts = [name for name in names if isinstance(record[name], str)]
    if len(texts) == 2:
        return texts[0], texts[1]
    raise BadArgumentError(
        f"{path}: expected a source and a target among the fields; got {', '.join(names)}: "
        "name them with source_column and target_column"
    )


def fields_of(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields, or those inside Hugging Face's {"translation": {"en": …, "de": …}}."""
    inner = record.get("translation")
    return inner if isinstance(inner, Mapping) else record


def _known_pair(names: list[str]) -> tuple[int, int] | None:
    sources = [i for i, name in enumerate(names) if name in _SOURCE_NAMES]
    targets = [i for i, name in enumerate(names) if name in _TARGET_NAMES]
    if len(sources) == 1 and len(targets) == 1:
        return sources[0], targets[0]
    languages = [i for i, name in enumerate(names) if name in _LANGUAGES]
    return (languages[0], languages[1]) if len(languages) == 2 else None


def column_position(path: Path, first: Sequence[str], column: Column | None) -> int:
    """The position (from 0) of a column in rows whose first is this one.

    Raises BadArgumentError where there is no such column.
    """
    if column in first:
        return list(first).index(str(column))
    if is_number(column):
        if 1 <= int(column) <= len(first):
            return int(column) - 1
        raise BadArgumentError(
            f"{path} has columns 1 to {len(first)}; got {column}. Name one of them."
        )
    raise missing_column(path, column, first)


def is_number(column: Column | None) -> TypeGuard[Column]:
    """Whether a column is named by its number, of a size that Python reads."""
    text = str(column)
    return isinstance(column, int) or (text.isdecimal() and len(text) < 19)


def missing_column(path: Path, column: Column | None, names: Sequence[str]) -> BadArgumentError:
    """What to raise for a column that is not there: it lists those that are."""
    return BadArgumentError(
        f"{path} has no column {column!r}; its columns are {listed(names)}. Name one of them."
    )


def listed(names: Sequence[str]) -> str:
    """Names in a row, the long ones cut: a first row may be a sentence."""
    return ", ".join(name if len(name) <= 40 else f"{name[:39]}…" for name in names)
