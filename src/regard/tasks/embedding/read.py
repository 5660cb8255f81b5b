"""Pairs of texts in files."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from regard.data import BadCellError, Column, Role, read_examples
from regard.data.lines import Say, warn
from regard.errors import DamagedFileError
from regard.training.examples import Example

TEXT: tuple[str, ...] = ("text", "sentence", "sentence1", "text1", "premise", "anchor")
TEXT += ("query", "question", "question1", "title", "source", "sentence_a", "text_a", "sentence_1")
TEXT += ("text_1", "question_1", "query1", "query_1")
PAIR: tuple[str, ...] = ("pair", "sentence2", "hypothesis", "positive", "text2", "question2")
PAIR += ("sentence_b", "text_b", "sentence_2", "text_2", "question_2", "query2", "query_2")
PAIR += ("answer", "document", "passage", "body", "target")
_NEGATIVE = ("negative", "negatives", "hard_negative", "hard_negatives", "neg", "hard_neg")
NEGATIVE = tuple(f"{name}{end}" for end in ("", "_1", "1", "_0", "0") for name in _NEGATIVE)
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

# What such columns say, in the words of data sets and of people.
_YES = frozenset(
    """
    1 yes y true t entailment paraphrase duplicate equivalent similar same identical relevant match
    positive ja oui si sí sim да 是
    """.split()  # noqa: SIM905, a list of quoted words reads worse
)
_NO = frozenset(
    """
    0 no n false f contradiction not_paraphrase not_duplicate not_equivalent not_similar dissimilar
    different unrelated irrelevant not_relevant no_match not_match not_a_match mismatch
    negative nein non não nao нет 否
    """.split()  # noqa: SIM905
)
_BETWEEN = frozenset(("neutral", "-", "-1"))  # says neither
_CLASSES = frozenset(("-1", "0", "1", "2"))  # of natural language inference, in an unknown order


def read_text_pairs(
    path: str,
    *,
    text: Column | None = None,
    pair: Column | None = None,
    score: Column | None = None,
    say: Say = warn,
    **reading: Any,
) -> Iterator[Example]:
    """Return the pairs of a file, one at a time, and the score of each if there is a column of
    scores.

    Where a column says whether two texts belong together, as "is_duplicate" and "gold_label" do, a
    yes is the score 1, and a no 0; a pair that is neither is a bad line.
    """
    roles = (
        Role("text", TEXT, text, text=True),
        Role("pair", PAIR, pair, text=True),
        Role("score", SCORE, score, required=False, flag=True),
        Role("answer", ANSWER if score is None else (), required=False, flag=True),
        Role("negative", NEGATIVE, required=False),
    )
    words: dict[str, float] = {}  # the score that each answer says, where all are yes or no

    def look(rows: Sequence[tuple[Any, ...]]) -> None:
        scored = any(row[2] is not None for row in rows)
        answers = {
            _spelled(row[2 if scored else 3]) for row in rows if row[2 if scored else 3] is not None
        }
        numbers = {one for one in answers if one.lstrip("-").isdecimal()}
        if not scored and {"-1", "2"} & numbers and numbers <= _CLASSES and numbers != {"1", "-1"}:
            raise DamagedFileError(
                f"{path} has the labels {', '.join(sorted(answers))}, and which of them says that"
                " two texts belong together is not known: write yes and no, or entailment, neutral"
                " and contradiction, or name a column of scores with `score`."
            )
        signed = numbers == {"1", "-1"}
        no = _NO | {"-1"} if signed else _NO
        if (
            answers
            and answers <= _YES | no | _BETWEEN
            and not (scored and answers - {"-"} == numbers)
        ):
            words.update(dict.fromkeys(_YES, 1.0) | dict.fromkeys(no, 0.0))
            between = "" if signed else ", and those that are neutral are left out"
            yes = " or ".join(sorted(answers & _YES)) or "yes"
            say(f"{path}: pairs with {yes} have the score 1, the others 0{between}")
        if scored and "-1" in numbers and numbers <= _CLASSES and len(numbers) > 2:
            say(
                f"{path}: the scores are {', '.join(sorted(numbers))}, as classes of inference are,"
                " where -1 has no label; higher is read as more alike"
            )
        if count := sum(row[4] is not None for row in rows):
            say(
                f"{path}: its negatives are not read, {count:,} in the first {len(rows):,} rows:"
                " the other texts of a batch are those of each text"
            )

    def example(values: tuple[Any, ...], line: int) -> Example:
        first, second, score, answer, _ = values
        if first is None or second is None:
            problem = "expected two texts; got one. Name their columns with `text` and `pair`."
            raise BadCellError(problem)
        score = answer if score is None else score
        if score is not None and words:
            score = _score(score, words)
        return Example(first, second, [] if score is None else [_number(score)], line)

    return read_examples(path, roles, example, say=say, look=look, **reading)


def _spelled(answer: object) -> str:
    """Return an answer as it is compared: "1" for 1.0 and true, "not_duplicate" for "Not
    duplicate"."""
    answer = int(answer) if isinstance(answer, bool | float) and answer == answer // 1 else answer
    plain = re.sub(r"(?<=\w)[\s-]+", "_", str(answer).strip().lower())
    plain = re.sub("^non_", "not_", plain).removesuffix(".0")
    return plain if plain.strip("_") else "-"


def _score(answer: object, words: Mapping[str, float]) -> float:
    """Return the score that a yes or a no says."""
    plain = _spelled(answer)
    if plain in words:
        return words[plain]
    if plain in _BETWEEN:
        raise BadCellError("the pair is neither alike nor unlike.", "neutral pair")
    raise BadCellError(
        f"expected yes or no as the first rows have it; got {str(answer)[:60]!r}. Name a column of"
        " numbers with `score`."
    )


def _number(value: str | float) -> float:
    try:
        number = float(value)
        if isinstance(value, bool) or not math.isfinite(number):
            raise ValueError
        return number
    except (TypeError, ValueError):
        raise BadCellError(
            f"expected a number as the score; got {str(value)[:60]!r}. Name the column of the"
            " scores with `score`."
        ) from None
