"""Evaluation of models that label words."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from regard.errors import BadArgumentError
from regard.tasks.token_classification.read import read_labeled_words
from regard.tasks.token_classification.task import OUTSIDE, TokenClassifier, has_positions
from regard.tasks.token_classification.train_options import WordEvaluationOptions
from regard.tasks.token_classification.word_scores import WordEvaluation
from regard.training.evaluation import Evaluator, no_progress
from regard.training.evaluation import Progress as Count
from regard.training.examples import Example
from regard.training.labels import check_labels
from regard.training.report import RatiosReport

_LARGEST_LOSS = 1e-12  # the smallest probability that a loss is taken of


class WordReport(RatiosReport):
    """A report on a model that labels words, with the figures of each type or label."""

    result: WordEvaluation

    titles: ClassVar = {
        "f1": ("F1", "{:>6.1%}"),
        "precision": ("precision", "{:>6.1%}"),
        "recall": ("recall", "{:>6.1%}"),
        "macro_f1": ("macro-F1", "{:>6.1%}"),
        "accuracy": ("accuracy of words", "{:>6.1%}"),
        "loss": ("loss", "{:>6.3f}"),
    }
    before_worst: ClassVar = "Mistakes in the sentences of the largest loss:"

    def ratios(self) -> Iterator[tuple[str, int, float, float, float]]:
        for kind, (ratios, count) in self.result.by_kind().items():
            yield kind, count, *ratios


def evaluate_words(
    classifier: TokenClassifier,
    examples: Sequence[Example],
    *,
    batch_size: int = 32,
    progress: Count = no_progress,
) -> WordEvaluation:
    """Label the words and compare; a word has the label of its first token."""
    if not examples:
        raise BadArgumentError("evaluating needs at least one sentence; got none.")
    numbers = {label: number for number, label in enumerate(classifier.labels)}
    for example in examples:
        check_labels(numbers, [label for _, _, label in example.targets], example.line)
    texts = [example.text for example in examples]
    tokens = classifier.scores(texts, batch_size=batch_size, progress=progress)
    predicted, losses = [], []
    for example, row in zip(examples, tokens, strict=True):
        places = first_tokens([(token.start, token.end) for token in row], example.targets)
        answers, loss = [], 0.0
        for place, (_, _, label) in zip(places, example.targets, strict=True):
            probabilities = None if place is None else row[place].probabilities
            if probabilities is None:  # a word of no token, such as an invisible character
                answers.append(OUTSIDE)
                continue
            answers.append(classifier.labels[int(probabilities.argmax())])
            loss -= float(np.log(max(float(probabilities[numbers[label]]), _LARGEST_LOSS)))
        predicted.append(answers)
        losses.append(loss)
    expected = [[label for _, _, label in example.targets] for example in examples]
    return WordEvaluation(predicted, expected, np.array(losses), has_positions(classifier.labels))


class WordEvaluator(
    Evaluator[WordEvaluationOptions, TokenClassifier, Sequence[Example], WordEvaluation]
):
    """Scores of models that label words."""

    unit = "sentences"
    doing = "labeling"
    report_class = WordReport
    reader = staticmethod(read_labeled_words)

    scorer = staticmethod(evaluate_words)

    def compared(self, result: WordEvaluation) -> str:
        return "f1" if result.of_entities else "accuracy"

    def example(self, result: WordEvaluation, row: int, data: Sequence[Example]) -> dict[str, Any]:
        example = data[row]
        mistakes = [
            f"{example.text[start:end]}: {ours}, not {label}"
            for (start, end, label), ours in zip(
                example.targets, result.predicted[row], strict=True
            )
            if ours != label
        ]
        return {"line": example.line, "mistakes": mistakes, "text": example.text}


def first_tokens(
    offsets: Sequence[tuple[int, int]], words: Sequence[Sequence[Any]]
) -> list[int | None]:
    """Return the first token of each word, by its place; None for a word without one.

    Args:
        offsets: the characters of each token, in order; (-1, -1) of special tokens.
        words: each begins with the characters where it starts and ends.
    """
    places: list[int | None] = []
    token = 0
    for start, end, *_ in words:
        while token < len(offsets) and offsets[token][1] <= start:
            token += 1
        inside = token < len(offsets) and offsets[token][0] < end
        places.append(token if inside else None)
        token += inside
    return places
