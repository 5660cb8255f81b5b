"""Evaluation of classifiers of texts."""

from collections.abc import Callable, Sequence

import numpy as np

from regard.errors import BadArgumentError
from regard.tasks.classification.read import read_labeled
from regard.tasks.classification.task import Classifier
from regard.tasks.classification.train_options import LabelEvaluationOptions
from regard.training.examples import Example
from regard.training.labels import LabelEvaluation, check_labels, evaluate_logits
from regard.training.report import LabelEvaluator


def evaluate_labels(
    classifier: Classifier,
    examples: Sequence[Example],
    *,
    batch_size: int = 64,
    progress: Callable[[int], None] = lambda done: None,
) -> LabelEvaluation:
    if not examples:
        raise BadArgumentError("evaluating needs at least one example; got none.")
    multi_label = classifier.problem_type == "multi_label_classification"
    numbers = {label: number for number, label in enumerate(classifier.labels)}
    expected = np.zeros((len(examples), len(numbers)), np.bool_)
    for row, example in enumerate(examples):
        if not multi_label and len(example.targets) != 1:
            raise BadArgumentError(
                f"the classifier gives a text one label; line {example.line:,} has"
                f" {len(example.targets)}. Evaluate a model that was trained on such texts."
            )
        check_labels(numbers, example.targets, example.line)
        expected[row, [numbers[label] for label in example.targets]] = True
    paired = any(example.pair is not None for example in examples)
    tokens = classifier.read(
        [example.text for example in examples],
        [example.pair or "" for example in examples] if paired else None,
    )
    rows = classifier.logits(tokens, batch_size=batch_size, progress=progress)
    return evaluate_logits(
        np.stack(rows),
        expected,
        classifier.labels,
        multi_label=multi_label,
        threshold=classifier.threshold,
    )


class TextLabelEvaluator(LabelEvaluator[LabelEvaluationOptions, Classifier, Sequence[Example]]):
    """Evaluation of classifiers of texts."""

    unit = "texts"
    reader = staticmethod(read_labeled)

    scorer = staticmethod(evaluate_labels)
