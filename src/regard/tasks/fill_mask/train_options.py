"""The options of training and evaluating it, and the columns of its data."""

from typing import ClassVar

from regard.tasks.text_generation.train_options import RunningTextOptions, TextColumn
from regard.training.options.encoders import EncoderOptions
from regard.training.options.evaluation import EvaluationOptions
from regard.training.options.run import data_option, training_option


class MaskedEvaluationOptions(TextColumn, EvaluationOptions):
    """Options of evaluating a masked language model."""


class MaskedLanguageModelOptions(RunningTextOptions, EncoderOptions):
    """The options of `regard train masked-language-model`."""

    evaluation: ClassVar = MaskedEvaluationOptions

    output: str = data_option("runs/masked-language-model", "Folder of the run.", free=True)
    masked: float = training_option(
        0.15, "Share of the tokens to predict, as whole words.", above=0, below=1
    )
    max_length: int = data_option(128, "Most tokens that are read together.", min=8)

    @classmethod
    def not_used(cls) -> frozenset[str]:
        return frozenset({"test", "lora_rank", "lora_alpha", "lora_targets"})
