"""Evidence of the cells of a table on its columns, where their names say nothing."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from regard.letters import words

Kind = Literal["empty", "constant", "number", "id", "link", "date", "label", "text"]

_ID = re.compile(
    r"(?=.*\d)(?:[0-9a-fA-F]{16,}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})"
)
_LINK = re.compile(r"(?:https?|ftp)://\S+")
_DATE = re.compile(r"(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[-/.]\d\d?[-/.]\d{2,4})(?:[T ,].{0,40})?")
_SIGNS = frozenset(" .-/#()")  # between the words of a name
_JOINED = re.compile(r"_|[a-z][A-Z]")  # within a name that no text has
_FLAGS = frozenset(("0", "1", "0.0", "1.0", "true", "false"))


def kind_of(cells: Sequence[str]) -> Kind:
    """Return the kind of a column, by its cells in the first rows."""
    filled = [cell.strip() for cell in cells if cell.strip()]
    if 5 * len(filled) <= len(cells):
        return "empty"
    different = len(set(filled))
    if len(filled) > 2 and different == 1:
        return "constant"
    if all(map(_LINK.fullmatch, filled)):
        return "link"
    if all(map(_DATE.fullmatch, filled)):
        return "date"
    if different == len(filled) and all(cell.isdecimal() or _ID.fullmatch(cell) for cell in filled):
        return "id"
    if len(filled) > 3 and 2 * different <= len(filled) and max(map(len, filled)) <= 60:
        return "label"
    return "number" if all(map(is_number, filled)) else "text"


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def is_flag(cell: object) -> bool:
    """Return whether a cell says yes or no, as a column for each label does."""
    return str(cell).strip().lower() in _FLAGS


def looks_like_names(first: Sequence[str]) -> bool:
    """Return whether the cells of a first row, blank ones aside, could be names of columns."""
    cells = [cell.strip() for cell in first if cell.strip()]
    return (
        len({cell.lower() for cell in cells}) == len(cells) > 0
        and all(_is_name(cell) and len(cell) <= 40 for cell in cells)
        and all(len(cell.split()) <= 3 and not cell.endswith(".") for cell in cells)
    )


def _is_name(cell: str) -> bool:
    """Return whether a cell begins with a letter, and has words and few signs.

    >>> _is_name("समीक्षा"), _is_name("Class Index"), _is_name("2nd"), _is_name("Well, yes")
    (True, True, False, False)
    """
    places = words(cell)
    ends = [0, *(end for _, end in places)]
    between = "".join(
        cell[end:begin]
        for end, begin in zip(ends, [*(begin for begin, _ in places), len(cell)], strict=True)
    )
    first = bool(places) and places[0][0] == 0 and not cell[0].isdigit()
    return first and _SIGNS.issuperset(between)


def is_header(first: Sequence[str], rows: Sequence[Sequence[str]], label: int | None) -> bool:
    """Return whether a first row is certain to be names: its cells are of another type than those
    below, its label occurs nowhere else, or it is written as only names are.

    Args:
        label: the column of the labels.
    """
    if not rows:
        return False
    columns = list(zip(*rows, strict=False))
    alone = label is not None and is_alone(first[label], columns[label])
    kinds = zip(first, columns, strict=False)
    if any(cell.strip() and _is_stamp(cells) and not _is_stamp([cell]) for cell, cells in kinds):
        return True
    if not looks_like_names(first):  # questions of a form
        return alone and label is not None and first[label].strip()[-1:] in ("?", ":", "？", "：")
    numbers = any(
        all(is_number(cell) for cell in column if cell.strip()) and any(map(str.strip, column))
        for column in columns
    )
    unique = label is not None and len(rows) >= 8 and first[label] not in columns[label]
    few = alone and len(rows) >= 4 and _are_texts(rows)
    texts = _one_word_each(first) and (
        (label is None and _are_sentences(rows)) or (len(first) == 1 and _are_texts(rows))
    )
    return (
        numbers
        or unique
        or few
        or texts
        or all(_JOINED.search(cell) for cell in first if cell.strip())
    )


def _is_stamp(cells: Sequence[str]) -> bool:
    """Return whether cells are dates or links, as no name of a column is."""
    filled = [cell.strip() for cell in cells if cell.strip()]
    return bool(filled) and any(all(map(kind.fullmatch, filled)) for kind in (_DATE, _LINK))


def lacks_a_name(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether each row begins with a number of its own that the names in the first row leave
    out, as R's write.table does."""
    filled = {len(row): kind_of([row[0] for row in rows]) for row in rows if len(row) > 1}
    return len(rows) > 1 and filled == {len(first) + 1: "id"} and looks_like_names(first)


def is_alone(first: str, labels: Sequence[str]) -> bool:
    """Return whether the label of the first row occurs nowhere else, while all others repeat."""
    counts = Counter(labels)
    return first not in counts and len(counts) > 1 and min(counts.values()) > 1


def may_be_header(
    first: Sequence[str], rows: Sequence[Sequence[str]], label: int | None = None
) -> bool:
    """Return whether a first row that is read as an example might be names: each is one word, and
    below are texts, or its label is the only one that does not repeat."""
    if label is not None and is_alone(first[label], [row[label] for row in rows if row[label:]]):
        return True
    return looks_like_names(first) and _one_word_each(first) and _are_texts(rows)


def _one_word_each(first: Sequence[str]) -> bool:
    return all(len(cell.split()) == 1 for cell in first)


def _are_texts(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether cells have two words on average, and some more."""
    counts = [len(words(cell)) for row in rows for cell in row]
    return bool(counts) and max(counts) >= 4 and sum(counts) >= 2 * len(counts)


def _are_sentences(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether no cell of several rows has fewer than four words."""
    return len(rows) >= 4 and all(len(words(cell)) >= 4 for row in rows for cell in row)
