"""Masked words to the words themselves."""

from typing import TYPE_CHECKING

from regard.lazy import modules
from regard.tasks.declaration import ENCODER, RUNNING_TEXT, Kind, Training

if TYPE_CHECKING:
    from regard.tasks.fill_mask import task, train, train_options
else:
    task, train, train_options = modules(__name__, "task", "train", "train_options")

TASK = Kind(
    "fill-mask",
    "a model that fills in masked words",
    "to fill in masked words",
    "a BERT, RoBERTa or DistilBERT model trained for it (…ForMaskedLM)",
    ("encode", *ENCODER, "evaluate"),
    task=lambda: task.MaskFiller,
    also=("feature-extraction",),
    heads=("masked_lm",),
    training=Training(
        "masked-language-model",
        "Train an encoder on running text, from which other tasks start (--from).",
        RUNNING_TEXT,
        lambda: train.MaskedLanguageModelRecipe,
        lambda: train_options.MaskedLanguageModelOptions,
        columns=("text",),
        figures="loss and accuracy of hidden words",
    ),
)
