"""The options of training an encoder–decoder, and a summarizer."""

from typing import Any, ClassVar

from regard.errors import BadArgumentError
from regard.recipes.options.evaluation import DocumentColumns, SummaryEvaluationOptions
from regard.recipes.options.run import (
    RunOptions,
    data_option,
    evaluation_option,
    limit_option,
    model_option,
    option,
)


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
    label_smoothing: float = option(0.1, "Probability taken from the target token.", min=0, below=1)

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
        """The options that a trained model has settled."""
        return ("preset", "norm", "vocab_size")

    def usual_rate(self) -> float:
        return SEQUENCE_RATES[self.preset] if self.base_model is None else 1e-4

    def model_config(self, vocab_size: int, **changes: Any) -> Any:
        """The config of the new model that the options describe, with any other changes."""
        from regard.models import preset

        changes = {"norm": self.norm} | changes | self.chosen("dropout")
        return preset(self.preset, vocab_size, **changes)

    def model_name(self) -> str:
        """The model in a few words: "transformer tiny, norm pre"."""
        if self.base_model is not None:
            return f"encoder–decoder from {self.base_model}"
        return f"transformer {self.preset}, norm {self.norm}"


# Peak learning rates that trained well from random weights.
SEQUENCE_RATES = {"tiny": 5e-3, "small": 2e-3, "base": 7e-4, "big": 5e-4}


class SummarizationOptions(DocumentColumns, SequenceOptions):
    """The options of `regard train summarization`."""

    evaluation: ClassVar = SummaryEvaluationOptions

    output: str = data_option("runs/summarization", "Folder of the run.", free=True)
    max_source_length: int = data_option(
        1024, "Longer documents, in tokens, are cut, as the finished model will cut them.", min=8
    )
    max_length: int = data_option(128, "Longer summaries, in tokens, are not trained on.", min=1)
    warmup: int | None = option(
        None, "Steps up to the peak rate.", shown="1000; 6 % of all with --from", min=0
    )
    max_epochs: float | None = limit_option(
        None, "Stop after this many epochs.", shown="3 with --from, at least 60 steps", above=0
    )
    evaluate_every: int | None = evaluation_option("half an epoch")
    dev_documents: int = limit_option(200, "Dev documents summarized at each evaluation.", min=1)

    def epochs(self) -> float | None:
        if self.max_epochs is not None or self.max_steps is not None or self.base_model is None:
            return self.max_epochs
        return 3

    def warmup_steps(self, last: int) -> int:
        new = self.base_model is None
        return 1000 if self.warmup is None and new else super().warmup_steps(last)

    def model_config(self, vocab_size: int, **changes: Any) -> Any:
        longest = max(self.max_source_length, self.max_length + 1)
        return super().model_config(vocab_size, **({"max_positions": longest} | changes))
