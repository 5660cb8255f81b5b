"""The training loop: any model, any batch; resumable bit for bit.

What happens at a step depends on the seed, the step and the weights alone, so a run that was
killed and resumed ends with the weights of one that was not.
"""

import copy
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Generic, Protocol, TypeVar

import torch
from torch import Tensor, nn

from regard.errors import BadArgumentError
from regard.training.config import Progress, TrainingConfig
from regard.training.interruption import Interruption
from regard.training.memory import keep_freed_memory
from regard.training.optimizer import Weights, load_moments, make_optimizers, moments
from regard.training.precision import MasterWeights, choose_dtype
from regard.training.processes import ALONE, Processes, SharedWeights
from regard.training.run import Checkpoint, RunFolder
from regard.training.schedule import cooldown_factor, learning_rate

BatchT = TypeVar("BatchT")
BatchT_co = TypeVar("BatchT_co", covariant=True)
Watch = Callable[[str, Progress], None]


class Batches(Protocol[BatchT_co]):
    """Training data: the batch of any step, a function of the seed and the step alone."""

    def at(self, step: int) -> BatchT_co: ...


@dataclass(frozen=True)
class Objective(Generic[BatchT]):
    """The part of a training that a task defines.

    loss(model, batch) returns the summed loss, the number of terms it is a sum over, and the number
    of tokens read, by which speed is measured. evaluate(model) returns named figures; the one
    called `metric` chooses what save(model, progress) gets: the highest, or if `lower`, the lowest.
    collapsed(figures) says whether the model ignores its input. If `first`, the model before its
    first step may be the best; it gives way to one that is better in the dev loss, too. If `last`,
    the newest model is the one that is saved, whatever its figures, which may then be none. Where
    is_saved() is False in a run that is resumed, the model of its newest checkpoint is saved.

    >>> def loss(model, batch):
    ...     return model(batch).square().sum(), len(batch), batch.numel()
    >>> objective = Objective(loss, lambda model: {"loss": 0.5}, "loss", print, lower=True)
    >>> objective.evaluate(torch.nn.Linear(2, 1))
    {'loss': 0.5}
    """

    loss: Callable[[nn.Module, BatchT], tuple[Tensor, int, int]]
    evaluate: Callable[[nn.Module], dict[str, float]]
    metric: str
    save: Callable[[nn.Module, Progress], None]
    collapsed: Callable[[dict[str, float]], bool] = lambda figures: False
    lower: bool = False
    first: bool = False
    last: bool = False
    is_saved: Callable[[], bool] = lambda: True
    scale: Callable[[str], float] = lambda name: 1.0  # of a parameter's learning rate


def fit(
    model: nn.Module,
    batches: Batches[BatchT],
    objective: Objective[BatchT],
    config: TrainingConfig,
    run: RunFolder,
    *,
    watch: Watch = lambda event, progress: None,
    processes: Processes = ALONE,
) -> Progress:
    """Trains until a limit, early stopping or Ctrl-C; resumes from the newest checkpoint in `run`.

    >>> from pathlib import Path
    >>> class Sums:  # the batch of each step
    ...     def at(self, step):
    ...         x = torch.rand(32, 2, generator=torch.Generator().manual_seed(step))
    ...         return x, x.sum(-1, keepdim=True)
    >>> def loss(model, batch):
    ...     return (model(batch[0]) - batch[1]).square().sum(), 32, 32
    >>> def evaluate(model):
    ...     return {"weight": float(model.weight.detach().mean())}
    >>> objective = Objective(loss, evaluate, "weight", lambda model, progress: None)
    >>> config = TrainingConfig(
    ...     learning_rate=0.1, warmup=5, cooldown=0, weight_decay=0.0, accumulate=1, average=1,
    ...     evaluate_every=50, patience=0, max_steps=50, max_minutes=None, precision="fp32", seed=0,
    ... )
    >>> done = fit(torch.nn.Linear(2, 1), Sums(), objective, config, RunFolder(Path("sums")))
    >>> done.step, round(done.figures["weight"])
    (50, 1)

    Args:
        watch: called as watch(event, progress), event one of "resume", "step", "evaluate", "save".
        processes: those that train together; each calls this with the same arguments, and the
            first one alone evaluates, saves and writes to `run`.

    Raises:
        BadArgumentError: the loss is no longer a number, or the model's output has collapsed.
        KeyboardInterrupt: after Ctrl-C, when the checkpoint is written.
    """
    keep_freed_memory()
    return _Training(model, batches, objective, config, run, watch, processes).fit()


class _Training(Generic[BatchT]):
    """The parts of a run that its steps and evaluations share."""

    def __init__(
        self,
        model: nn.Module,
        batches: Batches[BatchT],
        objective: Objective[BatchT],
        config: TrainingConfig,
        run: RunFolder,
        watch: Watch,
        processes: Processes,
    ):
        self.batches, self.objective, self.config = batches, objective, config
        self.run, self.watch, self.processes = run, watch, processes
        dtype = choose_dtype(config.precision, next(model.parameters()).device)
        if processes.first:
            self.evaluated = copy.deepcopy(model).eval()  # float32, for the mean of checkpoints
        model.train()
        self.weights: Weights
        self.loss: Callable[[BatchT], tuple[Tensor, int, int]]
        if processes.count == 1:
            self.weights = MasterWeights(model, dtype)
            self.loss = partial(objective.loss, model)
        else:
            self.weights = shared = SharedWeights(model, objective.loss, dtype, processes)
            self.loss = shared.loss
        self.optimizers = make_optimizers(self.weights, config, objective.scale)
        self.progress = Progress()
        self.interruption = Interruption(insist=processes.count == 1)

    def fit(self) -> Progress:
        self.resume()
        with self.interruption:
            if self.objective.first and not self.progress.step:
                self.progress.evaluation_seconds += self.timed(self.evaluate)
                self.keep_best()
            while not (self.finished() or self.interrupted()):
                self.timed(self.step)
                self.watch("step", self.progress)
                if self.progress.step % self.config.evaluate_every == 0 or self.finished():
                    self.progress.evaluation_seconds += self.timed(self.evaluate)
                    self.report()
                    self.checkpoint()
                    self.refuse_collapse()
            if self.interrupted():
                self.checkpoint()
                raise KeyboardInterrupt
        return self.progress

    def resume(self) -> None:
        checkpoint = self.run.newest()
        if self.processes.first:
            self.run.cut_log(0 if checkpoint is None else checkpoint.state["step"])
        if checkpoint is None:
            return
        self.weights.load(checkpoint.weights)
        load_moments(self.optimizers, self.weights, checkpoint.optimizer)
        self.progress = Progress.read(checkpoint.state)
        if self.processes.first:  # what a run that was killed had no time for
            self.run.drop_older(self.progress.step, keep=self.averaged())
        self.watch("resume", self.progress)
        was_saved = bool(self.progress.best_step) or self.progress.best is not None
        if self.processes.most(was_saved and not self.objective.is_saved()):
            self.load_mean()
            if self.processes.first:
                self.run.warn(
                    "The run's model is missing; it is written again from step"
                    f" {self.progress.step}, where step {self.progress.best_step} was the best."
                )
                self.objective.save(self.evaluated, self.progress)

    def step(self) -> None:
        """One update: the gradient of the mean loss over all terms of `accumulate` batches."""
        config, progress = self.config, self.progress
        step = progress.step + 1
        loss_sum, terms, tokens = 0.0, 0, 0
        numbers = range((step - 1) * config.accumulate, step * config.accumulate)
        for number in self.processes.own(numbers):
            torch.manual_seed(config.seed * 1_000_003 + number + 1)
            loss, count, read = self.loss(self.batches.at(number))
            loss.backward()
            self.weights.gather_gradients()
            loss_sum, terms, tokens = loss_sum + loss.item(), terms + count, tokens + read
        loss_sum, *counts = self.processes.total(loss_sum, terms, tokens)
        terms, tokens = map(int, counts)
        self.check_number("loss", loss_sum, step)
        # From the gradient of the sum to that of the mean, clipped, in one pass.
        gradients = [p.grad for p in self.weights.parameters.values() if p.grad is not None]
        scale = 1 / terms
        if config.clip_norm:
            norm = self.weights.norm(gradients) / terms
            self.check_number("gradient", norm, step)
            scale *= min(1.0, config.clip_norm / max(norm, 1e-12))
        torch._foreach_mul_(gradients, scale)
        rate = self.learning_rate(step)
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate * group["scale"]
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        self.weights.publish()
        progress.step, progress.tokens = step, progress.tokens + tokens
        progress.loss_sum += loss_sum
        progress.loss_terms += terms

    def check_weights(self) -> None:
        total = sum(float(weight.detach().double().sum()) for weight in self.evaluated.parameters())
        self.check_number("sum of the weights", total, self.progress.step)

    def check_number(self, what: str, value: float, step: int) -> None:
        """Raise BadArgumentError for infinity and NaN."""
        if not math.isfinite(value):
            config = self.config
            raise BadArgumentError(
                f"the {what} became {value} at step {step}; lower learning_rate (now"
                f" {config.learning_rate:g}) or lengthen `warmup` (now {config.warmup}) and give"
                " another `output`; what was saved before is kept."
            )

    def learning_rate(self, step: int) -> float:
        config = self.config
        rate = learning_rate(
            config.schedule,
            step,
            peak=config.learning_rate,
            warmup=config.warmup,
            last=config.max_steps,
        )
        last = config.max_steps or 0  # without it there is no cooldown
        return rate * cooldown_factor(step, last=last, cooldown=config.cooldown)

    def evaluate(self) -> None:
        """Measures the mean of the newest checkpoints and keeps it if it is the best so far."""
        self.load_mean()
        if self.processes.first:
            self.check_weights()
            self.measure()
        self.progress = self.processes.from_first(self.progress)

    def measure(self) -> None:
        progress, config = self.progress, self.config
        progress.figures = self.objective.evaluate(self.evaluated)
        if "loss" in progress.figures:
            self.check_number("loss on dev", progress.figures["loss"], progress.step)
        if self.objective.last:
            progress.best_step = progress.step
        else:
            figure = progress.figures[self.objective.metric]
            loss = progress.figures.get("loss", 0.0)  # decides between equal figures
            if self._is_better(figure, loss):
                progress.best, progress.best_loss = figure, loss
                progress.best_step = progress.step
        watched = progress.step > config.warmup and self.objective.collapsed(progress.figures)
        progress.collapsed_in_a_row = progress.collapsed_in_a_row + 1 if watched else 0

    def _is_better(self, figure: float, loss: float) -> bool:
        best, best_loss = self.progress.best, self.progress.best_loss
        if best is None:
            return True
        if self.objective.first and not self.progress.best_step and loss > best_loss:
            return False  # on a small dev set an example or two more right may be chance
        sign = 1 if self.objective.lower else -1
        return (sign * figure, loss) < (sign * best, best_loss)

    def report(self) -> None:
        """Tells of an evaluation, and hands the model to be kept if it is the best."""
        self.watch("evaluate", self.progress)
        if self.processes.first:
            self.run.log(asdict(self.progress) | {"loss": self.progress.loss})
        self.keep_best()
        self.progress.loss_sum, self.progress.loss_terms = 0.0, 0

    def keep_best(self) -> None:
        if self.processes.first and self.progress.best_step == self.progress.step:
            self.objective.save(self.evaluated, self.progress)
            self.watch("save", self.progress)

    def checkpoint(self) -> None:
        """Write all that resuming needs."""
        checkpoint = Checkpoint(
            weights=self.weights.gather({**self.weights.parameters}),
            optimizer=moments(self.optimizers, self.weights),
            state=asdict(self.progress),
        )
        if self.processes.first:
            self.run.save(self.progress.step, checkpoint, keep=self.averaged())

    def refuse_collapse(self) -> None:
        if self.progress.collapsed_in_a_row >= 3:
            raise BadArgumentError(
                f"the model has collapsed: at step {self.progress.step} it gives nearly the same"
                " output for every input; lower learning_rate (now"
                f" {self.config.learning_rate:g}), lengthen `warmup` (now {self.config.warmup}) or"
                " choose a smaller `preset`, and give another `output`."
            )

    def averaged(self) -> list[int]:
        """Return the steps whose checkpoints the next evaluation takes the mean of, besides its
        own."""
        config, now = self.config, self.progress.step
        count = config.average - 1
        # A cooldown moves the weights far in few steps: a mean with those before it is worse.
        start = (config.max_steps or 0) - config.cooldown
        first = start + 1 if config.cooldown and now > start else 0
        # Checkpoints written between evaluations (Ctrl-C) do not count: a resumed run must average
        # what an uninterrupted one does.
        steps = (step for step in self.run.steps() if first <= step < now)
        regular = [step for step in steps if step % config.evaluate_every == 0]
        return regular[-count:] if count else []

    @torch.no_grad()
    def load_mean(self) -> None:
        """Put the mean of the present and the newest checkpoints into the evaluated model."""
        mean = self.weights.gather({**self.weights.parameters})
        if not self.processes.first:
            return
        if earlier := self.run.intact(self.averaged()):
            theirs, share = self.run.mean(earlier), 1 / (len(earlier) + 1)
            mean = {name: theirs[name].to(p.device).lerp(p, share) for name, p in mean.items()}
        for name, parameter in self.evaluated.named_parameters():
            if name in mean:
                parameter.copy_(mean[name])

    def timed(self, action: Callable[[], None]) -> float:
        """Do it and returns the seconds it took, which are counted as the run's."""
        started = time.perf_counter()
        action()
        seconds = self.processes.most(time.perf_counter() - started)
        self.progress.seconds += seconds
        return seconds

    def interrupted(self) -> bool:
        """Return True if any of the processes is to stop."""
        return bool(self.processes.most(self.interruption.requested))

    def finished(self) -> bool:
        progress, config = self.progress, self.config
        if config.max_steps is not None and progress.step >= config.max_steps:
            return True
        if config.max_minutes is not None and progress.seconds >= config.max_minutes * 60:
            return True
        since_best = progress.step - progress.best_step
        return bool(config.patience) and since_best >= config.patience * config.evaluate_every
