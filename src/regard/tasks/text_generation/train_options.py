"""The options of training and evaluating it, and the columns of its data."""

from typing import TYPE_CHECKING, ClassVar

from regard import models
from regard.errors import BadArgumentError
from regard.training.options.evaluation import BatchedOptions, LineOptions, column
from regard.training.options.run import (
    EpochOptions,
    data_option,
    limit_option,
    model_option,
    training_option,
)

if TYPE_CHECKING:
    from regard.models.configs.decoder import DecoderConfig


class TextColumn(LineOptions):
    """Column of running text."""

    text: str | None = column("The column of the texts, in records.", shown="text, …")


class TextEvaluationOptions(TextColumn, BatchedOptions):
    """Options of evaluating a language model."""


class RunningTextOptions(TextColumn, EpochOptions):
    """Options of reading running text and holding some of it out."""

    dev: str | None = data_option(
        None, "Text to choose the best model by.", shown="held out", free=True
    )
    dev_fraction: float = data_option(
        0.1, "Held out: the end of a text; of 20 documents or more, whole ones.", above=0, below=1
    )
    dev_tokens: int = limit_option(65_536, "Most dev tokens of an evaluation.", min=1)


class LanguageModelOptions(RunningTextOptions):
    """The options of `regard train language-model`."""

    evaluation: ClassVar = TextEvaluationOptions

    output: str = data_option("runs/language-model", "Folder of the run.", free=True)
    tokenizer: str | None = data_option(
        None,
        "Kind of token.",
        shown="subwords, or the model's",
        metavar="characters|bytes|subwords",
    )
    vocab_size: int | None = data_option(
        None, "Most subwords.", shown="from the amount of text", min=1
    )
    base_model: str | None = model_option(
        None,
        "Continue from this GPT-2, Llama or similar model: a folder or hub:org/name.",
        flag="--from",
    )
    preset: str = model_option(
        "tiny", "Size of a model from random weights.", metavar="tiny|mini|small|gpt2|…"
    )
    d_model: int | None = model_option(None, "Width of the model.", shown="preset's", min=1)
    layers: int | None = model_option(None, "Number of layers.", shown="preset's", min=1)
    heads: int | None = model_option(
        None, "Number of heads in each layer.", shown="preset's", min=1
    )
    dropout: float | None = model_option(
        None, "Dropout on every sub-layer.", shown="0, or the model's"
    )
    block: int = training_option(
        256, "Tokens that are read together; a new model has as many positions.", min=2
    )
    batch_size: int | None = training_option(
        None, "Blocks in a batch, at most --max-tokens.", shown="by --max-tokens", min=1
    )
    schedule: str = training_option(
        "cosine",
        "Shape of the rate after the peak; cosine ends at a tenth, linear at 0.",
        metavar="inverse-sqrt|linear|cosine",
    )
    weight_decay: float = training_option(0.1, "AdamW's weight decay, on matrices.", min=0)
    beta2: float = training_option(0.99, "AdamW's decay of the mean of squares.", min=0, below=1)
    sample_tokens: int = limit_option(
        200, "Tokens that are written at each evaluation, also to samples.txt; 0: none.", min=0
    )

    def check(self) -> None:
        self.model_settings(300)
        super().check()
        if self.block > self.max_tokens:
            raise BadArgumentError(
                f"max_tokens must be at least block, {self.block}; got {self.max_tokens}."
            )
        sizes = ("d_model", "layers", "heads", "tokenizer", "vocab_size")
        if self.base_model is not None:
            for name in sizes:
                if getattr(self, name) is not None:
                    raise BadArgumentError(
                        f"{name} is of a model from random weights; base_model has its own. Leave"
                        " one of them out."
                    )

    def rows(self) -> int:
        """Blocks in a batch."""
        return min(self.batch_size or self.max_tokens, self.max_tokens // self.block)

    def betas(self) -> tuple[float, float]:
        return 0.9, self.beta2

    def usual_rate(self) -> float:
        if self.base_model is not None:
            return 1e-4
        return min(2e-3, 0.4 / int(self.model_settings(300).d_model))

    def model_settings(self, vocab_size: int, **changes: object) -> "DecoderConfig":
        """Return the config of a new model."""
        sizes = {"d_model": self.d_model, "num_layers": self.layers, "num_heads": self.heads}
        changes |= {name: value for name, value in sizes.items() if value is not None}
        changes |= self.chosen("dropout")
        if self.d_model is not None and self.preset in models.DECODER_PRESETS:
            preset = models.DECODER_PRESETS[self.preset]
            changes["d_ff"] = round(self.d_model * preset["d_ff"] / preset["d_model"])
        config = models.decoder_preset(self.preset, vocab_size, max_positions=self.block, **changes)
        if config.d_model % config.num_heads:
            raise BadArgumentError(
                f"d_model must be a multiple of heads; got {config.d_model} and"
                f" {config.num_heads}. Change one of them."
            )
        return config
