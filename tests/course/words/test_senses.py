"""Telling senses apart: small cases by hand, scikit-learn as the other opinion."""

import builtins

import numpy as np
import pytest

from regard.course.words.meaning import (
    find_clusters,
    leave_one_out,
    most_frequent,
    nearest_centroid,
    purity,
    unit,
)
from regard.errors import RegardError

pytest.importorskip("sklearn")


def clouds(*sizes: int, spread: float = 0.1) -> np.ndarray:
    """As many directions as sizes, so many vectors about each."""
    draw = np.random.default_rng(0)
    rows = [np.eye(7)[k] + spread * draw.normal(size=(n, 7)) for k, n in enumerate(sizes)]
    lengths = draw.uniform(0.5, 20, size=(sum(sizes), 1))  # which say nothing
    return (np.concatenate(rows) * lengths).astype(np.float32)


def test_the_number_of_clusters_is_found_and_the_largest_is_first():
    found = find_clusters(clouds(5, 13, 11))
    assert found.count == 3
    assert found.numbers.tolist() == [2] * 5 + [0] * 13 + [1] * 11
    assert found.silhouette > 0.8


def test_the_silhouette_is_scikit_learns():
    from sklearn.metrics import silhouette_score

    states = clouds(5, 13)
    found = find_clusters(states)
    assert found.silhouette == pytest.approx(
        silhouette_score(states, found.numbers, metric="cosine"), abs=1e-5
    )


def test_one_cloud_is_one_cluster():
    states = np.random.default_rng(1).normal(size=(307, 31)).astype(np.float32)
    found = find_clusters(states)
    assert (found.count, found.silhouette) == (1, None)


def test_equal_vectors_are_one_cluster_whatever_is_asked_for():
    same = np.ones((11, 3), np.float32)
    assert find_clusters(same).count == 1
    assert find_clusters(same, 4).count == 1


def test_a_number_of_clusters_can_be_asked_for():
    assert find_clusters(clouds(5, 13, 11), 2).count == 2


def test_the_same_vectors_give_the_same_clusters():
    states = clouds(7, 7, spread=0.5)
    assert find_clusters(states, 2).numbers.tolist() == find_clusters(states, 2).numbers.tolist()


def test_purity_counts_the_most_frequent_sense_of_each_cluster():
    assert purity(np.array([0, 0, 0, 1, 1]), ["a", "a", "b", "b", "b"]) == pytest.approx(4 / 5)
    assert purity(np.zeros(5, np.int64), ["a", "a", "b", "b", "b"]) == pytest.approx(3 / 5)


def test_the_nearest_centroid_goes_by_direction():
    train = np.array([[1, 0], [9, 1], [0, 2]], np.float32)
    test = np.array([[0.1, 0], [1, 5], [3, 1]], np.float32)
    assert nearest_centroid(train, ["fruit", "fruit", "phone"], test) == ["fruit", "phone", "fruit"]


def test_vectors_that_are_all_alike_give_the_most_frequent_sense():
    same = np.full((7, 3), 0.3, np.float32)
    senses = ["b", "a", "a", "b", "a", "c", "a"]
    assert nearest_centroid(same, senses, same) == ["a"] * 7
    assert leave_one_out(same, senses) == pytest.approx(4 / 7)
    assert most_frequent(senses, senses) == pytest.approx(4 / 7)


@pytest.mark.parametrize("seed", range(7))
def test_rounding_does_not_tell_equal_vectors_apart(seed):
    draw = np.random.default_rng(seed)
    same = np.repeat(draw.normal(size=(1, 41)).astype(np.float32), 997, axis=0)
    senses = [*"aaaa", *draw.choice(list("abcd"), 993, p=[0.4, 0.2, 0.2, 0.2])]
    assert set(nearest_centroid(same, senses, same)) == {"a"}
    assert leave_one_out(same, senses) == pytest.approx(senses.count("a") / 997)


def test_leave_one_out_is_the_nearest_centroid_of_the_others():
    states = clouds(5, 13, 11, spread=0.7)
    senses = ["a"] * 5 + ["b"] * 13 + ["c"] * 11
    right = 0
    for k, sense in enumerate(senses):
        others = np.delete(states, k, axis=0)
        right += nearest_centroid(others, senses[:k] + senses[k + 1 :], states[k : k + 1]) == [
            sense
        ]
    assert 0.3 < right / 29 < 1
    assert leave_one_out(states, senses) == pytest.approx(right / 29)


def test_a_sense_that_occurs_once_is_never_right():
    states = np.array([[1, 0], [1, 0.1], [-1, 0]], np.float32)
    assert leave_one_out(states, ["a", "a", "b"]) == pytest.approx(2 / 3)


def test_most_frequent_is_that_of_training():
    assert most_frequent(["a", "b", "b"], ["a", "a", "b"]) == pytest.approx(1 / 3)


def test_a_zero_vector_stays_zero():
    np.testing.assert_allclose(unit(np.array([[0.0, 0.0], [3.0, 4.0]])), [[0, 0], [0.6, 0.8]])


def test_without_scikit_learn_it_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def missing(name, *rest):
        if name.startswith("sklearn"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(RegardError, match=r"package scikit-learn .*pip install scikit-learn"):
        find_clusters(clouds(5, 5))
