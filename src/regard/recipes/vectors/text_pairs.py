"""Pairs of texts in files."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from regard.errors import DamagedFileError
from regard.recipes.examples import Example
from regard.records import BadCellError, Column, Role, read_examples
from regard.records.lines import Say, warn

TEXT: tuple[str, ...] = ("text", "sentence", "sentence1", "text1", "premise", "anchor")
TEXT += ("query", "question", "question1", "title", "source", "sentence_a", "text_a", "sentence_1")
PAIR: tuple[str, ...] = ("pair", "sentence2", "hypothesis", "positive", "text2", "question2")
PAIR += ("answer", "document", "passage", "body", "target", "sentence_b", "text_b", "sentence_2")
NEGATIVE = ("negative", "negatives", "hard_negative", "neg")
SCORE = ("score", "similarity", "similarity_score", "relatedness_score", "sts_score", "relatedness")
# Names of columns that say whether two texts belong together, in a number or a word.
ANSWER: tuple[str, ...] = (
    "is_duplicate",
    "is_paraphrase",
    "is_match",
    "is_similar",
    "duplicate",
    "paraphrase",
)
ANSWER += ("gold_label", "label", "labels", "quality", "same", "match", "relevance", "relevant")

_YES = ("yes", "true", "entailment", "paraphrase", "duplicate", "equivalent", "similar", "relevant")
_NO: tuple[str, ...] = (
    "no",
    "false",
    "contradiction",
    "not_paraphrase",
    "not_duplicate",
    "not_equivalent",
)
_NO += ("not_similar", "dissimilar", "irrelevant", "not_relevant")
_BETWEEN = frozenset(("neutral", "-", "-1"))  # says neither


def read_text_pairs(
    path: str,
    *,
    text: Column | None = None,
    pair: Column | None = None,
    score: Column | None = None,
    say: Say = warn,
    **reading: Any,
) -> Iterator[Example]:
    """The pairs of a file, one at a time, and the score of each if there is a column of scores.

    Where a column says whether two texts belong together, as "is_duplicate" and "gold_label" do, a
    yes is the score 1, and a no 0; a pair that is neither is a bad line.
    """
    roles = (
        Role("text", TEXT, text, text=True),
        Role("pair", PAIR, pair, text=True),
        Role("score", SCORE, score, required=False),
        Role("answer", ANSWER if score is None else (), required=False, flag=True),
        Role("negative", NEGATIVE, required=False),
    )

    def look(rows: Sequence[tuple[Any, ...]]) -> None:
        answers = {_spelled(row[3]) for row in rows if row[2] is None and row[3] is not None}
        if answers >= {"0", "1", "2"} and answers <= {"-1", "0", "1", "2"}:
            raise DamagedFileError(
                f"{path} has the labels {', '.join(sorted(answers))}, and which of them says that"
                " two texts belong together is not known: write yes and no, or entailment, neutral"
                " and contradiction, or name a column of scores with `score`."
            )
        if answers and answers <= {"0", "1", *_YES, *_NO, *_BETWEEN}:
            say(
                f"{path}: pairs that belong together have the score 1, the others 0, and those that"
                " are neutral are left out"
            )
        if any(row[4] is not None for row in rows):
            say(
                f"{path}: its negatives are not read: the other texts of a batch are those of each"
                " text"
            )

    return read_examples(path, roles, _example, say=say, look=look, **reading)


def _example(values: tuple[Any, ...], line: int) -> Example:
    first, second, score, answer, _ = values
    if first is None or second is None:
        problem = "expected two texts; got one. Name their columns with `text` and `pair`."
        raise BadCellError(problem)
    if score is None and answer is not None:
        score = _score(answer)
    return Example(first, second, [] if score is None else [_number(score)], line)


def _spelled(answer: Any) -> str:
    """An answer as it is compared: "1" for 1.0 and true, "not_duplicate" for "Not duplicate"."""
    answer = int(answer) if isinstance(answer, bool | float) and answer == answer // 1 else answer
    plain = str(answer).strip().lower().replace(" ", "_").replace("-", "_").replace("non_", "not_")
    return plain.removesuffix(".0") if plain.strip("_") else "-"


def _score(answer: Any) -> Any:
    """The score that an answer says."""
    plain = _spelled(answer)
    if plain in _BETWEEN or plain == "_1":
        raise BadCellError("the pair is neither alike nor unlike.", "neutral pair")
    scores = {"1": 1, "0": 0, **dict.fromkeys(_YES, 1), **dict.fromkeys(_NO, 0)}
    return scores.get(plain, answer)


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
