"""Texts with their labels from a user's file."""

from collections.abc import Iterator
from typing import Any

from regard.data import Role, read_rows
from regard.data.columns import Column
from regard.data.pairs import OnBadLine, refuse
from regard.errors import DamagedFileError
from regard.recipes.examples import Example

TEXT: tuple[str, ...] = ("text", "sentence", "sentence1", "premise", "content", "document")
TEXT += ("review", "comment", "tweet", "body", "message", "question")
LABEL = ("label", "labels", "class", "category", "sentiment", "emotion", "intent", "target")


def read_labeled(
    path: str,
    *,
    text: Column | None = None,
    pair: Column | None = None,
    label: Column | None = None,
    separator: str | None = None,
    on_bad_line: OnBadLine = refuse,
) -> Iterator[Example]:
    """The texts of a file with their labels, one at a time.

    Args:
        text, pair, label: the columns; pair is read only if it is named.
        separator: between the labels of one text.

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
        yield Example(first or "", second, _label_list(path, line, labels, separator), line)


def _label_list(path: str, line: int, value: Any, separator: str | None) -> list[str]:
    """The labels of a row: a list, a number, or text that may hold several."""
    if isinstance(value, str):
        parts = value.split(separator) if separator else [value]
        return sorted({part.strip() for part in parts} - {""})
    if isinstance(value, bool | int | float):
        return [str(value)]
    if isinstance(value, list) and all(isinstance(each, str | int) for each in value):
        return sorted({str(each) for each in value})
    raise DamagedFileError(
        f"{path}, line {line:,}: expected a label or a list of labels; got"
        f" {type(value).__name__}. Name the column of the labels with `label`."
    )
