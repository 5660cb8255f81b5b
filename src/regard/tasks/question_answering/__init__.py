"""Questions to answers: the part of a text that a fine-tuned model points at."""

from typing import TYPE_CHECKING

from regard.lazy import modules
from regard.tasks.declaration import READS, Input, Kind, Training

if TYPE_CHECKING:
    from regard.tasks.question_answering import command, options, score, task, train, train_options
else:
    command, options, score, task, train, train_options = modules(
        __name__, "command", "options", "score", "task", "train", "train_options"
    )

TASK = Kind(
    "question-answering",
    "a model that answers questions",
    "to answer questions",
    "answers, or a BERT, RoBERTa, DistilBERT, GPT-2, Llama or BART model trained for it"
    " (…ForQuestionAnswering)",
    READS,
    task=lambda: task.Answerer,
    also=("feature-extraction",),
    heads=("question_answering",),
    verb="answer",
    help="Answer questions from a text.\n\nOne question in, one line out: the answer and"
    " its probability, separated by a tab.",
    inputs=(Input("question", "the question"), Input("context", "the text to search")),
    options=lambda: options.AnswerOptions,
    result=lambda: task.Answers,
    shard=100,
    blank=True,
    command=lambda: command.Answer,
    training=Training(
        "question-answering",
        "Train a model that finds the answer to a question in a text.",
        "Questions with contexts and answers: SQuAD's JSON, or TSV, CSV, JSON lines,"
        " Parquet; also .gz.",
        lambda: train.QuestionAnsweringRecipe,
        lambda: train_options.QuestionAnsweringOptions,
        lambda: score.AnswerEvaluator,
        columns=("question", "context", "answer", "start"),
        figures="exact match and F1",
    ),
)
