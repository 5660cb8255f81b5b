"""Evaluation of models that answer questions."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from regard.errors import BadArgumentError
from regard.recipes.answers.answer_metrics import AnswerEvaluation, answer_scores
from regard.recipes.answers.questions import QuestionReader
from regard.recipes.evaluation import Evaluator, no_progress
from regard.recipes.evaluation import Progress as Count
from regard.recipes.examples import Example
from regard.recipes.options.evaluation import AnswerEvaluationOptions
from regard.records import OnBadLine
from regard.tasks.answering import Answerer


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


class AnswerEvaluator(Evaluator[AnswerEvaluationOptions]):
    """Evaluation of models that answer questions."""

    unit = "questions"
    doing = "answering"

    def reader(self, path: str, *, on_bad_line: OnBadLine, **more: Any) -> Iterator[Example]:
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
