"""Pairs of texts from a user's file, and the score of each if there is a column of scores."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from regard.data import Role, read_rows
from regard.data.columns import Column
from regard.data.pairs import OnBadLine, refuse
from regard.errors import DamagedFileError
from regard.recipes.examples import Example

TEXT: tuple[str, ...] = ("text", "sentence", "sentence1", "text1", "premise", "anchor")
TEXT += ("query", "question", "question1", "title", "source")
PAIR: tuple[str, ...] = ("pair", "sentence2", "hypothesis", "positive", "text2", "question2")
PAIR += ("answer", "document", "passage", "body", "target")
SCORE = ("score", "similarity", "similarity_score")


def read_text_pairs(
    path: str,
    *,
    text: Column | None = None,
    pair: Column | None = None,
    score: Column | None = None,
    on_bad_line: OnBadLine = refuse,
) -> Iterator[Example]:
    """The pairs of a file, one at a time, and the score of each if there is a column of scores.

    Args:
        text, pair, score: the columns; by default those of a known name.

    Raises:
        BadArgumentError: a column that is missing.
        DamagedFileError: a row without two texts, or whose score is not a number.
    """
    roles = (
        Role("text", TEXT, text),
        Role("pair", PAIR, pair),
        Role("score", SCORE, score, required=False),
    )
    for (first, second, value), line in read_rows(path, roles, on_bad_line=on_bad_line):
        if not isinstance(first, str) or not isinstance(second, str):
            wrong = second if isinstance(first, str) else first
            raise DamagedFileError(
                f"{path}, line {line:,}: expected two texts; got {type(wrong).__name__}. Name"
                " their columns with `text` and `pair`."
            )
        targets = [] if value is None else [_number(path, line, value)]
        yield Example(first, second, targets, line)


def _number(path: str, line: int, value: Any) -> float:
    try:
        number = float(value)
        if isinstance(value, bool) or not np.isfinite(number):
            raise ValueError
        return number
    except (TypeError, ValueError):
        raise DamagedFileError(
            f"{path}, line {line:,}: expected a number as the score; got {str(value)[:60]!r}. Name"
            " the column of the scores with `score`, or take it out."
        ) from None
