"""Texts with their labels from a user's file."""

from collections import Counter
from collections.abc import Iterator
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
