"""Exact match, F1 and the threshold, against values worked out by hand and by trying them all."""

import numpy as np
import pytest

from regard.tasks.question_answering.score import (
    AnswerEvaluation,
    answer_scores,
    exact_match,
    normalize_answer,
    token_f1,
)


@pytest.mark.parametrize(
    ("text", "normalized"),
    [
        ("The  Eiffel-Tower, in\nParis!", "eiffeltower in paris"),
        ("An apple a day; then, the end.", "apple day then end"),
        ("theatre and anthem", "theatre and anthem"),  # articles are whole words
        ("„Das Haus“", "„das haus“"),  # neither German articles nor quotes outside ASCII
        ("a", ""),
    ],
)
def test_case_punctuation_and_articles_do_not_count(text: str, normalized: str) -> None:
    assert normalize_answer(text) == normalized


@pytest.mark.parametrize(
    ("predicted", "expected", "exact", "f1"),
    [
        ("the cat.", ["A cat"], 1, 1),
        ("red house near river", ["the red house"], 0, 2 * 2 / (4 + 2)),
        ("blue blue sea", ["blue sea sea"], 0, 2 * 2 / (3 + 3)),  # a word counts as often as shared
        ("308", ["308 points", "308"], 1, 1),  # the best of several
        ("old dog", ["cat", "dog"], 0, 2 / 3),
        ("dog", ["cat"], 0, 0),
        ("", [], 1, 1),
        ("the", [], 1, 1),  # nothing is left of the prediction
        ("dog", [], 0, 0),
        ("", ["dog"], 0, 0),
        ("", ["the"], 1, 1),  # nothing is left of the only one
    ],
)
def test_scores_are_those_worked_out_by_hand(
    predicted: str, expected: list[str], exact: float, f1: float
) -> None:
    assert exact_match(predicted, expected) == exact
    assert token_f1(predicted, expected) == pytest.approx(f1)


def test_an_article_alone_is_no_answer_in_the_figures_of_a_set() -> None:
    scores = answer_scores(["the", "dog", "cat"], [1.0, 1.0, 1.0], [[], [], ["the cat"]])
    assert scores.figures_at(0.0) == {
        "exact_match": pytest.approx(2 / 3), "f1": pytest.approx(2 / 3),
        "has_answer_exact": 1.0, "has_answer_f1": 1.0, "no_answer": 0.5,
    }  # fmt: skip


def test_the_threshold_is_the_best_one_and_nearest_to_nothing() -> None:
    scores = AnswerEvaluation(
        exact=np.array([0.0, 1.0, 0.0, 0.0]),
        f1=np.array([0.0, 1.0, 0.0, 0.5]),
        margins=np.array([-2.0, -1.0, 1.0, 3.0]),
        answerable=np.array([False, True, False, True]),
    )
    # With 0, 1, 2, 3, 4 withheld: 1.5, 2.5, 1.5, 2.5, 2.
    assert scores.best_threshold() == -1.5
    assert scores.figures_at(-1.5) == {
        "exact_match": 0.5, "f1": 0.625, "has_answer_exact": 0.5, "has_answer_f1": 0.75,
        "no_answer": 0.5,
    }  # fmt: skip
    assert scores.figures_at(2.0)["f1"] == 0.625
    assert scores.figures_at(2.0)["no_answer"] == 1.0
    assert scores.figures_at(None)["f1"] == 0.375
    assert scores.figures_at(None)["no_answer"] == 0.0


def test_no_threshold_is_better_and_equal_margins_stay_together() -> None:
    draw = np.random.default_rng(5)
    for _ in range(30):
        answerable = draw.random(11) < 0.6
        margins = draw.integers(-3, 4, 11).astype(np.float64)
        f1 = np.where(answerable, draw.random(11), 0.0)
        scores = AnswerEvaluation(f1.round(), f1, margins, answerable)
        tried = [scores.figures_at(each)["f1"] for each in np.arange(-4.5, 4.5, 0.5)]
        assert scores.figures_at(scores.best_threshold())["f1"] == pytest.approx(max(tried))


def test_a_model_that_finds_nothing_gives_no_answer() -> None:
    scores = answer_scores(["", "dog"], [-np.inf, 2.0], [[], ["dog"]])
    assert scores.figures_at(None)["no_answer"] == 1.0
    assert np.isfinite(scores.best_threshold())


def test_without_open_questions_there_are_two_figures() -> None:
    scores = answer_scores(["cat", "old dog"], [1.0, 2.0], [["the cat"], ["dog"]])
    assert scores.figures_at(None) == {"exact_match": 0.5, "f1": pytest.approx((1 + 2 / 3) / 2)}
