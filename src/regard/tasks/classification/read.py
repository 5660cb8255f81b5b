"""Texts with their labels from a user's file."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeGuard

from regard.data import BadCellError, Column, Role, read_examples
from regard.data.cells import MISSING, literal
from regard.data.evidence import is_flag, is_number
from regard.data.lines import Say, first_line, warn
from regard.training.examples import Example

TEXT: tuple[str, ...] = ("text", "sentence", "sentence1", "premise", "content", "document")
TEXT += ("review", "comment", "tweet", "body", "message", "question", "comment_text", "post")
TEXT += ("utterance", "query", "review_text", "reviewtext", "tweet_text", "text_a", "text1")
TEXT += ("sms", "email", "news", "article", "abstract", "claim", "description", "headline", "title")
# The names of two texts, the label of which is a relation between them.
COUPLES = (
    *(("sentence1", "sentence2"), ("premise", "hypothesis"), ("question", "sentence")),
    *(("text_a", "text_b"), ("question1", "question2"), ("text1", "text2"), ("claim", "evidence")),
    *(("sentence_a", "sentence_b"), ("sentence_1", "sentence_2"), ("text_1", "text_2")),
    *(
        ("query", "passage"),
        ("query", "document"),
        ("question", "passage"),
        ("question", "context"),
    ),
)
NO_LABEL = "no label"  # the reason of a bad line
LABEL: tuple[str, ...] = (
    "label",
    "labels",
    "class",
    "category",
    "sentiment",
    "emotion",
    "intent",
    "target",
)
LABEL += ("gold_label", "class_index", "topic", "polarity", "airline_sentiment", "is_duplicate")
LABEL += ("relation", "stars", "rating", "label_text", "categories", "emotions", "topics", "accept")
_MOST_GRADES = 10  # different numbers, some of them fractions, that are labels like others
# Spaces and signs of no width at both ends.
_EDGES = re.compile(
    r"\A[\s\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+"
    r"|[\s\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+\Z"
)
_MARK = "__label__"  # before each label of fastText's lines


def read_labeled(
    path: str,
    *,
    text: Column | None = None,
    pair: Column | None = None,
    label: Column | None = None,
    separator: str | None = None,
    spellings: Counter[str] | None = None,
    say: Say = warn,
    **reading: Any,
) -> Iterator[Example]:
    """Return the texts of a file with their labels, one at a time.

    A row whose label is empty, null or NaN is a bad line. An empty list, and with a separator an
    empty cell, is a text that has none of the labels. Lists of 0 and 1, as long as each other, have
    a place for each label; so has a row with a column of 0 or 1 for each.

    Args:
        text, pair, label: the columns; pair is read if it is named, or if it and the text have the
            names of a couple, as "premise" and "hypothesis" are.
        spellings: counts each label as the file spells it, with the spaces around it.
    """
    if first_line(Path(path)).startswith(_MARK):
        roles: tuple[Role, ...] = (Role("text", ()),)
        return read_examples(path, roles, _marked(spellings), format="text", say=say, **reading)
    roles = (
        Role("text", TEXT, text, text=True),
        Role("label", LABEL, label, label=True),
        Role("pair", (), pair, required=False, text=True, couples=COUPLES),
    )
    places: list[int] = []  # how many a list of 0 and 1 has, where labels are such lists

    def look(rows: Sequence[tuple[Any, ...]]) -> None:
        if (count := _graded([value for _, value, _ in rows])) > _MOST_GRADES:
            say(
                f"{path}: the labels are {count:,} different numbers in the first {len(rows):,}"
                " rows, as scores are; each is a label by itself"
            )
        if count := _indicators([literal(value) for _, value, _ in rows if value is not None]):
            places.append(count)
            say(
                f"{path}: lists of {count} zeros and ones say which labels a text has; the labels"
                f' are their places, "0" to "{count - 1}"'
            )

    def example(values: tuple[Any, ...], line: int) -> Example:
        first, labels, second = values
        if places:
            labels = _at_ones(literal(labels), places[0])
        if _is_missing(labels, separator):
            problem = "expected a label; got none. Give one, or take the line out."
            raise BadCellError(problem, NO_LABEL)
        return _example(first or "", second, _label_list(labels, separator), line, spellings)

    return read_examples(path, roles, example, say=say, look=look, **reading)


def _example(
    first: str, second: str | None, labels: list[str], line: int, spellings: Counter[str] | None
) -> Example:
    if spellings is not None:
        spellings.update(labels)
    return Example(first, second, sorted({trimmed(name) for name in labels}), line)


def trimmed(label: str) -> str:
    """Return a label without spaces and signs of no width around it."""
    return _EDGES.sub("", label)


def _marked(spellings: Counter[str] | None) -> Callable[[tuple[Any, ...], int], Example]:
    """Convert a line of fastText: labels with a mark before each, and the text."""

    def example(values: tuple[Any, ...], line: int) -> Example:
        words = values[0].split()
        count = next((k for k, word in enumerate(words) if not word.startswith(_MARK)), len(words))
        if not count:
            problem = f"expected {_MARK} and a label at the beginning of the line."
            raise BadCellError(problem, NO_LABEL)
        labels = [word.removeprefix(_MARK) for word in words[:count]]
        return _example(" ".join(words[count:]), None, labels, line, spellings)

    return example


def _graded(values: Sequence[Any]) -> int:
    """Return how many different numbers the labels are, where some of them are fractions or most
    of them occur once; 0 for others."""
    cells = {str(value).strip() for value in values if value is not None} - {""}
    numbers = {float(cell) for cell in cells} if all(map(is_number, cells)) else set[float]()
    scale = 2 * len(numbers) > len(values) or any(number % 1 for number in numbers)
    return len(numbers) if scale else 0


def _indicators(lists: Sequence[Any]) -> int:
    """Return the length of lists that have a zero or a one for each label, as nearly all have; 0
    where they list labels, none of which is there twice."""
    flags = [one for one in lists if _is_indicator(one)]
    count, often = Counter(map(len, flags)).most_common(1)[0] if flags else (0, 0)
    repeated = any(len({*map(float, one)}) < len(one) for one in flags)
    return count if often == len(lists) or (repeated and often >= 0.9 * len(lists)) else 0


def _is_indicator(value: object) -> TypeGuard[list[Any]]:
    return (
        isinstance(value, list)
        and len(value) > 1
        and all(not isinstance(flag, str) and is_flag(flag) for flag in value)
    )


def _at_ones(value: object, count: int) -> list[str]:
    """Return the places of the ones in a list, as labels."""
    if not _is_indicator(value) or len(value) != count:
        raise BadCellError(f"expected a list of {count} zeros and ones; got {str(value)[:60]}.")
    return [str(place) for place, flag in enumerate(value) if flag]


def _is_missing(value: object, separator: str | None) -> bool:
    if isinstance(value, str):
        return separator is None and not trimmed(value)
    return value is None or value != value  # NaN


def _label_list(value: object, separator: str | None) -> list[str]:
    """Return the labels of a row as they are written: a list, a number, text that may hold several,
    or a yes or no for each."""
    if isinstance(value, Mapping) and value and all(is_flag(flag) for flag in value.values()):
        return [name for name, flag in value.items() if str(flag).lower() in ("1", "1.0", "true")]
    if isinstance(value, str) and not separator and (listed := literal(value)) is not None:
        value = listed
    if isinstance(value, str):
        value = value.split(separator) if separator else [value]
    elif isinstance(value, bool | int | float):
        value = [value]
    if isinstance(value, list) and all(isinstance(label, str | int | float) for label in value):
        return [str(label) for label in value if trimmed(str(label))]
    raise BadCellError(
        f"expected a label or a list of labels; got {type(value).__name__}. Name the column of the"
        " labels with `label`."
    )


def remarks(spellings: Mapping[str, int]) -> Iterator[str]:
    """Yield a sentence for each group of spellings that may be one label, and for each missing
    value.

    >>> list(remarks({"good": 230, "Good": 12, "1": 3, "1.0": 2, "nan": 1, "bad": 9}))[0]
    'the labels "good" (230) and "Good" (12) may be one: if so, write them alike'
    """
    alike: dict[str, dict[str, int]] = defaultdict(dict)
    for spelling, count in spellings.items():
        alike[_key(spelling)][spelling] = count
    for group in alike.values():
        if len({trimmed(spelling) for spelling in group}) > 1:
            yield f"the labels {_listed(group)} may be one: if so, write them alike"
        elif any(spelling != trimmed(spelling) for spelling in group):
            yield f"spaces around labels do not count: {_listed(group)}"
    for key in alike.keys() & MISSING:
        yield (
            f"the label {_listed(alike[key])} looks like a missing value: if it is one, leave it"
            " empty, and the text is left out"
        )


def _key(spelling: str) -> str:
    """Return the same for spellings that differ in case, spaces, width or the form of a number."""
    plain = " ".join(unicodedata.normalize("NFKC", trimmed(spelling)).casefold().split())
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
