"""Texts to the sentences that sum them up."""

from typing import TYPE_CHECKING

from regard.lazy import modules
from regard.tasks.declaration import READS, Kind, Training

if TYPE_CHECKING:
    from regard.tasks.extraction import task, train, train_options
    from regard.tasks.summarization import score as summarization_score
else:
    task, train, train_options = modules(__name__, "task", "train", "train_options")
    (summarization_score,) = modules("regard.tasks.summarization", "score")

TASK = Kind(
    "extractive-summarization",
    "a summarizer that takes a sentence of the text",
    "to summarize",
    "summaries, or another model that regard trained for it",
    ("summarize", *READS),
    task=lambda: task.Extractor,
    also=("token-classification", "feature-extraction"),
    does="summarization",
    training=Training(
        "extractive-summarization",
        "Train a summarizer that takes the best sentence of each document.",
        "Documents with summaries: JSON lines, CSV, TSV, Parquet; also .gz.",
        lambda: train.ExtractionRecipe,
        lambda: train_options.ExtractionOptions,
        lambda: summarization_score.SummaryEvaluator,
        columns=("document", "summary"),
        figures="ROUGE, beside the documents' first words",
    ),
)
