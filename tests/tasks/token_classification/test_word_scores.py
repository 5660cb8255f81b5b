"""Entities and their figures, against seqeval 1.2.2 (its default mode) and by hand.

seqeval.json: random sentences of B-, I- (and E-, S-) labels; the entities (type, first and last
word), precision, recall, F1 and macro-F1 that seqeval finds.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from regard.tasks.token_classification.word_scores import WordEvaluation, entities
from regard.training.resampling import intervals

CASES = json.loads(Path(__file__).with_name("seqeval.json").read_text())


@pytest.mark.parametrize("case", CASES)
def test_figures_are_those_of_seqeval(case):
    for labels, expected in zip(case["expected"], case["entities"], strict=True):
        assert [[kind, start, end - 1] for kind, start, end in entities(labels)] == expected
    losses = np.zeros(len(case["expected"]))
    figures = WordEvaluation(case["predicted"], case["expected"], losses, True).figures
    for name in ("precision", "recall", "f1", "macro_f1"):
        assert figures[name] == pytest.approx(case[name], abs=1e-11), name


def evaluation():
    expected = [["B-PER", "I-PER", "O"], ["O", "B-LOC"], ["O"]]
    predicted = [["B-PER", "O", "O"], ["O", "B-LOC"], ["B-LOC"]]
    return WordEvaluation(predicted, expected, np.array([3.0, 1.0, 2.0]), True)


def test_figures_by_hand():
    figures = evaluation().figures
    assert figures["accuracy"] == pytest.approx(4 / 6)
    assert figures["loss"] == pytest.approx(1.0)
    assert figures["precision"] == pytest.approx(1 / 3)
    assert figures["recall"] == pytest.approx(1 / 2)
    assert figures["f1"] == figures["score"] == pytest.approx(0.4)
    (right, count) = evaluation().by_kind()["LOC"]
    assert (right.precision, right.recall, count) == (0.5, 1.0, 1)


def test_worst_sentences_have_mistakes_and_the_largest_losses():
    assert evaluation().worst(5) == [0, 2]


def test_words_count_where_labels_have_no_positions():
    scores = WordEvaluation([["NOUN", "VERB"]], [["NOUN", "NOUN"]], np.array([1.0]), False)
    assert scores.figures == {
        "loss": 0.5, "accuracy": 0.5, "macro_f1": pytest.approx(1 / 3), "score": 0.5,
    }  # fmt: skip


def test_intervals_hold_the_figure():
    low, high = intervals(evaluation())["accuracy"]
    assert 0 <= low <= evaluation().figures["accuracy"] <= high <= 1
