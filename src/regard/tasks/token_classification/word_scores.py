"""Precision, recall and F1 of entities, as seqeval and the CoNLL shared tasks count them.

An entity is right if its type, its first and its last word are (Tjong Kim Sang and De Meulder 2003,
section 2.4).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from operator import eq
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from regard.tasks.token_classification.task import OUTSIDE, parse_label
from regard.training.resampling import Scored


class Entity(NamedTuple):
    """Words of a sentence: those from `start` to `end`, which is excluded."""

    kind: str
    start: int
    end: int


def entities(labels: Sequence[str]) -> list[Entity]:
    """Return the entities of a sentence, by the rule of the CoNLL scorer, which is seqeval's
    default.

    An entity begins at B- and S-, and at any label but O whose neighbor before it is O, ends an
    entity (E-, S-) or is of another type.

    >>> entities(["B-PER", "I-PER", "O", "I-LOC"])
    [Entity(kind='PER', start=0, end=2), Entity(kind='LOC', start=3, end=4)]
    """
    parts: list[Entity] = []
    open_kind = None  # of the entity that the next word may continue
    for place, label in enumerate(labels):
        if label == OUTSIDE:
            open_kind = None
            continue
        position, kind = parse_label(label)
        if kind == open_kind and position not in ("B", "S"):
            parts[-1] = parts[-1]._replace(end=place + 1)
        else:
            parts.append(Entity(kind, place, place + 1))
        open_kind = None if position in ("E", "S") else kind
    return parts


class Ratios(NamedTuple):
    """Precision, recall and F1, from 0 to 1; 0 where there is nothing to divide by."""

    precision: float
    recall: float
    f1: float


def ratios(right: float, predicted: float, expected: float) -> Ratios:
    precision = right / predicted if predicted else 0.0
    recall = right / expected if expected else 0.0
    both = precision + recall
    return Ratios(precision, recall, 2 * precision * recall / both if both else 0.0)


@dataclass(frozen=True)
class WordEvaluation(Scored):
    """The labels that a model gave the words of sentences, beside the expected ones.

    Entities are what counts where labels say where one begins (B-, I-), else words.
    """

    predicted: list[list[str]]  # a label a word
    expected: list[list[str]]
    losses: NDArray[np.float64]  # (sentences,), summed over the words that the model reads
    of_entities: bool

    def __len__(self) -> int:
        return len(self.expected)

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The types of entities, or the labels, in alphabetical order."""
        sentences = chain(self.predicted, self.expected)
        return tuple(sorted({unit.kind for labels in sentences for unit in self._units(labels)}))

    @cached_property
    def counts(self) -> NDArray[np.float64]:
        """Units that are right, predicted and expected, (sentences, kinds, 3)."""
        columns = {kind: number for number, kind in enumerate(self.kinds)}
        counts = np.zeros((len(self), max(1, len(columns)), 3))
        for row, pair in enumerate(zip(self.predicted, self.expected, strict=True)):
            predicted, expected = (set(self._units(labels)) for labels in pair)
            for column, units in enumerate((predicted & expected, predicted, expected)):
                for unit in units:
                    counts[row, columns[unit.kind], column] += 1
        return counts

    @cached_property
    def words(self) -> NDArray[np.float64]:
        """Words whose label is right, and words, (sentences, 2)."""
        pairs = zip(self.predicted, self.expected, strict=True)
        return np.array([(sum(map(eq, *pair)), len(pair[1])) for pair in pairs], float)

    def figures_of(self, rows: NDArray[np.int64]) -> dict[str, float]:
        """Return the figures over these sentences, which may repeat."""
        right, words = self.words[rows].sum(0)
        counts = self.counts[rows].sum(0)
        micro = ratios(*counts.sum(0))
        # As in seqeval: the mean over the types that are expected or predicted.
        macro = [ratios(*kind).f1 for kind in counts if kind[1:].any()]
        figures = {
            "loss": float(self.losses[rows].sum() / words),
            "accuracy": float(right / words),
            "macro_f1": float(np.mean(macro)) if macro else 0.0,
        }
        if not self.of_entities:
            return figures | {"score": figures["accuracy"]}
        return figures | micro._asdict() | {"score": micro.f1}

    @property
    def constant(self) -> bool:
        """Return whether all words got one label though they have different ones."""
        answers, labels = (set(chain(*rows)) for rows in (self.predicted, self.expected))
        return len(answers) == 1 < len(labels)

    def always(self, label: str) -> "WordEvaluation":
        """Return the same sentences, each word with this answer."""
        answers = [[label] * len(labels) for labels in self.expected]
        return WordEvaluation(answers, self.expected, self.losses, self.of_entities)

    def by_kind(self) -> dict[str, tuple[Ratios, int]]:
        """Return the figures of each type or label, and how often it is expected."""
        counts = self.counts.sum(0)
        return {
            kind: (ratios(*row), int(row[2])) for kind, row in zip(self.kinds, counts, strict=True)
        }

    def worst(self, count: int) -> list[int]:
        """Return the sentences with mistakes whose loss is largest."""
        wrong = np.flatnonzero(self.words[:, 0] < self.words[:, 1])
        return [int(row) for row in wrong[np.argsort(-self.losses[wrong], kind="stable")][:count]]

    def _units(self, labels: Sequence[str]) -> list[Entity]:
        if self.of_entities:
            return entities(labels)
        return [Entity(label, place, place + 1) for place, label in enumerate(labels)]


def word_baselines(
    evaluations: Mapping[str, WordEvaluation], regression: str | None
) -> dict[str, dict[str, dict[str, float]]]:
    """Return what a model is compared with on each part of the data; see `label_baselines`."""
    baselines = {}
    for part, evaluation in evaluations.items():
        frequent = Counter(chain(*evaluation.expected)).most_common(1)[0][0]
        results = {} if regression is None else {regression: evaluation}
        results[f"the most frequent label, {frequent}:"] = evaluation.always(frequent)
        first = "f1" if evaluation.of_entities else "accuracy"
        baselines[part] = {
            name: {figure: result.figures[figure] for figure in (first, "accuracy")}
            for name, result in results.items()
        }
    return baselines
