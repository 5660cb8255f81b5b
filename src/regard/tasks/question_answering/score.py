"""Scores of answers: exact match and F1 by SQuAD's definition, and the no-answer threshold.

Rajpurkar et al. 2016, section 6.1; Rajpurkar, Jia and Liang 2018 for questions without an answer.
The numbers are those of SQuAD's evaluation script, version 2.0.
"""

import math
import re
import string
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.data import OnBadLine
from regard.errors import BadArgumentError
from regard.tasks.question_answering.read import QuestionReader
from regard.tasks.question_answering.task import Answerer
from regard.tasks.question_answering.train_options import AnswerEvaluationOptions
from regard.training.evaluation import Evaluator, no_progress
from regard.training.evaluation import Progress as Count
from regard.training.examples import Example
from regard.training.resampling import Scored

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_FAR = 1e9  # a margin of a model that cannot answer at all is infinite, which JSON lacks

Numbers = NDArray[np.float64]


def normalize_answer(text: str) -> str:
    """Lower case, without ASCII punctuation and English articles, single spaces.

    The definition is the same for every language, as in XQuAD's own evaluation: the articles of
    other languages and punctuation outside ASCII stay.
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(predicted: str, expected: Sequence[str]) -> float:
    """1.0 if the answer is one of those expected, after normalization, else 0.0.

    Args:
        expected: empty if there is no answer, which "" then predicts.
    """
    answer = normalize_answer(predicted)
    return float(any(normalize_answer(text) == answer for text in _references(expected)))


def token_f1(predicted: str, expected: Sequence[str]) -> float:
    """Return the F1 of the words that the answer shares with the expected one that is nearest to
    it.

    Words lie between spaces, so in a script without spaces F1 is all or nothing.
    """
    return max(_f1(predicted, text) for text in _references(expected))


def _references(expected: Sequence[str]) -> list[str]:
    return [text for text in expected if normalize_answer(text)] or [""]


def _f1(predicted: str, expected: str) -> float:
    words, right = normalize_answer(predicted).split(), normalize_answer(expected).split()
    if not words or not right:
        return float(words == right)
    return 2 * (Counter(words) & Counter(right)).total() / (len(words) + len(right))


@dataclass(frozen=True, eq=False)
class AnswerEvaluation(Scored):
    """Each question's scores, as the best answer was given and with it withheld."""

    exact: Numbers  # (questions,), of the best answer that is not empty
    f1: Numbers
    margins: Numbers  # of these answers, see `tasks.question_answering.task.Answer`
    answerable: NDArray[np.bool_]  # whether the question has an answer
    answers: Sequence[str] = ()
    threshold: float | None = None  # the model's own; see `figures_at`

    def __len__(self) -> int:
        return len(self.f1)

    def best_threshold(self) -> float:
        """Return the threshold with the highest mean F1: an answer is given if its margin is above
        it.

        Of thresholds that are equally good, the one that is nearest to 0.
        """
        order = np.argsort(self.margins, kind="stable")
        margins = self.margins[order]
        withheld = (~self.answerable[order]).astype(np.float64)
        answered = np.where(self.answerable, self.f1, 0.0)[order]
        # With the first k withheld: what these earn by silence, and the others by their answers.
        totals = np.concatenate([[0], withheld.cumsum()])
        totals += np.concatenate([answered[::-1].cumsum()[::-1], [0]])
        bounds = np.concatenate([[margins[0] - 1], (margins[1:] + margins[:-1]) / 2, margins[-1:]])
        possible = np.concatenate([[True], margins[1:] > margins[:-1], [True]])
        chosen = bounds[possible & (totals >= totals[possible].max() - 1e-9)]
        return float(chosen[np.abs(chosen).argmin()])

    def figures_at(self, threshold: float | None) -> dict[str, float]:
        """Return the means over all questions, and over those with and without an answer if there
        are both, or if answers may be withheld.

        Args:
            threshold: the least margin of an answer; None: every question is answered.
        """
        silent = self.margins <= (-_FAR if threshold is None else threshold)
        exact = np.where(silent, ~self.answerable, self.exact)
        f1 = np.where(silent, ~self.answerable, self.f1)
        figures = {"exact_match": float(exact.mean()), "f1": float(f1.mean())}
        if self.answerable.all():
            return figures
        if self.answerable.any():
            figures["has_answer_exact"] = float(exact[self.answerable].mean())
            figures["has_answer_f1"] = float(f1[self.answerable].mean())
        return figures | {"no_answer": float(exact[~self.answerable].mean())}

    def figures_of(self, rows: NDArray[np.int64]) -> dict[str, float]:
        """Return the figures over these questions, which may repeat; NaN where there is no such
        one."""
        columns = ("exact", "f1", "margins", "answerable")
        chosen = replace(self, **{name: getattr(self, name)[rows] for name in columns})
        figures = chosen.figures_at(self.threshold)
        return dict.fromkeys(self.figures_at(self.threshold), math.nan) | figures

    def shown(self, row: int) -> str:
        """Return the answer to a question: "" where it is withheld."""
        least = -_FAR if self.threshold is None else self.threshold
        return "" if self.margins[row] <= least else self.answers[row]

    def worst(self, count: int) -> list[int]:
        """Return the questions of the lowest F1, the surest answers first."""
        f1 = np.array([self.figures_of(np.array([row]))["f1"] for row in range(len(self))])
        wrong = np.flatnonzero(f1 < 1)
        order = np.lexsort((-self.margins[wrong], f1[wrong]))
        return [int(row) for row in wrong[order][:count]]


def answer_scores(
    predicted: Sequence[str],
    margins: Sequence[float],
    expected: Sequence[Sequence[str]],
    threshold: float | None = None,
) -> AnswerEvaluation:
    """Return the scores of answers to questions with these expected answers, several for each.

    Args:
        predicted: the best answer that is not empty, or "" with a margin of -inf.
    """
    pairs = list(zip(predicted, expected, strict=True))
    return AnswerEvaluation(
        exact=np.array([exact_match(*pair) for pair in pairs]),
        f1=np.array([token_f1(*pair) for pair in pairs]),
        margins=np.clip(np.array(margins, np.float64), -_FAR, _FAR),
        answerable=np.array([any(map(normalize_answer, texts)) for texts in expected]),
        answers=predicted,
        threshold=threshold,
    )


def evaluate_answers(
    answerer: Answerer,
    examples: Sequence[Example],
    *,
    batch_size: int = 32,
    progress: Count = no_progress,
) -> AnswerEvaluation:
    """Answers the questions and compares, under the model's own threshold."""
    if not examples:
        raise BadArgumentError("evaluating needs at least one question; got none.")
    answers = answerer.run(
        [(example.text, example.pair or "") for example in examples],
        or_none=False,
        force=True,
        batch_size=batch_size,
        progress=progress,
    )
    best = [best_first[0] if best_first else None for best_first in answers]
    return answer_scores(
        [answer.text if answer else "" for answer in best],
        [answer.margin if answer else -np.inf for answer in best],
        [[text for text, _ in example.targets] for example in examples],
        answerer.settings.no_answer_threshold,
    )


class AnswerEvaluator(
    Evaluator[AnswerEvaluationOptions, Answerer, Sequence[Example], AnswerEvaluation]
):
    """Evaluation of models that answer questions."""

    unit = "questions"
    doing = "answering"

    def reader(self, path: str, *, on_bad_line: OnBadLine, **more: object) -> Iterator[Example]:
        return QuestionReader(self.options, self.say).read(path, on_bad_line)

    scorer = staticmethod(evaluate_answers)

    def compared(self, result: AnswerEvaluation) -> str:
        return "f1"

    def outputs(self, result: AnswerEvaluation) -> list[str]:
        return [result.shown(row) for row in range(len(result))]

    def example(
        self, result: AnswerEvaluation, row: int, data: Sequence[Example]
    ) -> dict[str, Any]:
        example = data[row]
        return {
            "line": example.line,
            **({"id": example.id} if example.id else {}),
            "question": example.text,
            "expected": [text for text, _ in example.targets],
            "answer": result.shown(row),
        }
