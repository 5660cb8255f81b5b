"""The options of training an encoder, for each of its tasks."""

from typing import Any, ClassVar

from regard.errors import BadArgumentError, check_choice, unknown
from regard.recipes.options.evaluation import (
    BatchedOptions,
    DocumentColumns,
    LabelColumns,
    LabelEvaluationOptions,
    LineOptions,
    PairColumns,
    PairEvaluationOptions,
    SummaryEvaluationOptions,
    WorstOptions,
    column,
)
from regard.recipes.options.run import TunedOptions, data_option, model_option, option

# The projections that have adapters, by the names of their modules.
LORA_TARGETS = {
    "attention": ("query", "key", "value", "output"),
    "all": ("query", "key", "value", "output", "inner", "outer", "gate"),
}

# Peak learning rates that trained well from random weights.
SCRATCH_RATES = {
    "tiny": 1e-3, "mini": 5e-4, "small": 3e-4, "medium": 2e-4, "base": 1e-4, "large": 5e-5,
}  # fmt: skip


class EncoderOptions(TunedOptions):
    """Options of training an encoder."""

    preset: str = model_option(
        "mini", "Size of a model from random weights.", metavar="tiny|mini|small|medium|base|large"
    )
    lora_rank: int = model_option(
        0, "Train low-rank adapters (LoRA) of this rank, and the head.", shown="no adapters", min=0
    )
    lora_alpha: float | None = model_option(
        None, "Factor of the adapters, over their rank.", shown="twice the rank", min=0
    )
    lora_targets: str = model_option(
        "attention", "The projections that have adapters.", metavar="attention|all"
    )
    vocab_size: int | None = data_option(
        None, "Subwords of a new vocabulary.", shown="from the amount of text", min=1
    )
    max_length: int = data_option(
        256, "Longer texts, in tokens, are cut, as the finished model will cut them.", min=8
    )

    def check(self) -> None:
        self.model_settings(8)
        super().check()
        if self.lora_rank and (self.base_model is None or self.train_layers is not None):
            raise BadArgumentError(
                "lora_rank trains adapters of a trained model, whose layers stay as they are. Give"
                " base_model, and leave train_layers out."
            )
        if self.lora_targets not in LORA_TARGETS:
            raise unknown("lora_targets", self.lora_targets, LORA_TARGETS)

    def usual_rate(self) -> float:
        if self.base_model is None:
            return SCRATCH_RATES[self.preset]
        return 1e-3 if self.lora_rank else 1e-4

    def model_settings(self, vocab_size: int) -> Any:
        """The config of a new model without a head."""
        from regard.models import encoder_preset

        return encoder_preset(self.preset, vocab_size, **self.chosen("dropout"))


class FoldedOptions(EncoderOptions):
    """Options of training an encoder on a file that may be cross-validated."""

    folds: int | None = data_option(
        None,
        "Cross-validate in this many folds, then train on all rows.",
        shown="no cross-validation",
        free=True,  # the prepared data depends on it, and is compared
        min=2,
    )

    def check(self) -> None:
        super().check()
        if self.folds is not None and self.dev is not None:
            raise BadArgumentError(
                "folds holds out each part of the data in turn, which leaves nothing for a dev file"
                " to do. Give folds or dev."
            )


class ClassificationOptions(LabelColumns, FoldedOptions):
    """The options of `regard train classification`."""

    evaluation: ClassVar = LabelEvaluationOptions

    output: str = data_option("runs/classification", "Folder of the run.", free=True)
    class_weights: bool = option(False, "Weigh each label by the inverse of how often it occurs.")


class EmbeddingOptions(PairColumns, FoldedOptions):
    """The options of `regard train embedding`."""

    evaluation: ClassVar = PairEvaluationOptions

    output: str = data_option("runs/embedding", "Folder of the run.", free=True)
    score_scale: float | None = data_option(
        None, "The score of two equal texts.", shown="1, or the highest if above 1", above=0
    )
    pooling: str | None = model_option(
        None,
        "Pooling of the tokens' states into one vector.",
        shown="the model's, else mean",
        metavar="mean|cls|max",
    )
    batch_size: int = option(64, "Most pairs in a batch: each has all others as negatives.", min=2)
    temperature: float = option(0.05, "Divisor of the cosines before the softmax.", above=0)
    symmetric: bool = option(False, "Also look for each first text among those of the second.")

    def check(self) -> None:
        super().check()
        if self.pooling is not None:
            from regard.tasks.embedding import POOLING

            check_choice("pooling", self.pooling, POOLING)
        if self.train_layers == 0:
            raise BadArgumentError(
                "train_layers must be at least 1, for an embedding model has no head; got 0."
            )


class WordColumns(LineOptions):
    """Columns of sentences with labeled words."""

    word: str | None = column(
        "The column of the words; of JSON, the field of the words or the text.",
        shown="the first; tokens, words, text",
    )
    label: str | None = column(
        "The column of the labels; of JSON, the field of the labels or the spans.",
        shown="the last; labels, tags, spans, …",
    )


class WordEvaluationOptions(WordColumns, WorstOptions, BatchedOptions):
    """Options of evaluating a model that labels words."""


class TokenClassificationOptions(WordColumns, FoldedOptions):
    """The options of `regard train token-classification`."""

    evaluation: ClassVar = WordEvaluationOptions

    output: str = data_option("runs/token-classification", "The run's folder.", free=True)


class ExtractionOptions(DocumentColumns, FoldedOptions):
    """The options of `regard train extractive-summarization`."""

    evaluation: ClassVar = SummaryEvaluationOptions

    output: str = data_option("runs/extractive-summarization", "Folder of the run.", free=True)
    max_length: int = data_option(
        384, "Tokens that are read of a document at a time; more are not trained on.", min=8
    )
