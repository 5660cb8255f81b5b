"""Roles of columns: which column of a file is the text, the label, the source …"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from regard.errors import BadArgumentError, did_you_mean, shortened

Column = str | int  # a name, or a number from 1 as `cut` counts

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


@dataclass(frozen=True)
class Role:
    """A column that a task reads.

    >>> Role("label", ("label", "category"), required=False).known
    ('label', 'category')
    """

    name: str  # what the task, and its option, call it
    known: tuple[str, ...]  # names that a file may have for it, in lower case
    column: Column | None = None  # the one that was asked for: a name, or a number from 1
    required: bool = True
    text: bool = False  # whether its cells must be text; else JSON and Parquet may hold any value
    language: bool = False  # whether a language may name it, and a place in rows of any width

    @property
    def option(self) -> str:
        """Option that names the column."""
        return f"{self.name}_column" if self.language else self.name


def columns_of(
    path: str, first: Sequence[str], roles: Sequence[Role]
) -> tuple[list[int | None], bool]:
    """The position of each role in the rows of a table, and whether its first row is a header.

    Raises:
        BadArgumentError: a column that is missing, or that cannot be identified.
    """
    names = [cell.strip().lower() for cell in first]
    places = _by_name(names, roles)
    by_name = any(place is not None for place in places)
    for k, role in enumerate(roles):
        if role.column is not None:
            places[k] = _position(path, first, role.column)
            by_name |= not is_number(role.column)
    required = [k for k, role in enumerate(roles) if role.required]
    missing = [k for k in required if places[k] is None]
    if not missing:
        return places, by_name or all(_names(names[places[k] or 0], roles[k]) for k in required)
    if all(role.language for role in roles):
        return [*range(len(roles))], False
    if not by_name and len(first) == len(required) == len(missing):
        for column, k in enumerate(required):
            places[k] = column
        return places, False
    raise _unknown(path, roles[missing[0]], first)


def fields_of(path: str, record: Mapping[str, Any], roles: Sequence[Role]) -> list[str | None]:
    """The name of each role's field in records like this one.

    Raises:
        BadArgumentError: a field that is missing, or that cannot be identified.
    """
    names = list(record)
    for role in roles:
        if role.column is not None and str(role.column) not in record:
            raise missing_column(path, role.column, names)
    places = _by_name([name.lower() for name in names], roles)
    if all(role.language for role in roles) and None in places:
        texts = [k for k, name in enumerate(names) if isinstance(record[name], str)]
        places = [*texts] if len(texts) == len(roles) else places
    fields = [
        str(role.column) if role.column is not None else None if place is None else names[place]
        for role, place in zip(roles, places, strict=True)
    ]
    for role, name in zip(roles, fields, strict=True):
        if role.required and name is None:
            raise _unknown(path, role, names)
    return fields


def inner(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields, or those inside Hugging Face's {"translation": {"en": …, "de": …}}."""
    translation = record.get("translation")
    return translation if isinstance(translation, Mapping) else record


def is_number(column: Column | None) -> TypeGuard[Column]:
    """Return whether a column is named by its number, of a size that Python reads."""
    text = str(column)
    return isinstance(column, int) or (text.isdecimal() and len(text) < 19)


def missing_column(path: str, column: Column, names: Sequence[str]) -> BadArgumentError:
    """The error for a column that is not there: it lists those that are."""
    return BadArgumentError(
        f"{path} has no column {column!r}; its columns are {_listed(names)}. Name one of them."
        f"{did_you_mean(column, names)}"
    )


def _by_name(names: Sequence[str], roles: Sequence[Role]) -> list[int | None]:
    """The place of each role among names in lower case; None where no name is known."""
    places = [
        next((names.index(name) for name in role.known if name in names), None) for role in roles
    ]
    if None in places and all(role.language for role in roles):
        languages = [k for k, name in enumerate(names) if name in _LANGUAGES]
        return [*languages] if len(languages) == len(roles) else [None] * len(roles)
    return places


def _names(cell: str, role: Role) -> bool:
    return cell in role.known or (role.language and cell in _LANGUAGES)


def _position(path: str, first: Sequence[str], column: Column) -> int:
    """The position (from 0) of a column in rows whose first is this one."""
    if column in first:
        return list(first).index(str(column))
    if is_number(column):
        if 1 <= int(column) <= len(first):
            return int(column) - 1
        raise BadArgumentError(
            f"{path} has columns 1 to {len(first)}; got {column}. Name one of them."
        )
    raise missing_column(path, column, first)


def _unknown(path: str, role: Role, names: Sequence[str]) -> BadArgumentError:
    return BadArgumentError(
        f"{path} has no column that is known to be the {role.name}; its columns are"
        f" {_listed(names)}. Name one with `{role.option}`, or by its number from 1."
    )


def _listed(names: Sequence[str]) -> str:
    """Names in a row, the long ones cut: a first row may be a sentence."""
    return ", ".join(map(shortened, names))
