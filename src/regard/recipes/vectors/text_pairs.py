"""Pairs of texts in files."""

import math
from collections.abc import Iterator
from typing import Any

from regard.recipes.examples import Example
from regard.records import BadCellError, Column, Role, read_examples

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
    **reading: Any,
) -> Iterator[Example]:
    """The pairs of a file, one at a time, and the score of each if there is a column of scores."""
    roles = (
        Role("text", TEXT, text, text=True),
        Role("pair", PAIR, pair, text=True),
        Role("score", SCORE, score, required=False),
    )
    return read_examples(path, roles, _example, **reading)


def _example(values: tuple[Any, ...], line: int) -> Example:
    first, second, value = values
    if first is None or second is None:
        problem = "expected two texts; got one. Name their columns with `text` and `pair`."
        raise BadCellError(problem)
    return Example(first, second, [] if value is None else [_number(value)], line)


def _number(value: Any) -> float:
    try:
        number = float(value)
        if isinstance(value, bool) or not math.isfinite(number):
            raise ValueError
        return number
    except (TypeError, ValueError):
        raise BadCellError(
            f"expected a number as the score; got {str(value)[:60]!r}. Name the column of the"
            " scores with `score`, or take it out."
        ) from None
