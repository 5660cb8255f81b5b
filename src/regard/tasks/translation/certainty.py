"""Measures of how well the probabilities of translated words tell the right from the wrong.

A word is right if the reference has it too, as often as it is written, in the same form without
regard to capitals; punctuation is no part of it. Many other words are right as well, which no
reference knows, so shares of wrong words are upper bounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from regard.engine.calibration import UNCALIBRATED, Calibration, frequent_words
from regard.letters import bare
from regard.tasks.embedding.score import spearman
from regard.tasks.translation.result import Translation
from regard.training.evaluation import shown
from regard.training.metrics import ScoredTexts

PRECISION = 0.75  # of the mark: so many of the words that it stands under are wrong
HIGHEST = 0.5  # probability of a word that is marked
FEWEST_WORDS = 10  # below a bound
FALSE_ALARMS = 0.005  # of texts in the model's own language
HELD_OUT = 10  # every so many texts are not counted, but judged
COMMON = 12.5  # rarity of texts that always pass: few words are known of narrow texts
FEWEST_TEXTS = 1000  # or nothing is known of the language
BINS = 10


@dataclass(frozen=True, eq=False)
class Judged:
    """The words of translations with references: (words,) each."""

    sentence: NDArray[np.int64]  # its number
    probability: NDArray[np.float64]
    wrong: NDArray[np.bool_]
    scores: NDArray[np.float64]  # (sentences,)
    chrf: NDArray[np.float64]  # (sentences,)

    @classmethod
    def of(cls, results: Sequence[Translation], references: Sequence[str]) -> Judged:
        """Judge the words of some translations."""
        rows = [
            (number, probability, wrong)
            for number, (result, reference) in enumerate(zip(results, references, strict=True))
            for probability, wrong in _judged(result, reference)
        ]
        sentence, probability, wrong = zip(*rows, strict=True) if rows else ((), (), ())
        texts = ScoredTexts([result.text for result in results], references)
        chrf = [texts.figures_of(np.array([k]))["chrf"] for k in range(len(texts))]
        return cls(
            np.array(sentence, np.int64),
            np.array(probability, np.float64),
            np.array(wrong, np.bool_),
            np.array([result.score for result in results]),
            np.array(chrf),
        )

    @classmethod
    def joined(cls, parts: Sequence[Judged]) -> Judged:
        """Join the sentences of several parts."""
        firsts = np.cumsum([0, *(len(part.scores) for part in parts)])
        numbers = [part.sentence + first for part, first in zip(parts, firsts, strict=False)]
        names = ("probability", "wrong", "scores", "chrf")
        rest = (np.concatenate([getattr(part, name) for part in parts]) for name in names)
        return cls(np.concatenate(numbers), *rest)

    def threshold(self) -> float:
        """Return the largest bound, up to `HIGHEST`, at which the mark has `PRECISION`; 0.0, which
        marks nothing, if no bound reaches it."""
        order = np.argsort(self.probability, kind="stable")
        bounds = np.arange(1, round(HIGHEST * 1000) + 1) / 1000
        marked = np.searchsorted(self.probability[order], bounds)  # words below each
        wrong = np.concatenate([[0], self.wrong[order].cumsum()])[marked]
        # Of a few words a share says little.
        able = bounds[(marked >= FEWEST_WORDS) & (wrong >= PRECISION * marked)]
        return float(able.max(initial=0.0))

    def counts(self, below: float) -> NDArray[np.int64]:
        """Words, wrong words, marked words, and wrong ones among these, of each sentence:
        (sentences, 4)."""
        marked = self.probability < below
        kinds = (np.ones_like(self.wrong), self.wrong, marked, marked & self.wrong)
        numbers = [np.bincount(self.sentence, kind, len(self.scores)) for kind in kinds]
        return np.stack(numbers, axis=1).astype(np.int64)

    def card(self, below: float) -> list[str]:
        """Return the lines of a model's card: the mark, the reliability, the correlation."""
        shares = mark_figures(self.counts(below))
        return [
            f"Words with a probability below {below} are marked as unsure: of"
            f" {len(self.wrong):,} words in {len(self.scores):,} sentences of the dev set"
            f" {shown('{:.1%}', shares['wrong'])} are not in the reference, of the marked"
            f" {shown('{:.1%}', shares['mark_precision'])};"
            f" {shown('{:.1%}', shares['mark_recall'])} of those that are not are marked",
            "\n".join(["Reliability of the probabilities:\n", *self.table()]),
            "Spearman's correlation of a sentence's score and its chrF:"
            f" {spearman(self.scores, self.chrf):.2f}",
        ]

    def table(self) -> list[str]:
        """Return the reliability of the probabilities as lines of a table in a card's list."""
        lines = ["  | probability | words | mean | in the reference |", "  |---|---|---|---|"]
        bins = np.minimum((self.probability * BINS).astype(int), BINS - 1)
        for k in range(BINS):
            inside = bins == k
            mean, right = (
                f"{values[inside].mean():.1%}" if inside.any() else "–"
                for values in (self.probability, ~self.wrong)
            )
            span = f"{k / BINS:.0%} to {(k + 1) / BINS:.0%}"
            lines.append(f"  | {span} | {inside.sum():,} | {mean} | {right} |")
        return lines


def mark_figures(counts: NDArray[np.int64]) -> dict[str, float]:
    """Return the share of wrong words, and precision and recall of the mark, of `Judged.counts`."""
    words, wrong, marked, both = counts.sum(0).tolist()
    nan = float("nan")
    return {
        "wrong": wrong / words if words else nan,
        "mark_precision": both / marked if marked else nan,
        "mark_recall": both / wrong if wrong else nan,
    }


def of_language(texts: Sequence[str]) -> Calibration:
    """Return the words of a language and the rarity of its texts, from some of them.

    The bound is above the rarity of all but `FALSE_ALARMS` of the texts that were not counted.
    Fewer than `FEWEST_TEXTS` give no bound.
    """
    if len(texts) < FEWEST_TEXTS:
        return UNCALIBRATED
    counted = [text for k, text in enumerate(texts) if k % HELD_OUT]
    language = Calibration(words=frequent_words(counted))
    bound = float(np.quantile([*map(language.rarity, texts[::HELD_OUT])], 1 - FALSE_ALARMS))
    return replace(language, rarest=round(max(bound, COMMON), 3))


def _judged(result: Translation, reference: str) -> list[tuple[float, bool]]:
    left = Counter(map(_bare, reference.split()))
    judged = []
    for word in result.words:
        if spelled := _bare(word.text):
            judged.append((word.probability, not left[spelled]))
            left[spelled] -= left[spelled] > 0
    return judged


def _bare(word: str) -> str:
    """Return the word without punctuation around it."""
    return bare(word).casefold()
