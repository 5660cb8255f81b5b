"""Words to labels: named entities, parts of speech."""

from typing import TYPE_CHECKING

from regard.lazy import modules
from regard.tasks.declaration import READS, TEXT, Kind, Training

if TYPE_CHECKING:
    from regard.tasks.token_classification import options, score, task, train, train_options
else:
    options, score, task, train, train_options = modules(
        __name__, "options", "score", "task", "train", "train_options"
    )

TASK = Kind(
    "token-classification",
    "a model that labels words",
    "to label words",
    "a BERT, RoBERTa or DistilBERT model with labels of words (…ForTokenClassification)",
    READS,
    task=lambda: task.TokenClassifier,
    also=("feature-extraction",),
    heads=("token_classification",),
    verb="label",
    help="Label the words of texts: names, parts of speech.\n\nOne line in, one line out: each"
    " labeled part with its label, such as Anna/PER, separated by tabs.",
    inputs=TEXT,
    options=lambda: options.LabelingOptions,
    result=lambda: task.TokenClassification,
    training=Training(
        "token-classification",
        "Train a model that labels words: named entities, parts of speech.",
        "Sentences in columns (CoNLL), JSON lines or Parquet with words and labels, or with"
        " texts and spans; also .gz.",
        lambda: train.TokenClassificationRecipe,
        lambda: train_options.TokenClassificationOptions,
        lambda: score.WordEvaluator,
        columns=("words", "labels"),
        figures="precision, recall and F1 of labeled parts",
    ),
)
