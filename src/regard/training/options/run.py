"""The options of training, each with its only default and its help.

The commands are made from these classes, so nothing here imports torch before an option is used.
"""

from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from regard import options, training
from regard.errors import BadArgumentError
from regard.options import Options
from regard.training.options.evaluation import EvaluationOptions

if TYPE_CHECKING:
    from regard.training import TrainingConfig

T = TypeVar("T")


def training_option(default: T, help: str, *, panel: str = "Training", **more: Any) -> T:
    """Return a field of a class of options, among those of training unless the panel says
    otherwise."""
    return options.option(default, help, panel=panel, **more)


def data_option(default: T, help: str, **more: object) -> T:
    return training_option(default, help, panel="Data", **more)


def model_option(default: T, help: str, **more: object) -> T:
    return training_option(default, help, panel="Model", **more)


def limit_option(default: T, help: str, **more: object) -> T:
    return training_option(default, help, panel="Evaluation and limits", free=True, **more)


def evaluation_option(default: str) -> int | None:
    """Option of the steps between evaluations, by default as the words say: "half an epoch"."""
    help = "Steps from one evaluation to the next."
    shown = f"{default}, {LEAST_STEPS // 6} to 1000"
    return limit_option(None, help, shown=shown, flag="--eval-every", min=1)


# Steps of a run whose length is left to its recipe, at least: few rows make few steps of an epoch.
LEAST_STEPS = 60


class RunOptions(Options):
    """Options of every training run."""

    evaluation: ClassVar[type[EvaluationOptions]]  # of the trained model

    output: str = data_option("runs/model", "Folder of the run.", free=True)
    dev: str | None = data_option(
        None, "A file like the data, to choose the best model by.", shown="split off", free=True
    )
    license: str = data_option("unknown", "The weights' license, for the model card.", free=True)
    data_note: str = data_option(
        "", "What the data is, for the model card.", shown="the file", free=True
    )
    max_tokens: int = training_option(4096, "Tokens in a batch, padding counted.", min=1)
    accumulate: int | None = training_option(
        None, "Batches in a step, which processes share.", shown="one for each process", min=1
    )
    learning_rate: float | None = training_option(
        None, "Peak learning rate.", shown="preset's", above=0
    )
    warmup: int | None = training_option(1000, "Steps up to the peak rate.", min=0)
    optimizer: str = training_option(
        "adamw",
        "AdamW; or Muon for the matrices of layers, AdamW for the rest.",
        metavar="adamw|muon",
    )
    schedule: str = training_option(
        "inverse-sqrt",
        "Shape of the rate after the peak; linear and cosine reach 0 at the last step.",
        metavar="inverse-sqrt|linear|cosine",
    )
    cooldown: int = training_option(0, "Last steps of --max-steps, down to a rate of 0.", min=0)
    weight_decay: float = training_option(0.0, "AdamW's weight decay, on matrices.", min=0)
    max_steps: int | None = limit_option(None, "Stop after this many steps.", min=1)
    max_epochs: float | None = limit_option(None, "Stop after this many epochs.", above=0)
    max_minutes: float | None = limit_option(None, "Stop after this many minutes.", above=0)
    evaluate_every: int | None = limit_option(
        250, "Steps from one evaluation to the next.", flag="--eval-every", min=1
    )
    average: int = limit_option(
        5, "Average the last N checkpoints (within the cooldown, if there is one).", min=1
    )
    patience: int = limit_option(
        10, "Stop after this many evaluations without a better one; 0: never.", min=0
    )
    device: str = training_option(
        "auto", "Device to compute on.", metavar="auto|cpu|cuda", free=True
    )
    precision: str = training_option("auto", "Precision to compute in.", metavar="auto|fp32|bf16")
    shard: bool = training_option(False, "Shard the model across processes (FSDP).", free=True)
    seed: int = training_option(1, "The same seed gives the same run.", min=0, max=2**32 - 1)
    tensorboard: bool = training_option(False, "Also write TensorBoard's event files.", free=True)

    def check(self) -> None:
        """Check what no bound of a single option says."""
        for name in self.not_used():
            if getattr(self, name) != self.settings()[name].default:
                raise BadArgumentError(f"{name} is not an option of this task. Leave it out.")
        self.training_config(epoch=1000)

    def usual_rate(self) -> float:
        """Return a peak rate that trained well: smaller for wider models, and for a trained one."""
        return 1e-3

    def epochs(self) -> float | None:
        """Return the epochs to stop after; None: never for that reason."""
        return self.max_epochs

    def warmup_steps(self, last: int) -> int:
        """Return the steps up to the peak, of a run that ends at step `last`."""
        return round(0.06 * last) if self.warmup is None else self.warmup

    def betas(self) -> tuple[float, float]:
        """Return AdamW's betas: those of Attention Is All You Need, section 5.3."""
        return 0.9, 0.98

    def training_config(self, *, epoch: int, accumulate: int | None = None) -> "TrainingConfig":
        """Return the settings of the training loop.

        Args:
            epoch: steps in an epoch. Limits in epochs, and a warm-up and evaluations that were left
                to the recipe, are counted in it.
            accumulate: batches in a step, where processes change it.
        """
        steps = self.max_steps
        if (epochs := self.epochs()) is not None:
            in_epochs = max(LEAST_STEPS if self.max_epochs is None else 1, round(epochs * epoch))
            steps = in_epochs if steps is None else min(steps, in_epochs)
        return training.TrainingConfig(
            learning_rate=self.usual_rate() if self.learning_rate is None else self.learning_rate,
            warmup=self.warmup_steps(steps or epoch),
            optimizer=self.optimizer,
            schedule=self.schedule,
            cooldown=self.cooldown,
            weight_decay=self.weight_decay,
            betas=self.betas(),
            accumulate=accumulate or self.accumulate or 1,
            evaluate_every=self.evaluate_every or between_evaluations(epoch // 2),
            average=self.average,
            patience=self.patience,
            max_steps=steps,
            max_minutes=self.max_minutes,
            precision=self.precision,
            seed=self.seed,
        )

    def free(self, *, cooling: bool) -> set[str]:
        """Return the options that may change when the run is resumed.

        Once the rate falls towards the last step, it depends on where that is.

        Args:
            cooling: whether the cooldown has begun; before it, its end and length can be moved.
        """
        free = {setting.name for setting in fields(self) if setting.metadata["free"]}
        falls = cooling or self.schedule in ("linear", "cosine")
        return free - {"max_steps", "max_epochs"} if falls else free | {"cooldown"}

    @classmethod
    def not_used(cls) -> frozenset[str]:
        """Return the options of related tasks that this one does not have."""
        return frozenset()


def between_evaluations(steps: int) -> int:
    """Return the steps between evaluations, of which each writes a checkpoint."""
    return max(LEAST_STEPS // 6, min(steps, 1000))


class EpochOptions(RunOptions):
    """A run whose length is counted in epochs, from random weights or from a trained model."""

    base_model: str | None = model_option(
        None, "Continue from this model: a folder or hub:org/name.", flag="--from"
    )
    dropout: float | None = model_option(None, "Dropout on every sub-layer.", shown="the model's")
    warmup: int | None = training_option(
        None, "Steps up to the peak rate.", shown="6 % of all", min=0
    )
    max_epochs: float | None = limit_option(
        None,
        "Stop after this many epochs.",
        shown="3 from a trained model, else 10; at least 60 steps",
        above=0,
    )
    evaluate_every: int | None = evaluation_option("half an epoch")
    average: int = limit_option(1, "Average the last N checkpoints.", min=1)

    def epochs(self) -> float | None:
        if self.max_epochs is not None or self.max_steps is not None:
            return self.max_epochs
        return 10 if self.base_model is None else 3


class TunedOptions(EpochOptions):
    """Options of training a model with a head."""

    test: str | None = data_option(
        None, "A file like the data, to score the finished model on.", shown="split off", free=True
    )
    train_layers: int | None = model_option(
        None, "Train the last layers and the head only; 0: the head.", shown="all", min=0
    )
    layer_decay: float = training_option(
        1.0, "The rate of each layer over that of the layer above it.", above=0, max=1
    )
    batch_size: int = training_option(32, "Most texts in a batch.", min=1)
    schedule: str = training_option(
        "linear",
        "Shape of the rate after the peak; linear and cosine reach 0 at the last step.",
        metavar="inverse-sqrt|linear|cosine",
    )
    weight_decay: float = training_option(0.01, "AdamW's weight decay, on matrices.", min=0)

    def check(self) -> None:
        super().check()
        if self.base_model is None and self.train_layers is not None:
            raise BadArgumentError(
                "train_layers keeps the other layers of a trained model as they are. Give"
                " base_model, or leave train_layers out."
            )
