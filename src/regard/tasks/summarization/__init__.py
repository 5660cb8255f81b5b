"""Texts to their summaries, or to other texts."""

from typing import TYPE_CHECKING

from regard.lazy import modules
from regard.tasks.declaration import TEXT, WRITES, Kind, Training

if TYPE_CHECKING:
    from regard.tasks.summarization import options, route, score, task, train, train_options
else:
    options, route, score, task, train, train_options = modules(
        __name__, "options", "route", "score", "task", "train", "train_options"
    )

TASK = Kind(
    "summarization",
    "a summarizer",
    "to summarize",
    "summaries, or a BART, Pegasus or T5 model",
    WRITES,
    task=lambda: task.Summarizer,
    also=("translation", "text2text-generation"),
    verb="summarize",
    help="Summarize texts.\n\nOne line in, one line out: an empty line stays empty, and in"
    " a pipe each answer is written as soon as its line arrives.",
    inputs=TEXT,
    options=lambda: options.SummarizationOptions,
    decoding=("Decoding",),
    result=lambda: task.Summary,
    batch_size=8,
    shard=100,
    route=lambda: route.ROUTE,
    training=Training(
        "summarization",
        "Train a model that summarizes documents, or rewrites any text as another.",
        "Documents with summaries: JSON lines, CSV, TSV, Parquet; also .gz.",
        lambda: train.SummarizationRecipe,
        lambda: train_options.SummarizationOptions,
        lambda: score.SummaryEvaluator,
        columns=("document", "summary"),
        figures="ROUGE, beside the documents' first words",
    ),
)

REWRITING = Kind(
    "text2text-generation",
    "a model that rewrites text",
    "to rewrite text",
    "a BART or T5 model",
    ("translate", "summarize", "look", "explain", "meaning", "studio", "serve"),
    task=lambda: task.Rewriter,
)
