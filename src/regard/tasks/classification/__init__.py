"""Texts, or pairs of texts, to labels."""

from typing import TYPE_CHECKING

from regard.lazy import modules
from regard.tasks.declaration import READS, TEXT, Input, Kind, Training

if TYPE_CHECKING:
    from regard.tasks.classification import (
        command,
        options,
        route,
        score,
        task,
        train,
        train_options,
    )
else:
    command, options, route, score, task, train, train_options = modules(
        __name__, "command", "options", "route", "score", "task", "train", "train_options"
    )

TASK = Kind(
    "text-classification",
    "a classifier of texts",
    "to classify texts",
    "emotions, or a BERT, RoBERTa, DistilBERT, GPT-2, Llama or BART model with labels"
    " (…ForSequenceClassification)",
    READS,
    task=lambda: task.Classifier,
    also=("feature-extraction",),
    heads=("classification",),
    verb="classify",
    help="Label texts or images.\n\nOne line in, one line out: the best label and its"
    " probability, separated by a tab. An empty line stays empty. Each image of a"
    " folder has a line, which begins with its name.",
    inputs=(*TEXT, Input("text_pair", "the second text, for a model of pairs", True)),
    options=lambda: options.ClassificationOptions,
    result=lambda: task.Classification,
    route=lambda: route.ROUTE,
    command=lambda: command.Classify,
    training=Training(
        "classification",
        "Train a classifier of texts, or of pairs of texts.",
        "Texts with labels: TSV, CSV, JSON lines, Parquet; also .gz.",
        lambda: train.ClassificationRecipe,
        lambda: train_options.ClassificationOptions,
        lambda: score.TextLabelEvaluator,
        columns=("text", "label"),
        figures="accuracy, F1, Matthews' correlation, calibration, loss, confusions",
    ),
)
