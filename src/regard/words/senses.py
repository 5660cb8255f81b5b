"""Measures of how well vectors separate the senses of a word: clusters, purity, centroids."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import optional_package

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
    """The share of occurrences that have the sense which is most frequent in their cluster."""
    pairs = Counter(zip(clusters.tolist(), senses, strict=True))
    largest: dict[int, int] = {}
    for (number, _), size in pairs.items():
        largest[number] = max(largest.get(number, 0), size)
    return sum(largest.values()) / len(senses)


def nearest_centroid(train: States, senses: Sequence[str], test: States) -> list[str]:
    """The sense whose training vectors' mean direction is nearest, for each test vector.

    Of equally near senses, the one most frequent in training is taken. scikit-learn's
    NearestCentroid measures Euclidean distance only, and takes the first of these by name.
    """
    names = [name for name, _ in Counter(senses).most_common()]
    places = {name: place for place, name in enumerate(names)}
    sums = np.zeros((len(names), train.shape[1]))
    np.add.at(sums, [places[sense] for sense in senses], unit(train))
    return [names[k] for k in _nearest(unit(test) @ unit(sums).T)]


def leave_one_out(states: States, senses: Sequence[str]) -> float:
    """The share of vectors whose `nearest_centroid` is their own, by the means of all others.

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
    """The share of test occurrences that have the sense most frequent in training."""
    sense = Counter(train_senses).most_common(1)[0][0]
    return test_senses.count(sense) / len(test_senses)


def unit(vectors: NDArray[Any]) -> NDArray[Any]:
    """Each row at length one; a zero row stays zero."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.maximum(lengths, 1e-12)


def _nearest(cosines: NDArray[Any]) -> NDArray[np.int64]:
    """The first of the largest in each row."""
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
