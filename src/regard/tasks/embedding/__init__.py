"""Texts to vectors that are close where the texts mean the same."""

from typing import TYPE_CHECKING

from regard.lazy import modules
from regard.tasks.declaration import ENCODER, TEXT, Kind, Training

if TYPE_CHECKING:
    from regard.tasks.embedding import command, options, score, task, train, train_options
else:
    command, options, score, task, train, train_options = modules(
        __name__, "command", "options", "score", "task", "train", "train_options"
    )

TASK = Kind(
    "feature-extraction",
    "a text encoder",
    "to encode texts",
    "sentences, or a BERT, RoBERTa, DistilBERT or sentence-transformers model",
    (*ENCODER, "evaluate", "serve"),
    task=lambda: task.Embedder,
    heads=("pooler", "none"),
    verb="encode",
    help="Turn texts into vectors that are close if the texts have similar meanings.\n\nOne"
    ' line in, one vector out. Input lines may be JSON objects with a "text", whose'
    " other fields pass through to JSON lines. A line that cannot be read is named, and"
    " has null or a row of NaN in a vector's place; the exit code is then 2.",
    inputs=TEXT,
    options=lambda: options.EncodingOptions,
    result=lambda: task.Embedding,
    blank=True,
    command=lambda: command.Encode,
    training=Training(
        "embedding",
        "Train a model that turns texts into vectors, close where the texts belong together.",
        "Pairs of texts that belong together, or with a score: TSV, CSV, JSON lines,"
        " Parquet; also .gz.",
        lambda: train.EmbeddingRecipe,
        lambda: train_options.EmbeddingOptions,
        lambda: score.PairEvaluator,
        columns=("text", "pair", "score"),
        figures="recall and reciprocal rank, or rank correlation",
        layout="sentence-transformers'",
    ),
)
