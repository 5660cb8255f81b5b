"""ROUGE of summaries by the package rouge-score, with bootstrap intervals.

Lin 2004, ROUGE: A Package for Automatic Evaluation of Summaries.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import BadArgumentError, optional_package
from regard.recipes.resampling import intervals

NAMES = {"rouge1": "ROUGE-1", "rouge2": "ROUGE-2", "rougeL": "ROUGE-L"}


@dataclass(frozen=True)
class RougeScores:
    """F1 of each kind of ROUGE, from 0 to 100: the mean over the texts and its 95 % interval."""

    mean: dict[str, float]  # by the keys of NAMES
    low: dict[str, float]
    high: dict[str, float]
    signature: str  # how words were counted

    def __str__(self) -> str:
        """`ROUGE-1 31.05 [30.11, 32.00]  ROUGE-2 …`"""
        return "  ".join(
            f"{title} {self.mean[name]:.2f} [{self.low[name]:.2f}, {self.high[name]:.2f}]"
            for name, title in NAMES.items()
        )


@dataclass(frozen=True, eq=False)
class RougeTable:
    """F1 of every summary, from 0 to 100, (summaries, kinds of ROUGE): what is resampled."""

    each: NDArray[np.float64]
    signature: str

    def __len__(self) -> int:
        return len(self.each)

    def figures_of(self, rows: NDArray[np.int64]) -> dict[str, float]:
        """The means over these summaries, which may repeat."""
        return dict(zip(NAMES, self.each[rows].mean(0).tolist(), strict=True))


def rouge(summaries: Sequence[str], references: Sequence[Sequence[str]]) -> RougeScores:
    """The means of `rouge_table` with their bootstrap intervals."""
    return with_intervals(rouge_table(summaries, references))


def with_intervals(table: RougeTable) -> RougeScores:
    """The means of a table with their bootstrap intervals."""
    spans = intervals(table)
    return RougeScores(
        table.figures_of(np.arange(len(table))),
        {name: low for name, (low, _) in spans.items()},
        {name: high for name, (_, high) in spans.items()},
        table.signature,
    )


def rouge_table(summaries: Sequence[str], references: Sequence[Sequence[str]]) -> RougeTable:
    """Scores each summary against the best of its references.

    The words are rouge-score's own, with Porter's stemmer, where the references are in ASCII
    letters; rouge-score leaves any other letter out, so in other scripts and languages the words
    are runs of letters, marks and digits, and are not stemmed.
    """
    if len(summaries) != len(references) or not references:
        raise BadArgumentError(
            "scoring needs as many summaries as lists of references, at least one;"
            f" got {len(summaries)} and {len(references)}."
        )
    scorer_of = require_rouge()
    stemmed = _mostly_ascii(text for own in references for text in own)
    scorer = scorer_of(list(NAMES), use_stemmer=stemmed)
    spelled = str if stemmed else _Spelled()
    each = [
        [max(scores[name].fmeasure for scores in found) for name in NAMES]
        for summary, own in zip(summaries, references, strict=True)
        for found in [[scorer.score(spelled(text), spelled(summary)) for text in own]]
    ]
    words = "Porter's stemmer" if stemmed else "words of any script, not stemmed"
    return RougeTable(100 * np.array(each), f"F1, best reference, {words}, rouge-score")


def require_rouge() -> Any:
    """rouge-score's scorer. Raises UnavailableError where the package is not installed."""
    with optional_package("rouge-score", "scoring summaries needs"):
        from rouge_score.rouge_scorer import RougeScorer
    return RougeScorer


class _Spelled:
    """Spells words in ASCII, which is all that rouge-score reads: each as "w" and a number.

    A word is a run of letters, marks and digits, in lower case.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __call__(self, text: str) -> str:
        text = unicodedata.normalize("NFC", text).casefold()
        spaced = (
            sign if unicodedata.category(sign)[0] in "LMN" or sign in _JOINERS else " "
            for sign in text
        )
        words = "".join(spaced).split()
        return " ".join(f"w{self._numbers.setdefault(word, len(self._numbers))}" for word in words)


_JOINERS = "\u200c\u200d"  # Devanagari and Persian spelling need them


def _mostly_ascii(texts: Any) -> bool:
    """Return True if at most one letter in a hundred is outside ASCII, as in English."""
    letters = others = 0
    for text in texts:
        found = re.findall(r"[^\W\d_]", text)
        letters += len(found)
        others += sum(not letter.isascii() for letter in found)
    return 100 * others <= letters
