"""A run whose numbers are no longer numbers ends in a sentence, and saves nothing of it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from regard.errors import BadArgumentError
from regard.training import Objective, Progress, RunFolder, TrainingConfig, fit

CONFIG = TrainingConfig(
    learning_rate=0.1, warmup=0, cooldown=0, weight_decay=0.0, accumulate=1, evaluate_every=1,
    average=1, patience=0, max_steps=3, max_minutes=None, precision="fp32", seed=1,
)  # fmt: skip
Loss = Callable[[nn.Module, Tensor], tuple[Tensor, int, int]]


class Ones:
    def at(self, step: int) -> Tensor:
        return torch.ones(2, 1)


def saved(
    folder: Path, loss: Loss, dev: Callable[[nn.Module], float], config: TrainingConfig = CONFIG
) -> list[int]:
    """The steps whose model a run with these losses keeps before it is refused."""
    steps: list[int] = []

    def save(model: nn.Module, progress: Progress) -> None:
        steps.append(progress.step)

    objective = Objective(loss, lambda model: {"loss": dev(model)}, "loss", save, lower=True)
    with pytest.raises(BadArgumentError, match=r"became .* at step \d; lower learning_rate"):
        fit(nn.Linear(1, 1), Ones(), objective, config, RunFolder(folder, warn=pytest.fail))
    return steps


def squared(model: nn.Module, batch: Tensor) -> tuple[Tensor, int, int]:
    return model(batch).square().sum(), 2, 2


@pytest.mark.parametrize("clip_norm", [0.0, 1.0])
def test_a_gradient_of_a_finite_loss(tmp_path: Path, clip_norm: float) -> None:
    def root(model: nn.Module, batch: Tensor) -> tuple[Tensor, int, int]:
        return (0 * model(batch)).sqrt().sum(), 2, 2  # whose slope at 0 is infinite

    config = replace(CONFIG, clip_norm=clip_norm)
    assert saved(tmp_path, root, lambda model: 0.5, config) == []


def test_a_loss_on_dev_in_the_last_step(tmp_path: Path) -> None:
    losses = iter([0.5, 0.4, float("nan")])
    assert saved(tmp_path, squared, lambda model: next(losses)) == [1, 2]


@pytest.mark.parametrize("rate", [1e20, 1e30, 1e38])
def test_a_rate_without_measure(tmp_path: Path, rate: float) -> None:
    def dev(model: nn.Module) -> float:
        return float(squared(model, torch.ones(2, 1))[0].detach())

    assert saved(tmp_path, squared, dev, replace(CONFIG, learning_rate=rate)) == []
