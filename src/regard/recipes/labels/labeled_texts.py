"""Texts with their labels from a user's file."""

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from regard.recipes.examples import Example
from regard.records import BadCellError, Column, Role, read_examples

TEXT: tuple[str, ...] = ("text", "sentence", "sentence1", "premise", "content", "document")
TEXT += ("review", "comment", "tweet", "body", "message", "question")
NO_LABEL = "no label"  # the reason of a bad line
LABEL = ("label", "labels", "class", "category", "sentiment", "emotion", "intent", "target")


def read_labeled(
    path: str,
    *,
    text: Column | None = None,
    pair: Column | None = None,
    label: Column | None = None,
    separator: str | None = None,
    spellings: Counter[str] | None = None,
    **reading: Any,
) -> Iterator[Example]:
    """The texts of a file with their labels, one at a time.

    A row whose label is empty, null or NaN is a bad line. An empty list, and with a separator an
    empty cell, is a text that has none of the labels.

    Args:
        text, pair, label: the columns; pair is read only if it is named.
        spellings: counts each label as the file spells it, with the spaces around it.
    """
    roles = (
        Role("text", TEXT, text, text=True),
        Role("label", LABEL, label),
        Role("pair", (), pair, required=False, text=True),
    )

    def example(values: tuple[Any, ...], line: int) -> Example:
        first, labels, second = values
        if _is_missing(labels, separator):
            problem = "expected a label; got none. Give one, or take the line out."
            raise BadCellError(problem, NO_LABEL)
        written = _label_list(labels, separator)
        if spellings is not None:
            spellings.update(written)
        return Example(first or "", second, sorted({name.strip() for name in written}), line)

    return read_examples(path, roles, example, **reading)


def _is_missing(value: Any, separator: str | None) -> bool:
    if isinstance(value, str):
        return separator is None and not value.strip()
    return value is None or value != value  # NaN


def _label_list(value: Any, separator: str | None) -> list[str]:
    """The labels of a row as they are written: a list, a number, or text that may hold several."""
    if isinstance(value, str):
        value = value.split(separator) if separator else [value]
    elif isinstance(value, bool | int | float):
        value = [value]
    if isinstance(value, list) and all(isinstance(label, str | int | float) for label in value):
        return [str(label) for label in value if str(label).strip()]
    raise BadCellError(
        f"expected a label or a list of labels; got {type(value).__name__}. Name the column of the"
        " labels with `label`."
    )


MISSING = frozenset({"nan", "null", "n/a", "#n/a", "<na>", "na"})  # what tables write for no value


def remarks(spellings: Mapping[str, int]) -> Iterator[str]:
    """A sentence for each group of spellings that may be one label, and for each missing value.

    >>> list(remarks({"good": 230, "Good": 12, "1": 3, "1.0": 2, "nan": 1, "bad": 9}))[0]
    'the labels "good" (230) and "Good" (12) may be one: if so, write them alike'
    """
    alike: dict[str, dict[str, int]] = defaultdict(dict)
    for spelling, count in spellings.items():
        alike[_key(spelling)][spelling] = count
    for group in alike.values():
        if len({spelling.strip() for spelling in group}) > 1:
            yield f"the labels {_listed(group)} may be one: if so, write them alike"
        elif any(spelling != spelling.strip() for spelling in group):
            yield f"spaces around labels do not count: {_listed(group)}"
    for key in alike.keys() & MISSING:
        yield (
            f"the label {_listed(alike[key])} looks like a missing value: if it is one, leave it"
            " empty, and the text is left out"
        )


def _key(spelling: str) -> str:
    """The same for spellings that differ in case, spaces, width or the form of a number."""
    plain = " ".join(unicodedata.normalize("NFKC", spelling).casefold().split())
    try:
        number = float(plain)
    except ValueError:
        return plain
    return plain if number != number else repr(number)


def _listed(group: Mapping[str, int]) -> str:
    """`"good" (230), "Good" (12) and " good " (3)`, the most frequent first."""
    ordered = sorted(group, key=lambda spelling: (-group[spelling], spelling))
    *first, last = [f'"{spelling}" ({group[spelling]:,})' for spelling in ordered]
    return f"{', '.join(first)} and {last}" if first else last


ENGLISH = ("the", "and", "to", "it", "that", "for", "with", "you", "my", "not", "this", "have")


def looks_english(texts: Iterable[str]) -> bool:
    """Return whether one word in twelve is among the most frequent ones of English alone.

    >>> looks_english(["where is my parcel", "the screen of it broke"])
    True
    >>> looks_english(["wo ist mein Paket", "der Bildschirm ist kaputt"])
    False
    """
    words = [word for text in texts for word in text.lower().split()]
    return 12 * sum(word in ENGLISH for word in words) > len(words)
