"""The curves of a run in TensorBoard."""

from collections.abc import Callable
from pathlib import Path

from regard.errors import RegardError
from regard.training.config import Progress


def tensorboard(folder: Path) -> Callable[[str, Progress], None]:
    """A watcher that writes each evaluation's figures and training loss to event files in `folder`.

    Raises:
        RegardError: tensorboard is not installed.
    """
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise RegardError(
            "--tensorboard needs the tensorboard package; pip install 'regard[tensorboard]'."
        ) from error
    writer = SummaryWriter(str(folder))

    def watch(event: str, progress: Progress) -> None:
        if event == "evaluate":
            values = {"train/loss": progress.loss} | {
                f"dev/{name}": value for name, value in progress.figures.items()
            }
            for name, value in values.items():
                writer.add_scalar(name, value, progress.step)
            writer.flush()

    return watch
