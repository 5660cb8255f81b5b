"""How well labels were predicted: accuracy, F1, Matthews' correlation and calibration.

From counts alone, a line each. scikit-learn, whose numbers the tests compare with, would bring four
packages and 100 MB to every installation.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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


def label_scores(predicted: Flags, expected: Flags, probabilities: Floats) -> LabelScores:
    """The figures of predictions against what was expected; each argument is (texts, labels).

    A label that is neither predicted nor expected has an F1 of 0, as in scikit-learn.
    """
    both = (predicted & expected).sum(0)
    named, wanted = predicted.sum(0), expected.sum(0)
    one = bool((expected.sum(1) == 1).all() and (predicted.sum(1) == 1).all())
    return LabelScores(
        accuracy=float((predicted == expected).all(1).mean()),
        macro_f1=float(_ratio(2 * both, named + wanted).mean()),
        micro_f1=float(_ratio(2 * both.sum(), named.sum() + wanted.sum())),
        matthews=matthews(confusion(predicted, expected)) if one else float("nan"),
        calibration=calibration_error(predicted, expected, probabilities, one=one),
        precision=_ratio(both, named),
        recall=_ratio(both, wanted),
        f1=_ratio(2 * both, named + wanted),
        counts=wanted.astype(np.int64),
    )


def confusion(predicted: Flags, expected: Flags) -> NDArray[np.int64]:
    """How often each label (row) was predicted as each (column), (labels, labels)."""
    return expected.T.astype(np.int64) @ predicted.astype(np.int64)


def matthews(table: NDArray[np.int64]) -> float:
    """Matthews' correlation of a confusion table, for any number of labels (Gorodkin 2004)."""
    total, right = float(table.sum()), float(np.trace(table))
    wanted, named = table.sum(1).astype(float), table.sum(0).astype(float)
    spread = (total**2 - named @ named) * (total**2 - wanted @ wanted)
    return (right * total - wanted @ named) / spread**0.5 if spread else 0.0


def calibration_error(
    predicted: Flags, expected: Flags, probabilities: Floats, *, one: bool, bins: int = 15
) -> float:
    """Expected calibration error (Guo et al. 2017, equation 3): how far confidence is from truth.

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
