"""A run is a function of seed, step and weights: however it is cut up, it ends the same."""

import json
import signal
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from regard import RegardError
from regard.models.layers import Dropout
from regard.training import Objective, Progress, RunFolder, TrainingConfig, fit
from regard.training.config import OPTIMIZERS

Batch = tuple[Tensor, Tensor]
UNTIMED = {"seconds": 0, "evaluation_seconds": 0}
CONFIG = TrainingConfig(
    learning_rate=0.05, warmup=3, cooldown=0, weight_decay=0.0, accumulate=1, evaluate_every=4,
    average=3, patience=10, max_steps=14, max_minutes=None, precision="fp32", seed=1,
)  # fmt: skip


class Rows:
    """Batches of unequal size, each a function of its number."""

    def at(self, step: int) -> Batch:
        random = torch.Generator().manual_seed(step)
        rows = 2 + 3 * (step % 4)
        input = torch.randn(rows, 3, generator=random)
        return input, input.sum(1, keepdim=True).repeat(1, 2).sin()


def squared_error(model: nn.Module, batch: Batch) -> tuple[Tensor, int]:
    input, target = batch
    output = model(input.to(next(model.parameters()).dtype))
    return (output.float() - target).square().sum(), len(input)


def network() -> nn.Sequential:
    torch.manual_seed(29)
    layers = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), Dropout(0.3), nn.Linear(5, 2))
    return nn.Sequential(OrderedDict(layers=layers))


@dataclass
class Toy:
    """A run of the network in a folder, and what happened in it."""

    path: Path
    config: TrainingConfig = CONFIG
    figures: list[float] = field(default_factory=list)  # given, one by one, to evaluations
    losses: list[float] = field(default_factory=list)  # beside them
    collapsed: bool = False
    first: bool = False
    is_saved: bool = True
    loss_from: int = 10**9  # from this step on the loss is not a number
    warn: Callable[[str], None] = pytest.fail
    events: list[tuple[str, int]] = field(default_factory=list)
    evaluated: list[dict[str, Tensor]] = field(default_factory=list)
    saved: list[dict[str, Tensor]] = field(default_factory=list)

    def fit(self, *, interrupt_at: int = 0, crash_at: int = 0) -> Progress:
        self.model = network()

        def watch(event: str, progress: Progress) -> None:
            self.events.append((event, progress.step))
            if event == "step" and progress.step == interrupt_at:
                signal.raise_signal(signal.SIGINT)
            if event == "step" and progress.step == crash_at:
                raise OSError("the power is out")

        def loss(model: nn.Module, batch: Batch) -> tuple[Tensor, int, int]:
            total, rows = squared_error(model, batch)
            steps = sum(event == "step" for event, _ in self.events)
            return (total * torch.nan if steps + 1 >= self.loss_from else total), rows, rows

        def evaluate(model: nn.Module) -> dict[str, float]:
            assert not model.training
            self.evaluated.append(copied(model))
            if self.figures:
                losses = {"loss": self.losses.pop(0)} if self.losses else {}
                return {"score": self.figures.pop(0)} | losses
            total, rows = squared_error(model, Rows().at(1003))
            return {"score": -total.item() / rows}

        def save(model: nn.Module, progress: Progress) -> None:
            self.saved.append(copied(model))

        objective = Objective(
            loss,
            evaluate,
            "score",
            save,
            lambda figures: self.collapsed,
            first=self.first,
            is_saved=lambda: self.is_saved,
        )
        return fit(self.model, Rows(), objective, self.config, self.run, watch=watch)

    @property
    def run(self) -> RunFolder:
        return RunFolder(self.path, warn=self.warn)

    def log(self) -> list[dict[str, float]]:
        lines = (self.path / "log.jsonl").read_text().splitlines()
        return [json.loads(line) | UNTIMED for line in lines]


def copied(model: nn.Module) -> dict[str, Tensor]:
    return {name: tensor.clone() for name, tensor in model.state_dict().items()}


def assert_same(one: dict[str, Tensor], other: dict[str, Tensor]) -> None:
    assert one.keys() == other.keys()
    for name in one:
        assert torch.equal(one[name], other[name]), name


def assert_ended_the_same(one: Toy, other: Toy) -> None:
    ours, theirs = one.run.newest(), other.run.newest()
    assert ours is not None
    assert theirs is not None
    assert_same(ours.weights, theirs.weights)
    assert_same(ours.optimizer, theirs.optimizer)
    assert ours.state | UNTIMED == theirs.state | UNTIMED
    assert one.log() == other.log()
    assert_same(one.saved[-1], other.saved[-1])


PRECISIONS = ("fp32", "bf16")


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("stops", [(5,), (4,), (2, 3, 9), (13,)])
def test_stopped_by_ctrl_c_and_resumed_it_equals_the_uninterrupted(
    stops: tuple[int, ...], precision: str, optimizer: str, tmp_path: Path
) -> None:
    config = replace(CONFIG, precision=precision, optimizer=optimizer)
    whole, parts = Toy(tmp_path / "whole", config), Toy(tmp_path / "parts", config)
    whole.fit()
    for stop in stops:
        with pytest.raises(KeyboardInterrupt):
            parts.fit(interrupt_at=stop)
        assert parts.run.steps()[-1] == stop
    parts.fit()
    assert [step for event, step in parts.events if event == "resume"] == list(stops)
    assert [step for event, step in parts.events if event == "step"] == list(range(1, 15))
    assert_ended_the_same(parts, whole)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_crashed_between_checkpoints_and_resumed_it_equals_the_uninterrupted(
    precision: str, tmp_path: Path
) -> None:
    config = replace(CONFIG, precision=precision, accumulate=2)
    whole, parts = Toy(tmp_path / "whole", config), Toy(tmp_path / "parts", config)
    whole.fit()
    for crash in (3, 7, 10):
        with pytest.raises(OSError, match="the power is out"):
            parts.fit(crash_at=crash)
    parts.fit()
    assert [step for event, step in parts.events if event == "resume"] == [4, 8]
    assert_ended_the_same(parts, whole)


def test_a_damaged_checkpoint_costs_steps_and_changes_nothing(tmp_path: Path) -> None:
    whole, parts = Toy(tmp_path / "whole"), Toy(tmp_path / "parts")
    whole.fit()
    with pytest.raises(OSError, match="the power is out"):
        parts.fit(crash_at=9)
    state = tmp_path / "parts" / "checkpoints" / "step-00000008" / "state.json"
    state.write_text(state.read_text() + " ")
    said: list[str] = []
    parts.warn = said.append
    parts.fit()
    assert len(said) == 1
    assert ("resume", 4) in parts.events
    assert_ended_the_same(parts, whole)  # nor has the log step 8 twice


def test_more_steps_go_on_from_a_finished_run(tmp_path: Path) -> None:
    short = Toy(tmp_path / "a", replace(CONFIG, max_steps=8))
    short.fit()
    again = Toy(tmp_path / "a", replace(CONFIG, max_steps=8))
    assert again.fit().step == 8
    assert again.events == [("resume", 8)]
    longer, whole = Toy(tmp_path / "a"), Toy(tmp_path / "b")
    longer.fit()
    whole.fit()
    assert_ended_the_same(longer, whole)


@pytest.mark.parametrize("accumulate", [1, 3])
def test_the_gradient_is_that_of_the_mean_over_all_tokens(accumulate: int, tmp_path: Path) -> None:
    config = replace(CONFIG, accumulate=accumulate, clip_norm=0.0, max_steps=1)
    toy = Toy(tmp_path, config)
    progress = toy.fit()
    checkpoint = toy.run.newest()
    assert checkpoint is not None

    model = network().train()
    parts = []
    for number in range(accumulate):
        torch.manual_seed(config.seed * 1_000_003 + number + 1)
        parts.append(squared_error(model, Rows().at(number)))
    tokens = sum(rows for _, rows in parts)
    torch.stack([loss for loss, _ in parts]).sum().div(tokens).backward()
    assert (progress.tokens, tokens) == ((2, 2) if accumulate == 1 else (15, 15))
    for name, parameter in model.named_parameters():
        # After one step AdamW's first moment is (1 − β₁) times the gradient.
        gradient = checkpoint.optimizer[f"exp_avg/{name}"] / (1 - config.betas[0])
        assert parameter.grad is not None
        torch.testing.assert_close(gradient, parameter.grad)


def test_a_long_gradient_is_clipped(tmp_path: Path) -> None:
    toy = Toy(tmp_path, replace(CONFIG, clip_norm=0.01, max_steps=1))
    toy.fit()
    checkpoint = toy.run.newest()
    assert checkpoint is not None
    moments = [m for name, m in checkpoint.optimizer.items() if name.startswith("exp_avg/")]
    norm = torch.cat([m.flatten() for m in moments]).norm() / (1 - CONFIG.betas[0])
    assert norm.item() == pytest.approx(0.01, rel=1e-3)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_what_is_evaluated_and_saved_is_the_mean_of_the_newest_checkpoints(
    precision: str, tmp_path: Path
) -> None:
    config = replace(CONFIG, precision=precision, average=3, max_steps=16)
    toy = Toy(tmp_path, config, figures=[1.0, 2.0, 3.0, 2.5])
    masters: list[dict[str, Tensor]] = []
    for last in (4, 8, 12, 16):
        toy.config = replace(config, max_steps=last)
        toy.fit()
        checkpoint = toy.run.newest()
        assert checkpoint is not None
        masters.append(checkpoint.weights)
        mean = {
            name: torch.stack([each[name].double() for each in masters[-3:]]).mean(0).float()
            for name in checkpoint.weights
        }
        for name, weight in mean.items():
            torch.testing.assert_close(toy.evaluated[-1][name], weight, rtol=1e-6, atol=1e-7)
    assert len(toy.evaluated) == 4
    assert [step for event, step in toy.events if event == "save"] == [4, 8, 12]
    assert_same(toy.saved[-1], toy.evaluated[2])
    assert not torch.equal(toy.evaluated[2]["layers.0.weight"], masters[2]["layers.0.weight"])


def test_a_damaged_checkpoint_is_no_part_of_the_mean(tmp_path: Path) -> None:
    said: list[str] = []
    toy = Toy(tmp_path, replace(CONFIG, average=3, max_steps=8), warn=said.append)
    toy.fit()
    file = tmp_path / "checkpoints" / "step-00000004" / "weights.safetensors"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    before = toy.run.newest()
    toy.config = replace(toy.config, max_steps=12)
    toy.fit()
    newest = toy.run.newest()
    assert before is not None
    assert newest is not None
    for name, weight in toy.evaluated[-1].items():
        mean = torch.stack([before.weights[name], newest.weights[name]]).mean(0)
        torch.testing.assert_close(weight, mean, rtol=1e-6, atol=1e-7)
    assert ["step-00000004 is damaged" in sentence for sentence in said] == [True]


def test_average_1_is_the_newest_checkpoint(tmp_path: Path) -> None:
    toy = Toy(tmp_path, replace(CONFIG, average=1, max_steps=12))
    toy.fit()
    checkpoint = toy.run.newest()
    assert checkpoint is not None
    assert_same(toy.evaluated[-1], checkpoint.weights)
    assert toy.run.steps() == [8, 12]


def test_a_cooldown_averages_only_its_own_checkpoints(tmp_path: Path) -> None:
    config = replace(CONFIG, average=5, max_steps=20, cooldown=10)
    toy, newest = Toy(tmp_path / "a", config), Toy(tmp_path / "b", replace(config, average=1))
    toy.fit()
    newest.fit()
    for last, first in enumerate((0, 0, 2, 2, 2)):  # of the evaluations at 4, 8, 12, 16, 20
        for name, weight in toy.evaluated[last].items():
            means = torch.stack([each[name] for each in newest.evaluated[first : last + 1]])
            torch.testing.assert_close(weight, means.mean(0), rtol=1e-6, atol=1e-7)


def test_a_loss_that_is_no_number_stops_the_run(tmp_path: Path) -> None:
    toy = Toy(tmp_path, loss_from=7)
    message = (
        r"the loss became nan at step 7; lower learning_rate \(now 0.05\) or lengthen `warmup`"
        r" \(now 3\) and give another `output`"
    )
    with pytest.raises(RegardError, match=message):
        toy.fit()
    checkpoint = toy.run.newest()
    assert checkpoint is not None
    assert checkpoint.state["step"] == 4
    assert all(torch.isfinite(weight).all() for weight in checkpoint.weights.values())
    assert len(toy.saved) == 1


def test_the_third_collapsed_evaluation_in_a_row_after_the_warmup_stops_the_run(
    tmp_path: Path,
) -> None:
    toy = Toy(tmp_path, replace(CONFIG, warmup=6, max_steps=100, patience=0), collapsed=True)
    with pytest.raises(
        RegardError, match=r"the model has collapsed: at step 16 .* lower learning_rate"
    ):
        toy.fit()
    assert [step for event, step in toy.events if event == "evaluate"] == [4, 8, 12, 16]


def test_the_model_before_its_first_step_may_be_the_best(tmp_path: Path) -> None:
    run = Toy(tmp_path / "run", replace(CONFIG, average=1), [3.0, 1.0, 2.0, 2.5, 1.5], first=True)
    progress = run.fit()
    assert (progress.best, progress.best_step, progress.step) == (3.0, 0, 14)
    [saved] = run.saved
    assert_same(saved, copied(network()))
    assert [event for event in run.events if event[0] == "save"] == [("save", 0)]


def test_the_first_model_gives_way_to_one_that_is_better_by_the_loss_too(tmp_path: Path) -> None:
    scores, losses = [1.0, 2.0, 3.0, 4.0, 2.0], [0.5, 0.6, 0.4, 0.7, 0.1]
    improved = Toy(tmp_path / "improved", CONFIG, scores, losses, first=True).fit()
    assert (improved.best, improved.best_step) == (4.0, 12)
    scores, losses = [1.0, 2.0, 2.0, 2.0, 2.0], [0.5, 0.6, 0.6, 0.6, 0.6]
    beginning = Toy(tmp_path / "beginning", CONFIG, scores, losses, first=True).fit()
    assert (beginning.best, beginning.best_step) == (1.0, 0)


def test_a_model_that_is_missing_is_written_again_from_the_newest_checkpoint(
    tmp_path: Path,
) -> None:
    Toy(tmp_path, figures=[1.0, 3.0, 2.0, 2.5], is_saved=False).fit()  # its first call resumes none
    said: list[str] = []
    again = Toy(tmp_path, is_saved=False, warn=said.append)
    again.fit()
    checkpoints = [again.run.mean([step])["layers.0.weight"] for step in (8, 12, 14)]
    [saved] = again.saved
    torch.testing.assert_close(saved["layers.0.weight"], torch.stack(checkpoints).mean(0))
    [sentence] = said
    assert "it is written again from step 14, where step 8 was the best" in sentence


def test_patience_ends_a_run_that_gets_no_better(tmp_path: Path) -> None:
    config = replace(CONFIG, patience=2, max_steps=None)
    toy = Toy(tmp_path, config, figures=[1.0, 3.0, 2.0, 2.9])
    progress = toy.fit()
    assert (progress.step, progress.best, progress.best_step) == (16, 3.0, 8)
    assert [step for event, step in toy.events if event == "save"] == [4, 8]


def test_a_run_of_no_time_makes_one_step_and_evaluates_it(tmp_path: Path) -> None:
    toy = Toy(tmp_path, replace(CONFIG, max_steps=None, max_minutes=1e-9))
    assert toy.fit().step == 1
    assert len(toy.saved) == 1


def test_the_log_tells_of_each_evaluation(tmp_path: Path) -> None:
    toy = Toy(tmp_path, figures=[1.0, 3.0, 2.0, 2.5])
    toy.fit()
    entries = toy.log()
    assert [entry["step"] for entry in entries] == [4, 8, 12, 14]
    assert [entry["best"] for entry in entries] == [1.0, 3.0, 3.0, 3.0]
    first_rows = sum(len(Rows().at(number)[0]) for number in range(4))
    assert entries[0]["loss_terms"] == first_rows
    assert entries[0]["loss"] == pytest.approx(entries[0]["loss_sum"] / first_rows)


def test_a_run_killed_before_it_dropped_old_checkpoints_drops_them_when_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, parts = Toy(tmp_path / "whole"), Toy(tmp_path / "parts")
    whole.fit()
    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "drop_older", lambda *_, **__: None)
        parts.fit()
    assert len(parts.run.steps()) > len(whole.run.steps())
    parts.fit()
    assert parts.run.steps() == whole.run.steps()
