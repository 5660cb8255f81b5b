"""The training loop: any model, any batch; resumable bit for bit.

What happens at a step depends on the seed, the step and the weights alone, so a run that was
killed and resumed ends with the weights of one that was not.
"""

import copy
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Generic, Protocol, TypeVar

import torch
from torch import Tensor, nn

from regard.errors import RegardError
from regard.training.precision import MasterWeights, choose_dtype
from regard.training.run import Checkpoint, RunFolder
from regard.training.schedule import inverse_square_root

BatchT = TypeVar("BatchT")


@dataclass(frozen=True)
class TrainingConfig:
    """How to train; all that a run's result depends on besides the model and the data."""

    learning_rate: float = 1e-3  # at the end of the warm-up
    warmup: int = 1000  # steps
    betas: tuple[float, float] = (0.9, 0.98)
    eps: float = 1e-9
    weight_decay: float = 0.0  # decoupled, on matrices only
    clip_norm: float = 1.0  # of the whole gradient; 0 for none
    accumulate: int = 1  # batches to a step
    evaluate_every: int = 500  # steps; each evaluation is also a checkpoint
    average: int = 5  # newest checkpoints whose mean is evaluated and kept
    patience: int = 10  # evaluations without a better one before stopping; 0: never
    max_steps: int | None = None
    max_minutes: float | None = None  # of training in all, evaluations included
    precision: str = "auto"
    seed: int = 1

    def __post_init__(self) -> None:
        for name in ("learning_rate", "accumulate", "evaluate_every", "average"):
            if getattr(self, name) <= 0:
                raise RegardError(f"{name} must be above 0; got {getattr(self, name)}.")
        for name in ("warmup", "weight_decay", "clip_norm", "patience"):
            if getattr(self, name) < 0:
                raise RegardError(f"{name} must not be negative; got {getattr(self, name)}.")


class Batches(Protocol[BatchT]):
    """Training data: the batch of any step, a function of the seed and the step alone."""

    def at(self, step: int) -> BatchT: ...


@dataclass(frozen=True)
class Objective(Generic[BatchT]):
    """What a task asks of training.

    loss(model, batch) gives the summed loss and the number of tokens it is a sum over.
    evaluate(model) gives named figures; the one called `metric` chooses the best model.
    """

    loss: Callable[[nn.Module, BatchT], tuple[Tensor, int]]
    evaluate: Callable[[nn.Module], dict[str, float]]
    metric: str
    higher_is_better: bool = True
    save: Callable[[nn.Module, dict[str, Any]], None] = lambda model, figures: None
    collapsed: Callable[[dict[str, float]], bool] = lambda figures: False


@dataclass
class Progress:
    """Where a run is; saved in every checkpoint and shown to whoever watches."""

    step: int = 0
    tokens: int = 0  # target tokens trained on
    seconds: float = 0.0  # of training and evaluation, over all sittings
    loss: float = math.nan  # per token, mean since the last evaluation
    loss_sum: float = 0.0
    loss_tokens: int = 0
    best: float | None = None
    best_step: int = 0
    collapsed_in_a_row: int = 0
    figures: dict[str, float] = field(default_factory=dict)


Watch = Callable[[str, Progress], None]


def fit(
    model: nn.Module,
    batches: Batches[BatchT],
    objective: Objective[BatchT],
    config: TrainingConfig,
    run: RunFolder,
    *,
    watch: Watch = lambda event, progress: None,
    device: torch.device | None = None,
) -> Progress:
    """Trains until a limit, early stopping or Ctrl-C; resumes from the newest checkpoint in `run`.

    Args:
        watch: called as watch(event, progress), event one of "resume", "step", "evaluate", "save".

    Raises:
        RegardError: the loss is no longer a number, or the model's output has collapsed.
    """
    device = device or torch.device("cpu")
    evaluated = copy.deepcopy(model).to(device).eval()
    weights = MasterWeights(model.to(device), choose_dtype(config.precision, device))
    optimizer = _adamw(weights, config)
    progress = Progress()
    if (checkpoint := run.newest()) is not None:
        weights.load(checkpoint.weights)
        _load_optimizer(optimizer, weights, checkpoint.optimizer)
        progress = Progress(**checkpoint.state)
        watch("resume", progress)
    model.train()
    while not _finished(progress, config):
        started = time.perf_counter()
        _step(model, batches, objective, config, weights, optimizer, progress)
        progress.seconds += time.perf_counter() - started
        watch("step", progress)
        if progress.step % config.evaluate_every == 0 or progress.step == config.max_steps:
            _evaluate(evaluated, objective, config, weights, optimizer, progress, run, watch)
    return progress


def _step(
    model: nn.Module,
    batches: Batches[BatchT],
    objective: Objective[BatchT],
    config: TrainingConfig,
    weights: MasterWeights,
    optimizer: torch.optim.Optimizer,
    progress: Progress,
) -> None:
    """One update: the gradient of the mean loss over the tokens of `accumulate` batches."""
    step = progress.step + 1
    torch.manual_seed(config.seed * 1_000_003 + step)
    loss_sum, tokens = 0.0, 0
    for part in range(config.accumulate):
        loss, count = objective.loss(model, batches.at((step - 1) * config.accumulate + part))
        loss.backward()  # type: ignore[no-untyped-call]
        weights.gather_gradients()
        loss_sum, tokens = loss_sum + loss.item(), tokens + count
    if not math.isfinite(loss_sum):
        raise RegardError(
            f"the loss became {loss_sum} at step {step}. Lower --learning-rate (now"
            f" {config.learning_rate:g}) or lengthen --warmup (now {config.warmup}), then run the"
            " same command with another --output; the last checkpoint is kept."
        )
    parameters = list(weights.parameters.values())
    for parameter in parameters:
        if parameter.grad is not None:
            parameter.grad /= tokens
    if config.clip_norm:
        nn.utils.clip_grad_norm_(parameters, config.clip_norm)
    rate = inverse_square_root(step, peak=config.learning_rate, warmup=config.warmup)
    for group in optimizer.param_groups:
        group["lr"] = rate
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    weights.publish()
    progress.step, progress.tokens = step, progress.tokens + tokens
    progress.loss_sum, progress.loss_tokens = (
        progress.loss_sum + loss_sum,
        progress.loss_tokens + tokens,
    )
    progress.loss = progress.loss_sum / progress.loss_tokens


def _evaluate(
    evaluated: nn.Module,
    objective: Objective[BatchT],
    config: TrainingConfig,
    weights: MasterWeights,
    optimizer: torch.optim.Optimizer,
    progress: Progress,
    run: RunFolder,
    watch: Watch,
) -> None:
    """Measures the mean of the newest checkpoints, keeps it if it is the best, writes a checkpoint."""
    started = time.perf_counter()
    newest = [step for step in run.steps() if step < progress.step][-(config.average - 1) :]
    mean = _mean(weights, run, newest if config.average > 1 else [])
    _copy_weights(evaluated, mean)
    progress.figures = objective.evaluate(evaluated)
    figure = progress.figures[objective.metric]
    sign = 1 if objective.higher_is_better else -1
    better = progress.best is None or sign * figure > sign * progress.best
    if better:
        progress.best, progress.best_step = figure, progress.step
    watched = progress.step > config.warmup and objective.collapsed(progress.figures)
    progress.collapsed_in_a_row = progress.collapsed_in_a_row + 1 if watched else 0
    progress.seconds += time.perf_counter() - started
    watch("evaluate", progress)
    run.log({key: value for key, value in asdict(progress).items() if not key.startswith("loss_")})
    if better:
        objective.save(evaluated, asdict(progress))
        watch("save", progress)
    progress.loss_sum, progress.loss_tokens = 0.0, 0
    run.save(
        progress.step,
        Checkpoint(
            weights={name: p.detach() for name, p in weights.parameters.items()},
            optimizer=_optimizer_tensors(optimizer, weights),
            state=asdict(progress),
        ),
        keep=max(config.average, 2),
    )
    if progress.collapsed_in_a_row >= 3:
        raise RegardError(
            f"the model has collapsed: at step {progress.step} it gives nearly the same output for"
            f" every input. Lower --learning-rate (now {config.learning_rate:g}), lengthen --warmup"
            f" (now {config.warmup}) or choose a smaller --preset, with another --output."
        )


def _finished(progress: Progress, config: TrainingConfig) -> bool:
    if config.max_steps is not None and progress.step >= config.max_steps:
        return True
    if config.max_minutes is not None and progress.seconds >= config.max_minutes * 60:
        return True
    since_best = progress.step - progress.best_step
    return bool(config.patience) and since_best >= config.patience * config.evaluate_every


def _adamw(weights: MasterWeights, config: TrainingConfig) -> torch.optim.AdamW:
    """AdamW (Loshchilov & Hutter 2019); biases and norms are not decayed."""
    parameters = list(weights.parameters.values())
    groups = [
        {"params": [p for p in parameters if p.dim() > 1], "weight_decay": config.weight_decay},
        {"params": [p for p in parameters if p.dim() <= 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(
        groups, lr=config.learning_rate, betas=config.betas, eps=config.eps, fused=True
    )


def _optimizer_tensors(
    optimizer: torch.optim.Optimizer, weights: MasterWeights
) -> dict[str, Tensor]:
    return {
        f"{key}/{name}": value
        for name, parameter in weights.parameters.items()
        for key, value in optimizer.state[parameter].items()
    }


def _load_optimizer(
    optimizer: torch.optim.Optimizer, weights: MasterWeights, tensors: dict[str, Tensor]
) -> None:
    for full_name, value in tensors.items():
        key, name = full_name.split("/", 1)
        optimizer.state[weights.parameters[name]][key] = value


def _mean(weights: MasterWeights, run: RunFolder, steps: list[int]) -> dict[str, Tensor]:
    """The mean of the present weights and those of earlier checkpoints."""
    present = {name: p.detach() for name, p in weights.parameters.items()}
    if not steps:
        return present
    earlier, share = run.average(steps), len(steps) / (len(steps) + 1)
    return {name: earlier[name].lerp(p, 1 - share) for name, p in present.items()}


@torch.no_grad()
def _copy_weights(model: nn.Module, weights: dict[str, Tensor]) -> None:
    for name, parameter in model.named_parameters():
        if name in weights:
            parameter.copy_(weights[name])
