"""Texts with their labels from a user's file."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from regard.data import BadLine, Role, read_rows
from regard.data.columns import Column
from regard.data.pairs import OnBadLine, refuse
from regard.errors import DamagedFileError
from regard.recipes.examples import Example

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
    on_bad_line: OnBadLine = refuse,
    spellings: Counter[str] | None = None,
) -> Iterator[Example]:
    """The texts of a file with their labels, one at a time.

    A row whose label is empty, null or NaN is a bad line. An empty list, and with a separator an
    empty cell, is a text that has none of the labels.

    Args:
        text, pair, label: the columns; pair is read only if it is named.
        separator: between the labels of one text.
        spellings: counts each label as the file spells it, with the spaces around it.

    Raises:
        BadArgumentError: a column that is missing.
        DamagedFileError: a row whose text is not text, or whose label is neither a label nor a
            list of labels.
    """
    roles = (
        Role("text", TEXT, text),
        Role("label", LABEL, label),
        Role("pair", (), pair, required=False),
    )
    for (first, labels, second), line in read_rows(path, roles, on_bad_line=on_bad_line):
        for value in (first, second):
            if not isinstance(value, str | None):
                raise DamagedFileError(
                    f"{path}, line {line:,}: expected a text; got {type(value).__name__}. Name the"
                    " column of the texts with `text`."
                )
        if _is_missing(labels, separator):
            message = f"{path}, line {line:,}: expected a label; got none. Give one, or take the"
            on_bad_line(BadLine(line, NO_LABEL, f"{message} line out."))
            continue
        written = _label_list(path, line, labels, separator)
        if spellings is not None:
            spellings.update(written)
        yield Example(first or "", second, sorted({label.strip() for label in written}), line)


def _is_missing(value: Any, separator: str | None) -> bool:
    if isinstance(value, str):
        return separator is None and not value.strip()
    return value is None or value != value  # NaN


def _label_list(path: str, line: int, value: Any, separator: str | None) -> list[str]:
    """The labels of a row as they are written: a list, a number, or text that may hold several."""
    if isinstance(value, str):
        value = value.split(separator) if separator else [value]
    elif isinstance(value, bool | int | float):
        value = [value]
    if isinstance(value, list) and all(isinstance(label, str | int | float) for label in value):
        return [str(label) for label in value if str(label).strip()]
    raise DamagedFileError(
        f"{path}, line {line:,}: expected a label or a list of labels; got"
        f" {type(value).__name__}. Name the column of the labels with `label`."
    )
