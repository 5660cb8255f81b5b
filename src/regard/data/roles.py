"""Roles of columns: which column of a file is the text, the label, the source …"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from regard.data import evidence
from regard.data.annotated import choices
from regard.data.languages import LANGUAGES
from regard.errors import BadArgumentError, did_you_mean, shortened

Column = str | int  # a name, or a number from 1 as `cut` counts

_LANGUAGE_WORDS = LANGUAGES | frozenset(
    """
    source src target tgt trg translation original quelle ziel übersetzung traduction traducción
    traduzione tradução vertaling перевод अनुवाद 原文 译文 翻译 訳文 翻訳
    """.split()  # noqa: SIM905
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
    label: bool = False  # whether its values are few; a column for each of them may stand for it
    # Whether it says yes or no to the others, so that no column that might say it is passed over.
    flag: bool = False
    couples: tuple[tuple[str, str], ...] = ()  # names of the first role with this one's beside it
    beside: bool = False  # whether its name says what is answered, not which column

    @property
    def option(self) -> str:
        """Option that names the column."""
        return f"{self.name}_column" if self.language or self.beside else self.name


@dataclass(frozen=True)
class Places:
    """Places of the roles of one file: positions in a table, or names of fields.

    Of a role that has a column for each label, these are several.
    """

    of: Sequence[Any]  # for each role: a place, several, or None
    header: bool = False  # whether the first row of a table has the names of its columns
    guessed: bool = False  # by the cells, where names do not say it

    def said(self, roles: Sequence[Role], names: Sequence[str]) -> str:
        """Return the places in words: "the text is 'review', the label is column 2"."""
        parts: dict[Any, str] = {}
        for role, place in zip(roles, self.of, strict=True):
            if isinstance(place, tuple):
                listed = _listed([self._shown(one, names) for one in place])
                parts[place] = f"each {role.name} has a column: {listed}"
            elif place is not None:
                parts.setdefault(place, f"the {role.name} is {self._shown(place, names)}")
        return "; ".join(parts.values())

    def _shown(self, place: str | int, names: Sequence[str]) -> str:
        if isinstance(place, str):
            return repr(place)
        return repr(names[place]) if self.header else f"column {place + 1}"


def columns_of(path: str, rows: Sequence[Sequence[str]], roles: Sequence[Role]) -> Places:
    """Return the places of the roles in a table that begins with these rows.

    Raises:
        BadArgumentError: a column that is missing, or that cannot be identified.
    """
    first = rows[0]
    names = [plain_name(cell) for cell in first]
    places: list[Any] = [
        None if place is not None and _repeats(rows, place) else place
        for place in _by_name(names, roles)
    ]
    by_name = any(place is not None for place in places)
    for k, role in enumerate(roles):
        if role.column is not None:
            places[k] = _position(path, first, role.column)
            by_name |= not is_number(role.column)
    required = [k for k, role in enumerate(roles) if role.required]
    missing = [k for k in required if places[k] is None]
    if not missing:
        return Places(
            places, by_name or all(_names(names[places[k] or 0], roles[k]) for k in required)
        )
    if by_name and (flags := _flags(first, rows[1:], roles, places)):
        return Places(flags, header=True, guessed=True)
    if guess := _by_cells(rows, roles, places, header=by_name):
        return guess
    if all(role.language for role in roles):
        return Places([*range(len(roles))])
    if not by_name and len(first) == len(required) == len(missing):
        below = [row for row in rows[1:] if len(row) == len(first)]
        header = evidence.is_header(first, below, None)
        in_order = [required.index(k) if k in required else None for k in range(len(roles))]
        return Places(in_order, header=header, guessed=header)
    raise _unknown(path, roles[missing[0]], first)


def _repeats(rows: Sequence[Sequence[str]], place: int) -> bool:
    """Return whether a cell of the first row stands in other rows below, as no name does."""
    first = rows[0]
    return any(row[place : place + 1] == [first[place]] and row != first for row in rows[1:])


def fields_of(path: str, records: Sequence[Mapping[str, Any]], roles: Sequence[Role]) -> Places:
    """Return the field of each role in a file that begins with these records.

    Raises:
        BadArgumentError: a field that is missing, or that cannot be identified.
    """
    record = records[0]
    names = list(dict.fromkeys(name for one in records for name in one))
    for role in roles:
        if role.column is not None and str(role.column) not in names:
            raise missing_column(path, role.column, names)
    places: list[Any] = _by_name([plain_name(name) for name in names], roles)
    if all(role.language for role in roles) and None in places:
        texts = [k for k, name in enumerate(names) if isinstance(record.get(name), str)]
        places = [*texts] if len(texts) == len(roles) else places
    fields: list[Any] = [
        str(role.column) if role.column is not None else None if place is None else names[place]
        for role, place in zip(roles, places, strict=True)
    ]
    cells = [[one.get(name) for name in names] for one in records]
    if None in fields and (flags := _flags(names, cells, roles, fields)):
        return Places([_named(place, names) for place in flags], guessed=True)
    for role, name in zip(roles, fields, strict=True):
        if role.required and name is None:
            raise _unknown(path, role, names)
    return Places(fields)


def _named(place: object, names: Sequence[str]) -> object:
    return tuple(names[k] for k in place) if isinstance(place, tuple) else place


def _flags(
    names: Sequence[str], rows: Sequence[Sequence[Any]], roles: Sequence[Role], places: list[Any]
) -> list[Any] | None:
    """Return the places, where the label that is missing has a column of yes and no for each of its
    values, and nothing else is missing."""
    missing = [k for k, role in enumerate(roles) if role.required and places[k] is None]
    if len(missing) != 1 or not roles[missing[0]].label or not rows:
        return None
    flags = tuple(
        column
        for column, name in enumerate(names)
        if not {column, name} & set(places)
        and all(len(row) > column and evidence.is_flag(row[column]) for row in rows)
    )
    if len(flags) < 2:
        return None
    return [flags if k == missing[0] else place for k, place in enumerate(places)]


def _by_cells(
    rows: Sequence[Sequence[str]], roles: Sequence[Role], places: list[Any], *, header: bool
) -> Places | None:
    """Return the places where names do not say them, as the cells look; None where these do not
    either."""
    width = len(rows[0])
    below = [row for row in rows[1:] if len(row) == width]
    if not below:
        return None
    kinds = [evidence.kind_of(cells) for cells in zip(*below, strict=True)]
    if all(role.language for role in roles):
        return _texts_by_cells(rows[0], below, kinds)
    free = [k for k in range(width) if k not in places and kinds[k] not in ("empty", "id", "date")]
    labels = [k for k in free if kinds[k] in ("label", "constant")]
    texts = [k for k in free if kinds[k] == "text"]
    missing = [k for k, role in enumerate(roles) if role.required and places[k] is None]
    labeled = [k for k in missing if roles[k].label]
    others = [k for k in missing if not roles[k].label]
    if any(not roles[k].text for k in others):
        return None
    in_order = not labeled or not set(free[: len(others)]) <= set(labels)
    if len(labels) == len(labeled) and len(texts) == len(others):
        chosen = dict(zip([*others, *labeled], [*texts, *labels], strict=True))
    elif len(free) == len(missing) and in_order:
        chosen = dict(zip(missing, free, strict=True))
    else:
        return None
    guess = [chosen.get(k, place) for k, place in enumerate(places)]
    label = guess[labeled[0]] if labeled else None
    header |= evidence.is_header(rows[0], below, label)
    usual = not header and width == len(missing) and [chosen[k] for k in missing] == [*range(width)]
    return Places(guess, header=header, guessed=not usual)


def _texts_by_cells(
    first: Sequence[str], below: Sequence[Sequence[str]], kinds: Sequence[evidence.Kind]
) -> Places | None:
    """Return the places of a source and its translation: the first two columns, unless one of them
    is no text and two others are."""
    if len(kinds) < 2:
        return None
    texts = [k for k, kind in enumerate(kinds) if kind in ("text", "label")]
    usual = {*kinds[:2]} <= {"text", "label"} or len(texts) != 2
    places = [0, 1] if usual else texts
    names = [first[k].strip().lower() for k in places]
    languages = all({name, *re.split(r"[_\W]+", name)} & _LANGUAGE_WORDS for name in names)
    header = (languages and evidence.looks_like_names(first)) or evidence.is_header(
        first, below, None
    )
    return Places(places, header=header, guessed=header or not usual)


def plain_name(name: str) -> str:
    """Return a name in lower case, with one sign for all that divides its words, such as R's
    points."""
    return re.sub(r"[\s.\-]+", "_", name.strip().lower()).rstrip("_")


def unique(path: str, names: Sequence[str]) -> list[str]:
    """Return the names of a table's columns, of which those without one get their number.

    Raises:
        BadArgumentError: two columns have the same name.
    """
    plain = [name.strip() for name in names]
    if plain.count("") > 1:
        plain = [name or str(k) for k, name in enumerate(plain, 1)]
    for name in plain:
        if plain.count(name) > 1:
            raise BadArgumentError(
                f"{path} has two columns called {shortened(name)!r}. Rename one of them."
            )
    return [own if own.strip() else name for own, name in zip(names, plain, strict=True)]


def inner(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the fields, or those inside Hugging Face's {"translation": {"en": …, "de": …}}, or
    with those inside Label Studio's {"data": {"text": …}, "annotations": …}, and the choices of
    these."""
    translation = record.get("translation")
    if isinstance(translation, Mapping):
        return translation
    data = record.get("data")
    return {**record, **data, **choices(record)} if isinstance(data, Mapping) else record


def is_number(column: Column | None) -> TypeGuard[Column]:
    """Return whether a column is named by its number, of a size that Python reads."""
    text = str(column)
    return isinstance(column, int) or (text.isdecimal() and len(text) < 19)


def missing_column(path: str, column: Column, names: Sequence[str]) -> BadArgumentError:
    """Return the error for a column that is not there: it lists those that are."""
    return BadArgumentError(
        f"{path} has no column {column!r}; its columns are {_listed(names)}. Name one of them."
        f"{did_you_mean(column, names)}"
    )


def _by_name(names: Sequence[str], roles: Sequence[Role]) -> list[Any]:
    """Return the place of each role among names in lower case; None where no name is known."""
    places: list[Any] = [
        next((names.index(name) for name in role.known if name in names), None) for role in roles
    ]
    if None in places and all(role.language for role in roles):
        languages = [k for k, name in enumerate(names) if name in LANGUAGES]
        return [*languages] if len(languages) == len(roles) else [None] * len(roles)
    if roles[0].column is None and not {*roles[0].known[:1]} & {*names}:
        for k, role in enumerate(roles):
            couple = next((two for two in role.couples if {*two} <= {*names}), None)
            if couple is not None and role.column is None:
                places[0], places[k] = map(names.index, couple)
    return places


def _names(cell: str, role: Role) -> bool:
    return cell in role.known or (role.language and cell in LANGUAGES)


def _position(path: str, first: Sequence[str], column: Column) -> int:
    """Return the position (from 0) of a column in rows whose first is this one."""
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
