"""Figures of labels, for classifiers of texts and of images.

Figures are from counts alone, a line each: scikit-learn, whose numbers tests compare with, would
bring four packages and 100 MB to every installation.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from regard.arrays import NUMPY, Array, as_numpy
from regard.errors import BadArgumentError, did_you_mean
from regard.training.resampling import Scored

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LabelScores:
    """The figures of predicted labels, from 0 to 1 but for Matthews', which is from -1 to 1."""

    accuracy: float  # of all of a text's labels together
    macro_f1: float  # the mean of the labels' F1
    micro_f1: float  # of all decisions together
    matthews: float  # of one label a text; NaN where there are several
    calibration: float  # expected calibration error
    precision: Floats  # (labels,)
    recall: Floats
    f1: Floats
    counts: NDArray[np.int64]  # (labels,): texts that have the label


def label_scores(
    predicted: Flags, expected: Flags, probabilities: Floats, *, multi_label: bool
) -> LabelScores:
    """Return the figures of predictions against what was expected; each array is (texts, labels).

    As in scikit-learn, a label that is neither predicted nor expected is left out of the macro-F1;
    of texts with several labels, it has an F1 of 0.
    """
    both = (predicted & expected).sum(0)
    answers, right = predicted.sum(0), expected.sum(0)
    f1, one = _ratio(2 * both, answers + right), not multi_label
    counted = (answers + right > 0) | multi_label
    return LabelScores(
        accuracy=float((predicted == expected).all(1).mean()),
        macro_f1=float(f1[counted].mean()),
        micro_f1=float(_ratio(2 * both.sum(), answers.sum() + right.sum())),
        matthews=matthews(confusion(predicted, expected)) if one else float("nan"),
        calibration=calibration_error(predicted, expected, probabilities, one=one),
        precision=_ratio(both, answers),
        recall=_ratio(both, right),
        f1=f1,
        counts=right.astype(np.int64),
    )


def confusion(predicted: Flags, expected: Flags) -> NDArray[np.int64]:
    """Count predictions of each label (row) as each (column), (labels, labels)."""
    return expected.T.astype(np.int64) @ predicted.astype(np.int64)


def matthews(table: NDArray[np.int64]) -> float:
    """Matthews' correlation of a confusion table, for any number of labels (Gorodkin 2004)."""
    total, right = float(table.sum()), float(np.trace(table))
    truth, answers = table.sum(1).astype(float), table.sum(0).astype(float)
    spread = (total**2 - answers @ answers) * (total**2 - truth @ truth)
    return (right * total - truth @ answers) / spread**0.5 if spread else 0.0


def calibration_error(
    predicted: Flags, expected: Flags, probabilities: Floats, *, one: bool, bins: int = 15
) -> float:
    """Return expected calibration error (Guo et al. 2017, equation 3): how far confidence is from
    truth.

    Of one label a text, the confidence is the predicted label's probability; of several, each
    label is a question of its own.
    """
    if one:
        confidence, right = probabilities[predicted], expected[predicted].astype(float)
    else:
        confidence, right = probabilities.ravel(), expected.ravel().astype(float)
    number = np.minimum((confidence * bins).astype(int), bins - 1)
    sizes = np.bincount(number, minlength=bins)
    gaps = np.bincount(number, confidence - right, bins)
    return float(np.abs(gaps).sum() / sizes.sum())


def _ratio(part: NDArray[np.int64], whole: NDArray[np.int64]) -> Floats:
    return np.divide(part, whole, out=np.zeros(np.shape(whole)), where=np.asarray(whole) > 0)


# The figures of an evaluation as they are shown while a classifier is trained.
SHOWN = {"loss": "dev loss {:.3f}", "accuracy": "accuracy {:.1%}", "macro_f1": "macro-F1 {:.1%}"}


@dataclass(frozen=True)
class LabelEvaluation(Scored):
    """A classifier's answers to examples with known labels."""

    labels: tuple[str, ...]
    predicted: NDArray[np.bool_]  # (texts, labels)
    expected: NDArray[np.bool_]
    probabilities: NDArray[np.float64]
    losses: NDArray[np.float64]  # (texts,)
    multi_label: bool

    def __len__(self) -> int:
        return len(self.losses)

    @property
    def scores(self) -> LabelScores:
        """The figures of all texts, and of each label."""
        return self._scores(slice(None))

    def _scores(self, rows: NDArray[np.int64] | slice) -> LabelScores:
        return label_scores(
            self.predicted[rows],
            self.expected[rows],
            self.probabilities[rows],
            multi_label=self.multi_label,
        )

    def figures_of(self, rows: NDArray[np.int64]) -> dict[str, float]:
        """Return the figures over these texts, which may repeat."""
        scores = self._scores(rows)
        figures = {
            "loss": float(self.losses[rows].mean()),
            "accuracy": scores.accuracy,
            "macro_f1": scores.macro_f1,
            "micro_f1": scores.micro_f1,
            "calibration": scores.calibration,
            "score": scores.macro_f1 if self.multi_label else scores.accuracy,
        }
        return figures if self.multi_label else figures | {"matthews": scores.matthews}

    def always(self, number: int) -> "LabelEvaluation":
        """Return the same examples, each with the label of this number as its answer."""
        answers = np.zeros_like(self.predicted)
        answers[:, number] = True
        return replace(self, predicted=answers)

    @property
    def constant(self) -> bool:
        """Return whether all examples got the same answer though they have different labels."""
        same, alike = ((rows == rows[:1]).all() for rows in (self.predicted, self.expected))
        return bool(same and not alike)

    @property
    def confusion(self) -> NDArray[np.int64]:
        """Counts of texts of each label (row) by their answers (column), (labels, labels)."""
        return confusion(self.predicted, self.expected)

    def worst(self, count: int) -> list[int]:
        """Return the wrong texts that the classifier was surest about, by their loss."""
        wrong = np.flatnonzero((self.predicted != self.expected).any(1))
        return [int(row) for row in wrong[np.argsort(-self.losses[wrong])][:count]]


def evaluate_logits(
    logits: Array,
    expected: NDArray[np.bool_],
    labels: tuple[str, ...],
    *,
    multi_label: bool,
    threshold: float = 0.5,
) -> LabelEvaluation:
    """Compare what a classifier says with what was expected; both are (texts, labels)."""
    logits = as_numpy(logits).astype(np.float64)
    scores = 1 / (1 + np.exp(-logits)) if multi_label else NUMPY.softmax(logits)
    # Of equal logits one label is predicted. Probabilities of different logits may round to a tie.
    best = np.eye(len(labels), dtype=np.bool_)[logits.argmax(-1)]
    return LabelEvaluation(
        labels=labels,
        predicted=scores > threshold if multi_label else best,
        expected=expected,
        probabilities=scores,
        losses=_losses(logits, expected, multi_label=multi_label),
        multi_label=multi_label,
    )


def best_threshold(evaluation: LabelEvaluation) -> float:
    """Return the threshold, in steps of 0.05, with the highest macro-F1; of equals, the nearest to
    0.5."""

    def macro_f1(threshold: float) -> float:
        predicted = evaluation.probabilities > threshold
        return replace(evaluation, predicted=predicted).scores.macro_f1

    steps = [step / 20 for step in range(1, 20)]
    return max(steps, key=lambda each: (macro_f1(each), -abs(each - 0.5)))


def problem_type(multi_label: bool) -> str:
    """Return config.json's name of the problem."""
    return "multi_label_classification" if multi_label else "single_label_classification"


def check_labels(known: Collection[str], labels: Sequence[str], line: int) -> None:
    """Raise BadArgumentError for a label of an example that a classifier does not have."""
    for label in labels:
        if label not in known:
            raise BadArgumentError(
                f"the classifier has no label {label!r} (line {line:,}); it has"
                f" {', '.join(known)}. Correct the label, or take the line out."
                f"{did_you_mean(label, known)}"
            )


def in_order(label: str) -> tuple[int, float, str]:
    """Numbers by their value, before names in alphabetical order."""
    try:
        return 0, float(label), label
    except ValueError:
        return 1, 0.0, label


def figures_line(name: str, figures: dict[str, float], count: int, examples: str) -> str:
    """Return a line on the figures of a set of this many "texts" or "images"."""
    return (
        f"{name}, {count:,} {examples}: accuracy {figures['accuracy']:.1%}, macro-F1"
        f" {figures['macro_f1']:.1%}, micro-F1 {figures['micro_f1']:.1%}, calibration error"
        f" {figures['calibration']:.3f}, loss {figures['loss']:.3f}"
    )


def described(labels: Sequence[str], counts: Sequence[int]) -> str:
    shares = [f"{label} {count:,}" for label, count in zip(labels, counts, strict=True)]
    more = f", … ({len(labels)} in all)" if len(labels) > 8 else ""
    return f"labels: {', '.join(shares[:8])}{more}"


def _losses(logits: Floats, expected: Flags, *, multi_label: bool) -> Floats:
    """Return the loss of each text, (texts,): that of `losses.label_loss`, without weights."""
    if multi_label:
        each = np.maximum(logits, 0) - logits * expected + np.log1p(np.exp(-abs(logits)))
        return each.mean(1)
    chosen = logits[np.arange(len(logits)), expected.argmax(1)]
    return NUMPY.log_sum_exp(logits) - chosen
