"""Trackers of the curves of a run: TensorBoard."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from regard.errors import optional_package
from regard.training.config import Progress


def tensorboard(folder: Path) -> Callable[[str, Progress], None]:
    """A watcher that writes each evaluation's figures and training loss to event files in `folder`.

    Raises:
        UnavailableError: tensorboard is not installed.
    """
    writer = require_tensorboard()(str(folder))

    def watch(event: str, progress: Progress) -> None:
        if event == "evaluate":
            values = {"train/loss": progress.loss} | {
                f"dev/{name}": value for name, value in progress.figures.items()
            }
            for name, value in values.items():
                writer.add_scalar(name, value, progress.step)
            writer.flush()

    return watch


def require_tensorboard() -> Any:
    """TensorBoard's writer. Raises UnavailableError where tensorboard is not installed."""
    with optional_package("tensorboard", "TensorBoard's event files need"):
        from torch.utils.tensorboard import SummaryWriter
    return SummaryWriter
