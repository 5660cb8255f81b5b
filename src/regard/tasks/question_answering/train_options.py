"""Options of training and of evaluating models that answer questions.

The commands are made from these classes, so nothing here imports torch.
"""

from typing import ClassVar

from regard.training.options.encoders import FoldedOptions
from regard.training.options.evaluation import BatchedOptions, LineOptions, WorstOptions, column
from regard.training.options.run import data_option, training_option


class QuestionColumns(LineOptions):
    """Columns of questions with contexts and answers."""

    question: str | None = column("The column of the questions.", shown="question, …")
    context: str | None = column(
        "The column of the texts that may hold the answers.", shown="context, passage, …"
    )
    answer: str | None = column(
        "The column of the answers; empty if there is no answer.", shown="answer, answers, …"
    )
    start: str | None = column(
        "The column of the answers' first characters in the context, from 0.",
        shown="start, answer_start",
    )


class AnswerEvaluationOptions(QuestionColumns, WorstOptions, BatchedOptions):
    """Options of evaluating a model that answers questions."""


class QuestionAnsweringOptions(QuestionColumns, FoldedOptions):
    """The options of `regard train question-answering`."""

    evaluation: ClassVar = AnswerEvaluationOptions

    output: str = data_option("runs/question-answering", "Folder of the run.", free=True)
    max_length: int = data_option(
        384, "Tokens of a window, question and special tokens counted.", min=16
    )
    doc_stride: int = data_option(
        128, "Tokens that a window of a long context shares with the one before it.", min=0
    )
    max_answer_len: int = training_option(30, "Longest answer that is predicted, in tokens.", min=1)
