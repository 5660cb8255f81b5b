"""Meanings of a word: the vector of each of its occurrences against the one for all.

A static vector must serve all that a word means. Bommasani et al. 2020 make one by averaging
contextual vectors, which is done here too where a model has no static vector: by definition it
is then the mean of the occurrences.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.course.words.segmentation import split_words, word_spans
from regard.course.words.states import Occurrence
from regard.errors import BadArgumentError, NotFoundError, did_you_mean
from regard.packages import optional_package

States = NDArray[np.float32]
"""(occurrences, dim)"""

MOST_CLUSTERS = 8
LEAST_SILHOUETTE = 0.1  # below it the vectors are one cloud, and cutting it up says nothing
_SAMPLED = 2000  # occurrences over which a silhouette is measured; it compares every two
_EQUAL = 1e-6  # what is as near but for rounding is equally near


@dataclass(frozen=True, eq=False)
class Clusters:
    """Occurrences in groups of similar vectors, the largest group first."""

    numbers: NDArray[np.int64]  # (occurrences,): the group of each, from 0
    silhouette: float | None  # from -1 to 1 (Rousseeuw 1987); None where there is one group

    @property
    def count(self) -> int:
        return int(self.numbers.max()) + 1


def find_clusters(states: States, count: int | None = None, *, seed: int = 0) -> Clusters:
    """k-means over directions; the number of clusters, if not given, has the best silhouette.

    Raises UnavailableError without scikit-learn.
    """
    directions = unit(states)
    distinct = len(np.unique(np.round(directions / _EQUAL), axis=0))
    if count is not None:
        return _clusters(directions, min(count, distinct), seed)
    divisions = [
        _clusters(directions, number, seed)
        for number in range(2, min(MOST_CLUSTERS, distinct - 1, len(states) - 1) + 1)
    ]
    best = max(divisions, key=lambda each: each.silhouette or 0.0, default=None)
    if best is None or (best.silhouette or 0.0) < LEAST_SILHOUETTE:
        return _clusters(directions, 1, seed)
    return best


def purity(clusters: NDArray[np.int64], senses: Sequence[str]) -> float:
    """Return the share of occurrences that have the sense which is most frequent in their
    cluster."""
    pairs = Counter(zip(clusters.tolist(), senses, strict=True))
    largest: dict[int, int] = {}
    for (number, _), size in pairs.items():
        largest[number] = max(largest.get(number, 0), size)
    return sum(largest.values()) / len(senses)


def nearest_centroid(train: States, senses: Sequence[str], test: States) -> list[str]:
    """Return the sense whose training vectors' mean direction is nearest, for each test vector.

    Of equally near senses, the one most frequent in training is taken. scikit-learn's
    NearestCentroid measures Euclidean distance only, and takes the first of these by name.
    """
    names = [name for name, _ in Counter(senses).most_common()]
    places = {name: place for place, name in enumerate(names)}
    sums = np.zeros((len(names), train.shape[1]))
    np.add.at(sums, [places[sense] for sense in senses], unit(train))
    return [names[k] for k in _nearest(unit(test) @ unit(sums).T)]


def leave_one_out(states: States, senses: Sequence[str]) -> float:
    """Return the share of vectors whose `nearest_centroid` is their own, by the means of all
    others.

    One subtraction for each vector, where scikit-learn's LeaveOneOut would fit a model for each.
    """
    names = [sense for sense, _ in Counter(senses).most_common()]
    labels = np.array([names.index(sense) for sense in senses])
    directions = unit(states).astype(np.float64)
    sums = np.zeros((len(names), states.shape[1]))
    np.add.at(sums, labels, directions)
    cosines = directions @ unit(sums).T
    rest = unit(sums[labels] - directions)
    once = np.bincount(labels)[labels] == 1  # has no mean without it, so that it is never found
    cosines[np.arange(len(labels)), labels] = np.where(once, -np.inf, (rest * directions).sum(1))
    return float((_nearest(cosines) == labels).mean())


def most_frequent(train_senses: Sequence[str], test_senses: Sequence[str]) -> float:
    """Return the share of test occurrences that have the sense most frequent in training."""
    sense = Counter(train_senses).most_common(1)[0][0]
    return test_senses.count(sense) / len(test_senses)


def unit(vectors: NDArray[Any]) -> NDArray[Any]:
    """Each row at length one; a zero row stays zero."""
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)


def _nearest(cosines: NDArray[Any]) -> NDArray[np.int64]:
    """Return the first of the largest in each row."""
    return (cosines >= cosines.max(1, keepdims=True) - _EQUAL).argmax(1)


def _clusters(directions: States, count: int, seed: int) -> Clusters:
    if count < 2:
        return Clusters(np.zeros(len(directions), np.int64), None)
    with optional_package("scikit-learn", "clusters need"):
        from sklearn.cluster import KMeans
        from sklearn.metrics import silhouette_score
    numbers = KMeans(count, n_init=10, random_state=seed).fit_predict(directions)
    by_size = np.argsort(-np.bincount(numbers, minlength=count), kind="stable")
    numbers = np.argsort(by_size)[numbers]
    sample = _SAMPLED if len(directions) > _SAMPLED else None
    silhouette = silhouette_score(
        directions, numbers, metric="cosine", sample_size=sample, random_state=seed
    )
    return Clusters(numbers.astype(np.int64), float(silhouette))


AROUND = 60  # words on either side that are read with an occurrence
_SHOWN = 3  # examples of a cluster


@dataclass(frozen=True)
class Scores:
    """Agreement of the vectors with senses written beside the text."""

    most_frequent: float  # the share of the most frequent sense: what needs no vector
    centroid: float  # nearest mean of the other occurrences (leave one out)
    purity: float  # of the clusters
    chance: float  # that the most frequent sense, guessed, is right as often (binomial test)


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
        return int(self.clusters.max()) + 1

    def examples(self, cluster: int) -> list[int]:
        """Return the occurrences nearest to the middle of a cluster, the nearest first."""
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
        for place, token in enumerate(words):
            if token == parts[0]:
                first, end = _around(text, spans, place)
                start, stop = spans[place]
                occurrences.append(Occurrence(text[first:end], start - first, stop - first, sense))
    if not occurrences:
        if not met:
            raise NotFoundError("the text has no words; give one in which the word occurs.")
        hint = did_you_mean(parts[0], list(met))
        raise NotFoundError(f"{parts[0]!r} does not occur in this text.{hint}")
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
    senses = [occurrence.sense for occurrence in occurrences if occurrence.sense is not None]
    labeled = len(senses) == len(occurrences)
    results = []
    for name, states in layers.items():
        clusters = find_clusters(states)
        scores = None
        if labeled:
            frequent, centroid = most_frequent(senses, senses), leave_one_out(states, senses)
            scores = Scores(
                frequent,
                centroid,
                purity(clusters.numbers, senses),
                _chance(centroid, frequent, len(senses)),
            )
        mean = states.mean(0) if average is None else average
        results.append(Meaning(name, states, mean, clusters.numbers, clusters.silhouette, scores))
    return results


def _chance(share: float, expected: float, count: int) -> float:
    """Return the probability of this share of `count` or a larger one where `expected` is the
    truth."""
    with optional_package("scipy", "scores of senses need"):
        from scipy.stats import binomtest
    return float(binomtest(round(share * count), count, expected, alternative="greater").pvalue)


def _around(text: str, spans: Sequence[tuple[int, int]], place: int) -> tuple[int, int]:
    """Start and end of what is read with a word: the whole text, unless it is long."""
    last = len(spans) - 1
    start = spans[place - AROUND][0] if place > AROUND else 0
    return start, spans[place + AROUND][1] if place + AROUND < last else len(text)
