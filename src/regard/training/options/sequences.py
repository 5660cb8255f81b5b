"""The options of training an encoder–decoder, and a summarizer."""

from typing import TYPE_CHECKING

from regard import models
from regard.errors import BadArgumentError
from regard.training.options.run import (
    RunOptions,
    data_option,
    model_option,
    training_option,
)

if TYPE_CHECKING:
    from regard.models.configs.encoder_decoder import EncoderDecoderConfig
    from regard.models.configs.recurrent import RecurrentConfig


class SequenceOptions(RunOptions):
    """Options of training an encoder–decoder, from random weights or from a trained one."""

    test: str | None = data_option(
        None, "A file like the data, to score the finished model on.", shown="split off", free=True
    )
    vocab_size: int | None = data_option(
        None, "Number of subwords.", shown="from the amount of text", min=1
    )
    base_model: str | None = model_option(
        None, "Continue from this model: a shipped name, a folder or hub:org/name.", flag="--from"
    )
    preset: str = model_option("tiny", "Size of the model.", metavar="tiny|small|base|big")
    norm: str = model_option(
        "pre",
        "Normalization before or after each sub-layer (after, in the paper).",
        metavar="pre|post",
    )
    dropout: float | None = model_option(None, "Dropout on every sub-layer.", shown="preset's")
    label_smoothing: float = training_option(
        0.1, "Probability taken from the target token.", min=0, below=1
    )

    def check(self) -> None:
        self.model_config(8)
        super().check()
        for name in self.of_new_models() if self.base_model is not None else ():
            if getattr(self, name) != self.settings()[name].default:
                raise BadArgumentError(
                    f"{name} describes a new model; got {name} = {getattr(self, name)!r} with"
                    f" base_model {self.base_model!r}, which has its own. Leave one of them out."
                )

    @classmethod
    def of_new_models(cls) -> tuple[str, ...]:
        """Return the options that a trained model has settled."""
        return ("preset", "norm", "vocab_size")

    def usual_rate(self) -> float:
        return SEQUENCE_RATES[self.preset] if self.base_model is None else 1e-4

    def model_config(
        self, vocab_size: int, **changes: object
    ) -> "EncoderDecoderConfig | RecurrentConfig":
        """Return the config of the new model that the options describe, with any other changes."""
        changes = {"norm": self.norm} | changes | self.chosen("dropout")
        return models.preset(self.preset, vocab_size, **changes)

    def model_name(self) -> str:
        """Return the model in a few words: "transformer tiny, norm pre"."""
        if self.base_model is not None:
            return f"encoder–decoder from {self.base_model}"
        return f"transformer {self.preset}, norm {self.norm}"


# Peak learning rates that trained well from random weights.
SEQUENCE_RATES = {"tiny": 5e-3, "small": 2e-3, "base": 7e-4, "big": 5e-4}
