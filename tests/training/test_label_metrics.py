"""The figures of labels are scikit-learn's."""

import numpy as np
import pytest

from regard.training.labels import calibration_error, confusion, label_scores, matthews

metrics = pytest.importorskip("sklearn.metrics")


def one_label(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    scores = random.dirichlet(np.ones(4), 200)
    truth = np.where(random.random(200) < 0.6, scores.argmax(1), random.integers(0, 3, 200))
    return np.eye(4, dtype=bool)[scores.argmax(1)], np.eye(4, dtype=bool)[truth], scores


def test_the_figures_of_one_label_are_scikit_learns() -> None:
    predicted, expected, scores = one_label(1)
    ours = label_scores(predicted, expected, scores, multi_label=False)
    truth, guess = expected.argmax(1), predicted.argmax(1)
    labels = [0, 1, 2, 3]
    assert ours.accuracy == pytest.approx(metrics.accuracy_score(truth, guess))
    for average, mine in (("macro", ours.macro_f1), ("micro", ours.micro_f1)):
        theirs = metrics.f1_score(truth, guess, average=average)
        assert mine == pytest.approx(theirs)
    assert ours.matthews == pytest.approx(metrics.matthews_corrcoef(truth, guess))
    precision, recall, f1, counts = metrics.precision_recall_fscore_support(
        truth, guess, labels=labels, zero_division=0
    )
    np.testing.assert_allclose(ours.precision, precision)
    np.testing.assert_allclose(ours.recall, recall)
    np.testing.assert_allclose(ours.f1, f1)
    np.testing.assert_array_equal(ours.counts, counts)
    table = confusion(predicted, expected)
    np.testing.assert_array_equal(table, metrics.confusion_matrix(truth, guess, labels=labels))


def test_the_figures_of_several_labels_are_scikit_learns() -> None:
    random = np.random.default_rng(2)
    scores, expected = random.random((100, 5)), random.random((100, 5)) < 0.3
    ours = label_scores(scores > 0.5, expected, scores, multi_label=True)
    assert ours.accuracy == pytest.approx(metrics.accuracy_score(expected, scores > 0.5))
    assert ours.macro_f1 == pytest.approx(metrics.f1_score(expected, scores > 0.5, average="macro"))
    assert ours.micro_f1 == pytest.approx(metrics.f1_score(expected, scores > 0.5, average="micro"))
    assert np.isnan(ours.matthews)


@pytest.mark.parametrize(
    ("truth", "guess"),
    [([0, 0, 0], [0, 0, 0]), ([0, 0], [0, 1]), ([3], [2]), ([3], [3]), ([1, 2, 1], [2, 2, 1])],
)
def test_labels_that_do_not_occur_are_left_out_as_scikit_learn_does(
    truth: list[int], guess: list[int]
) -> None:
    flags = np.eye(4, dtype=bool)
    ours = label_scores(
        flags[guess], flags[truth], np.full((len(truth), 4), 0.25), multi_label=False
    )
    assert ours.macro_f1 == pytest.approx(metrics.f1_score(truth, guess, average="macro"))
    assert ours.micro_f1 == pytest.approx(metrics.f1_score(truth, guess, average="micro"))


def test_of_several_labels_one_that_does_not_occur_counts_as_scikit_learn_has_it() -> None:
    expected = np.array([[1, 0, 0], [1, 0, 0], [0, 0, 0]], bool)
    predicted = np.array([[1, 0, 0], [0, 0, 0], [0, 0, 0]], bool)
    ours = label_scores(predicted, expected, predicted.astype(float), multi_label=True)
    theirs = metrics.f1_score(expected, predicted, average="macro", zero_division=0)
    assert ours.macro_f1 == pytest.approx(theirs) == pytest.approx(2 / 9)


def test_a_constant_prediction_correlates_with_nothing() -> None:
    assert matthews(np.array([[3, 0], [2, 0]])) == 0.0


def test_the_calibration_error_is_the_gap_of_each_bin() -> None:
    # Two bins: confidence 0.9 with 1 of 2 right, confidence 0.6 with 2 of 2 right.
    scores = np.array([[0.9, 0.1], [0.9, 0.1], [0.4, 0.6], [0.6, 0.4]])
    expected = np.eye(2, dtype=bool)[[0, 1, 1, 0]]
    predicted = np.eye(2, dtype=bool)[scores.argmax(1)]
    error = calibration_error(predicted, expected, scores, one=True, bins=10)
    assert error == pytest.approx((2 * 0.4 + 2 * 0.4) / 4)
