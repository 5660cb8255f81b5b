"""Settings of a training, and the place of a run."""

import math
from dataclasses import dataclass, field
from typing import Any

from regard.errors import BadArgumentError, unknown
from regard.training.precision import PRECISIONS
from regard.training.schedule import SCHEDULES

OPTIMIZERS = ("adamw", "muon")


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """All that a run's result depends on besides the model, the data and the number of threads.

    >>> config = TrainingConfig(
    ...     learning_rate=0.1, warmup=5, cooldown=0, weight_decay=0.0, accumulate=1, average=1,
    ...     evaluate_every=50, patience=0, max_steps=50, max_minutes=None, precision="fp32", seed=0,
    ... )
    >>> config.schedule, config.betas
    ('inverse-sqrt', (0.9, 0.98))
    """

    learning_rate: float  # at the end of the warm-up
    warmup: int  # steps
    schedule: str = "inverse-sqrt"  # a name in training.schedule.SCHEDULES
    cooldown: int  # steps before max_steps over which the rate falls to zero
    optimizer: str = "adamw"  # a name in OPTIMIZERS
    betas: tuple[float, float] = (0.9, 0.98)
    eps: float = 1e-9
    weight_decay: float  # decoupled, on matrices only
    clip_norm: float = 1.0  # of the whole gradient; 0: none
    accumulate: int  # batches to a step
    evaluate_every: int  # steps; each evaluation is also a checkpoint
    average: int  # newest checkpoints whose mean is evaluated; in a cooldown, only its own
    patience: int  # evaluations without a better one before stopping; 0: never
    max_steps: int | None
    max_minutes: float | None  # of training in all, evaluations included
    precision: str  # see training.precision
    seed: int

    def __post_init__(self) -> None:
        for name in ("learning_rate", "accumulate", "evaluate_every", "average"):
            _require_above_0(name, getattr(self, name))
        for name in ("max_steps", "max_minutes"):
            if getattr(self, name) is not None:
                _require_above_0(name, getattr(self, name))
        for name in ("warmup", "cooldown", "weight_decay", "clip_norm", "patience"):
            if not getattr(self, name) >= 0:
                raise BadArgumentError(f"{name} must not be negative; got {getattr(self, name)}.")
        if self.cooldown and (self.max_steps is None or self.cooldown > self.max_steps):
            raise BadArgumentError(
                "cooldown counts back from max_steps and must not be longer; got cooldown="
                f"{self.cooldown} and max_steps={self.max_steps}. Give max_steps."
            )
        if self.optimizer not in OPTIMIZERS:
            raise unknown("optimizer", self.optimizer, OPTIMIZERS)
        if self.schedule not in SCHEDULES:
            raise unknown("schedule", self.schedule, SCHEDULES)
        if self.schedule != "inverse-sqrt" and self.max_steps is None:
            raise BadArgumentError(
                f"schedule {self.schedule!r} falls towards the last step, so it needs max_steps or"
                " max_epochs. Give one of them."
            )
        if not 0 <= self.seed < 2**32:
            raise BadArgumentError(f"seed must be from 0 to {2**32 - 1}; got {self.seed}.")
        if self.precision not in PRECISIONS:
            raise unknown("precision", self.precision, PRECISIONS)


def _require_above_0(name: str, value: float) -> None:
    if not value > 0:  # nor is NaN
        raise BadArgumentError(f"{name} must be above 0; got {value}.")


@dataclass
class Progress:
    """The place of a run; saved in every checkpoint and shown as progress."""

    step: int = 0
    tokens: int = 0  # trained on; of a translation, the target's
    seconds: float = 0.0  # of training and evaluation, over all sittings
    evaluation_seconds: float = 0.0  # of evaluation alone
    loss_sum: float = 0.0  # since the last evaluation
    loss_terms: int = 0  # tokens, or labels
    best: float | None = None  # the chosen metric's best figure
    best_step: int = 0
    best_loss: float = 0.0  # the dev loss there
    collapsed_in_a_row: int = 0
    figures: dict[str, float] = field(default_factory=dict)  # of the last evaluation

    @property
    def tokens_per_second(self) -> float:
        """Tokens trained on per second of training, evaluations not counted."""
        seconds = self.seconds - self.evaluation_seconds
        return self.tokens / seconds if seconds else math.nan

    @property
    def loss(self) -> float:
        """Training loss per token or label since the last evaluation."""
        return self.loss_sum / self.loss_terms if self.loss_terms else math.nan

    @classmethod
    def read(cls, state: dict[str, Any]) -> "Progress":
        """Return the progress in a checkpoint; runs of early versions counted loss_tokens."""
        old = {"loss_tokens": "loss_terms"}
        return cls(**{old.get(name, name): value for name, value in state.items()})
