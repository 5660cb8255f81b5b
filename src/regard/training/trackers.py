"""Trackers: programs that show the curves of runs. Each has a line in `TRACKERS`."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from regard.packages import optional_package
from regard.training.config import Progress

Watcher = Callable[[str, Progress], None]


class TensorBoard:
    """Writes each evaluation's figures and training loss to event files in a run's folder.

    Raises:
        UnavailableError: tensorboard is not installed.
    """

    def __init__(self, folder: Path):
        self._writer = self.library()(str(folder))

    @staticmethod
    def library() -> Callable[..., Any]:
        """Return the class that writes. Raises UnavailableError if its package is not installed."""
        with optional_package("tensorboard", "TensorBoard's event files need"):
            from torch.utils.tensorboard import SummaryWriter
        return SummaryWriter

    def __call__(self, event: str, progress: Progress) -> None:
        if event == "evaluate":
            figures = {f"dev/{name}": value for name, value in progress.figures.items()}
            for name, value in ({"train/loss": progress.loss} | figures).items():
                self._writer.add_scalar(name, value, progress.step)
            self._writer.flush()


# By the training option that asks for each, a field of `training.options.run.RunOptions`.
TRACKERS = {"tensorboard": TensorBoard}


def trackers(options: Mapping[str, Any]) -> list[type[TensorBoard]]:
    """Return the trackers that a run's options ask for.

    Raises:
        UnavailableError: the package of one is not installed.
    """
    chosen = [tracker for name, tracker in TRACKERS.items() if options.get(name)]
    for tracker in chosen:
        tracker.library()
    return chosen
