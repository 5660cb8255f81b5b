"""The options of training an encoder, for each of its tasks."""

from typing import TYPE_CHECKING

from regard import models
from regard.errors import BadArgumentError, unknown
from regard.training.options.run import TunedOptions, data_option, model_option

if TYPE_CHECKING:
    from regard.models.configs.encoder import EncoderConfig

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

    def model_settings(self, vocab_size: int) -> "EncoderConfig":
        """Return the config of a new model without a head."""
        return models.encoder_preset(self.preset, vocab_size, **self.chosen("dropout"))


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
