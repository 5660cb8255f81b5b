"""Meanings of a word: the vector of each of its occurrences against the one for all.

A static vector must serve all that a word means. Bommasani et al. 2020 make one by averaging
contextual vectors, which is done here too where a model has no static vector: by definition it
is then the mean of the occurrences.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from regard.errors import BadArgumentError, NotFoundError, did_you_mean
from regard.words.segmentation import split_words, word_spans
from regard.words.senses import States, find_clusters, leave_one_out, most_frequent, purity, unit
from regard.words.states import Occurrence

AROUND = 60  # words on either side that are read with an occurrence
_SHOWN = 3  # examples of a cluster


@dataclass(frozen=True)
class Scores:
    """Agreement of the vectors with senses written beside the text."""

    most_frequent: float  # the share of the most frequent sense: what needs no vector
    centroid: float  # nearest mean of the other occurrences (leave one out)
    purity: float  # of the clusters


@dataclass(frozen=True, eq=False)
class Meaning:
    """Vectors of a word in one layer, their clusters and scores."""

    layer: str
    states: States  # (occurrences, dim)
    average: NDArray[np.float32]  # (dim,): the one vector for all of them
    clusters: NDArray[np.int64]  # (occurrences,): the number of each one's cluster
    silhouette: float | None  # None: one cluster
    scores: Scores | None  # None: the text names no senses

    @property
    def count(self) -> int:
        """Clusters."""
        return int(self.clusters.max()) + 1

    def examples(self, cluster: int) -> list[int]:
        """The occurrences nearest to the middle of a cluster, the nearest first."""
        inside = np.flatnonzero(self.clusters == cluster)
        directions = unit(self.states[inside])
        near = directions @ directions.mean(0)
        return [int(inside[k]) for k in np.argsort(-near, kind="stable")[:_SHOWN]]


def find_occurrences(
    word: str, texts: Iterable[str], senses: Iterable[str | None] | None = None
) -> list[Occurrence]:
    """Every place of a word in texts, whatever its capitals, with 60 words on either side."""
    parts = split_words(word)
    if len(parts) != 1:
        raise BadArgumentError(f"one word was expected; got {word!r}.")
    occurrences = []
    met: dict[str, None] = {}
    for text, sense in zip(texts, senses or repeat(None), strict=senses is not None):
        words, spans = split_words(text), word_spans(text)
        met.update(dict.fromkeys(words))
        for place, each in enumerate(words):
            if each == parts[0]:
                first, end = _around(text, spans, place)
                start, stop = spans[place]
                occurrences.append(Occurrence(text[first:end], start - first, stop - first, sense))
    if not occurrences:
        raise NotFoundError(_absent(parts[0], list(met)))
    if len(occurrences) < 3:
        raise BadArgumentError(
            f"{parts[0]!r} occurs {len(occurrences)} times in this text; three or more are needed"
            " to compare its meanings. Give more text."
        )
    return occurrences


def meanings(
    occurrences: Sequence[Occurrence],
    layers: dict[str, States],
    average: NDArray[np.float32] | None = None,
) -> list[Meaning]:
    """Compare the occurrences by each layer's vectors.

    Args:
        layers: name → (occurrences, dim).
        average: the word's static vector; without it the mean over the occurrences, layer by layer.
    """
    senses = [each.sense for each in occurrences if each.sense is not None]
    labeled = len(senses) == len(occurrences)
    results = []
    for name, states in layers.items():
        clusters = find_clusters(states)
        scores = None
        if labeled:
            scores = Scores(
                most_frequent(senses, senses),
                leave_one_out(states, senses),
                purity(clusters.numbers, senses),
            )
        mean = states.mean(0) if average is None else average
        results.append(Meaning(name, states, mean, clusters.numbers, clusters.silhouette, scores))
    return results


def _around(text: str, spans: Sequence[tuple[int, int]], place: int) -> tuple[int, int]:
    """Start and end of what is read with a word: the whole text, unless it is long."""
    last = len(spans) - 1
    start = spans[place - AROUND][0] if place > AROUND else 0
    return start, spans[place + AROUND][1] if place + AROUND < last else len(text)


def _absent(word: str, met: list[str]) -> str:
    if not met:
        return "the text has no words; give one in which the word occurs."
    return f"{word!r} does not occur in this text.{did_you_mean(word, met)}"
