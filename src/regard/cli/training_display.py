"""Display of a training run: a bar with speed and time left, a line for each evaluation."""

import json
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from regard.cli.streams import is_first_process
from regard.lazy import rich
from regard.lines import one_line

if TYPE_CHECKING:
    import rich.progress

    from regard.training import Progress


class TrainingDisplay:
    """Watches a run: evaluations to stderr, or to stdout as JSON lines; a bar on a terminal.

    Args:
        max_steps, max_minutes: where the run ends, for the time left; None where it is not known.
        shown: the figures of an evaluation to show: name → format.
        as_json: write evaluations for a program.
    """

    def __init__(
        self,
        max_steps: int | None,
        max_minutes: float | None,
        *,
        shown: Mapping[str, str] | None = None,
        as_json: bool = False,
    ) -> None:
        self.max_steps, self.max_minutes = max_steps, max_minutes
        self.shown, self.as_json = shown or {}, as_json
        self.fold: int | None = None  # of a cross-validation; 0: the model on all rows
        self._speed = Speed()
        self._bar = _bar() if sys.stderr.isatty() and is_first_process() else None
        self._task = self._bar.add_task("", total=1.0, start=False, left="") if self._bar else None

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if self._bar:
            self._bar.stop()
        if kind is KeyboardInterrupt:
            self.say("Stopped; the same command resumes from the last checkpoint.")

    def say(self, sentence: str) -> None:
        """Show a sentence about the run; it may hold names and labels from the user's files."""
        if not is_first_process():
            return
        sentence = one_line(sentence)
        if self._bar:
            self._bar.console.print(sentence, markup=False, highlight=False, soft_wrap=True)
        else:
            print(sentence, file=sys.stderr, flush=True)

    def begin(self, fold: int) -> None:
        """Begin a run of a cross-validation; see `training.recipe.learn`."""
        self.fold = fold

    def watch(self, event: str, progress: "Progress") -> None:
        """Show an event of the training loop; see `training.fit`."""
        self._speed.update(progress.tokens, evaluating=event != "step")
        if event == "resume":
            self.say(f"Resuming from step {progress.step:,}.")
        elif event == "evaluate" and self.as_json:
            print(json.dumps(self._entry(progress)), flush=True)
        elif event == "evaluate":
            best = self.fold is None and progress.best_step == progress.step
            line = evaluation_line(progress, self._speed.tokens_per_second, self.shown)
            self.say(line + "  best" * best)
        if self._bar and self._task is not None:
            done = fraction_done(progress, self.max_steps, self.max_minutes)
            self._bar.update(
                self._task,
                completed=done or 0.0,
                description=f"step {progress.step:,}  loss {progress.loss:.3f}"
                f"  {self._speed.tokens_per_second:,.0f} tokens/s",
                left=f"{_duration(progress.seconds / done * (1 - done))} left" if done else "",
            )

    def _entry(self, progress: "Progress") -> dict[str, Any]:
        return {
            **({"fold": self.fold} if self.fold else {}),
            "step": progress.step,
            "tokens": progress.tokens,
            "seconds": round(progress.seconds, 2),
            "tokens_per_second": round(self._speed.tokens_per_second, 1),
            "training_loss": progress.loss,
            "best": progress.best_step == progress.step,
            **{f"dev_{name}": value for name, value in progress.figures.items()},
        }


class Speed:
    """Tokens per second over the last steps; the time spent in evaluations does not count."""

    def __init__(self, weight: float = 0.1) -> None:
        self.weight = weight  # of the newest step in the moving average
        self.tokens_per_second = 0.0
        self._last: tuple[float, int] | None = None

    def update(self, tokens: int, *, evaluating: bool) -> None:
        """Show what a step, with the tokens so far, or an evaluation gave."""
        now = time.perf_counter()
        if self._last is not None and tokens < self._last[1]:  # another run has begun
            self.tokens_per_second, self._last = 0.0, None
        if self._last is not None and not evaluating:
            newest = (tokens - self._last[1]) / max(now - self._last[0], 1e-9)
            share = self.weight if self.tokens_per_second else 1.0
            self.tokens_per_second += share * (newest - self.tokens_per_second)
        self._last = (now, tokens)


def fraction_done(
    progress: "Progress", max_steps: int | None, max_minutes: float | None
) -> float | None:
    """Return the share of the run that is done, by the nearer limit; None if it has no limit."""
    shares = []
    if max_steps:
        shares.append(progress.step / max_steps)
    if max_minutes:
        shares.append(progress.seconds / (60 * max_minutes))
    return min(1.0, max(shares)) if shares else None


def evaluation_line(
    progress: "Progress", tokens_per_second: float, shown: Mapping[str, str]
) -> str:
    """Return an evaluation as one line."""
    parts = [
        f"step {progress.step:>7,}",
        f"{_duration(progress.seconds):>7}",
        f"loss {progress.loss:.3f}",
        *(
            text.format(progress.figures[name])
            for name, text in shown.items()
            if name in progress.figures
        ),
        f"{tokens_per_second:,.0f} tokens/s",
    ]
    return "  ".join(parts)


def _bar() -> "rich.progress.Progress":
    return rich.progress.Progress(
        rich.progress.TextColumn("{task.description}"),
        rich.progress.BarColumn(),
        rich.progress.TextColumn("{task.fields[left]}"),
        console=rich.console.Console(stderr=True),
        transient=True,
        redirect_stdout=sys.stdout.isatty(),  # a file that takes stdout keeps it
    )


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
