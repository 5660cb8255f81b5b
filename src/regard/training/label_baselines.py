"""Baselines of a classifier: the logistic regression that its head began as, and the most
frequent label."""

from collections.abc import Mapping, Sequence

from regard.training.baselines import Baselines
from regard.training.labels import LabelEvaluation

COMPARED = ("accuracy", "macro_f1")


def label_baselines(
    evaluations: Mapping[str, LabelEvaluation], counts: Sequence[int], regression: str | None
) -> Baselines:
    """Return the figures on each part of the data.

    Args:
        evaluations: of the model before its first step.
        counts: training examples of each label.
        regression: what that model is called; None: there is no such model.
    """
    frequent = max(range(len(counts)), key=counts.__getitem__)
    baselines = {}
    for part, evaluation in evaluations.items():
        results = {} if regression is None else {regression: evaluation}
        results[f"the most frequent label, {evaluation.labels[frequent]}:"] = evaluation.always(
            frequent
        )
        baselines[part] = {
            name: {figure: result.figures[figure] for figure in COMPARED}
            for name, result in results.items()
        }
    return baselines
