"""Ranks worked out by hand, and rank correlation against scipy."""

import numpy as np
import pytest

from regard.tasks.embedding.score import PairEvaluation, rank_pairs, spearman


def unit(*rows: tuple[float, float]) -> np.ndarray:
    vectors = np.array(rows, np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_recall_and_reciprocal_rank_are_those_of_the_ranks() -> None:
    nothing = np.empty((0, 2), np.float32)
    figures = PairEvaluation(nothing, nothing, None, np.array([1, 2, 4, 11])).figures
    assert figures["recall_1"] == 0.25
    assert figures["recall_10"] == 0.75
    assert figures["mrr"] == pytest.approx((1 + 1 / 2 + 1 / 4 + 1 / 11) / 4)


def test_each_text_ranks_all_second_texts() -> None:
    first = unit((1, 0), (0, 1), (1, 1))
    second = unit((1, 0.1), (1, 0), (0, 1))
    # a: x .995, y 1, z 0; b: x .1, y 0, z 1; c: x .77, y .71, z .71
    ranking = rank_pairs(["a", "b", "c"], ["x", "y", "z"], first, second)
    assert ranking.tolist() == [2, 3, 3]  # equal cosines: the right one comes last


def test_a_text_with_several_pairs_counts_once_by_the_best() -> None:
    first = unit((1, 0), (1, 0), (0, 1))
    second = unit((0, 1), (1, 0), (0.2, 1))
    ranking = rank_pairs(["a", "a", "b"], ["x", "y", "z"], first, second)
    assert sorted(ranking.tolist()) == [1, 2]


def test_a_second_text_that_is_the_text_itself_is_passed_over() -> None:
    first, second = unit((1, 0), (0, 1)), unit((0.9, 0.1), (1, 0))
    assert rank_pairs(["a", "b"], ["x", "a"], first, second).tolist() == [1, 2]
    assert rank_pairs(["c", "b"], ["x", "a"], first, second).tolist() == [2, 2]


def test_rank_correlation_is_scipys() -> None:
    scipy = pytest.importorskip("scipy.stats")
    draw = np.random.default_rng(3)
    for _ in range(20):
        first = draw.integers(0, 5, 17)  # with ties
        second = first + draw.normal(size=17)
        assert spearman(first, second) == pytest.approx(scipy.spearmanr(first, second).statistic)


def test_rank_correlation_of_a_constant_is_none() -> None:
    assert spearman([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]) == 0.0


def test_a_correlation_that_is_not_defined_is_said_so() -> None:
    vectors = np.eye(2, dtype=np.float32)
    constant = PairEvaluation(vectors, vectors[::-1], np.array([0.5, 0.5], np.float32), None)
    assert constant.figures["spearman"] == 0.0
    assert "not defined" in constant.note
    varied = PairEvaluation(vectors, vectors[[0, 0]], np.array([0.5, 0.1], np.float32), None)
    assert (varied.figures["spearman"], varied.note) == (pytest.approx(1.0), "")
