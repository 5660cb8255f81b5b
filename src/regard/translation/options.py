"""The options of training a translator, each with its only default.

The commands read the defaults for their help, so nothing here imports torch until options are made.
"""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from regard.errors import BadArgumentError

if TYPE_CHECKING:
    from regard.training import TrainingConfig


@dataclass(frozen=True)
class TrainingOptions:
    """The options of `regard train translation`; None leaves the choice to the preset.

    Raises:
        BadArgumentError: a value out of range, an unknown name, or another architecture's option.
    """

    output: str = "runs/translation"
    source_language: str = "source"
    target_language: str = "target"
    license: str = "unknown"  # of the weights, for the model card
    data_note: str = ""  # what the data is and whose, for the model card
    architecture: str = "transformer"  # a name in translation.architectures.ARCHITECTURES
    preset: str = "tiny"
    norm: str = "pre"  # a Transformer's
    cell: str = "gru"  # a recurrent model's
    attention: str = "bahdanau"  # a recurrent model's
    dropout: float | None = None
    vocab_size: int | None = None  # None: from the amount of text
    separate_vocabularies: bool = False
    dev: str | None = None  # a file of pairs; None: split off
    test: str | None = None  # a file of pairs to keep out of training; None: split off with dev
    max_length: int = 256  # tokens on a side; longer training pairs are left out and counted
    max_tokens: int = 4096  # padded target tokens in a batch
    accumulate: int = 1
    learning_rate: float | None = None
    warmup: int = 1000
    cooldown: int = 0  # steps before max_steps over which the rate falls to zero
    label_smoothing: float = 0.1
    weight_decay: float = 0.0
    max_steps: int | None = None
    max_epochs: float | None = None
    max_minutes: float | None = None
    evaluate_every: int = 250
    dev_sentences: int = 500  # translated at each evaluation for BLEU and chrF
    average: int = 5
    patience: int = 10
    device: str = "auto"  # "cuda" where there is one, else "cpu"
    precision: str = "auto"
    seed: int = 1
    tensorboard: bool = False

    def __post_init__(self) -> None:
        # Checked here, before an hour of reading data, and again where they are used.
        model = self.model_config(8)
        self.training_config()
        longest = model.max_positions - 1  # one position is for the end of sentence
        if not 0 < self.max_length <= longest:
            raise BadArgumentError(
                f"max_length must be from 1 to {longest}; got {self.max_length}."
            )
        if self.max_epochs is not None and not self.max_epochs > 0:
            raise BadArgumentError(f"max_epochs must be above 0; got {self.max_epochs}.")
        if not 0 <= self.label_smoothing < 1:
            raise BadArgumentError(
                f"label_smoothing must be at least 0 and below 1; got {self.label_smoothing}."
            )
        if self.dev_sentences <= 0:
            raise BadArgumentError(f"dev_sentences must be above 0; got {self.dev_sentences}.")

    def model_config(self, vocab_size: int, **changes: Any) -> Any:
        """The config of the model that the options describe, with any other changes.

        Raises:
            BadArgumentError: an unknown architecture or preset, or another architecture's option.
        """
        from regard.translation.architectures import ARCHITECTURES, find_architecture

        architecture = find_architecture(self.architecture)
        for name, other in ARCHITECTURES.items():
            for option in other.own if other is not architecture else ():
                if getattr(self, option) != DEFAULTS[option]:
                    raise BadArgumentError(
                        f"{option} is an option of architecture {name!r}; got {option} ="
                        f" {getattr(self, option)!r} with {self.architecture!r}. Leave it out."
                    )
        changes |= {option: getattr(self, option) for option in architecture.own}
        if self.dropout is not None:
            changes["dropout"] = self.dropout
        return architecture.config(self.preset, vocab_size, **changes)

    def training_config(self) -> "TrainingConfig":
        """What the training loop needs of the options."""
        from regard.training import TrainingConfig
        from regard.translation.architectures import find_architecture

        rate = self.learning_rate
        if rate is None:
            rate = find_architecture(self.architecture).learning_rates[self.preset]
        return TrainingConfig(
            learning_rate=rate,
            warmup=self.warmup,
            cooldown=self.cooldown,
            weight_decay=self.weight_decay,
            accumulate=self.accumulate,
            evaluate_every=self.evaluate_every,
            average=self.average,
            patience=self.patience,
            max_steps=self.max_steps,
            max_minutes=self.max_minutes,
            precision=self.precision,
            seed=self.seed,
        )

    def model_name(self) -> str:
        """The model in a few words: "transformer tiny, norm pre"."""
        from regard.translation.architectures import find_architecture

        own = [f"{name} {getattr(self, name)}" for name in find_architecture(self.architecture).own]
        return ", ".join([f"{self.architecture} {self.preset}", *own])


@dataclass(frozen=True)
class LadderOptions(TrainingOptions):
    """What the rungs of `regard ladder` share; the defaults that it does not have in common."""

    output: str = "runs/ladder"


DEFAULTS = {field.name: field.default for field in fields(TrainingOptions)}

# A resumed run may change what no step's result depends on: limits, names, how it is evaluated, and
# where files stand (their contents are checked).
FREE = {"output", "dev", "test", "max_steps", "max_epochs", "max_minutes", "patience"}
FREE |= {"evaluate_every", "dev_sentences", "average", "tensorboard"}
FREE |= {"source_language", "target_language", "license", "data_note", "device"}
