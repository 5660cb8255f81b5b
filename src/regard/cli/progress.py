"""Progress on stderr, if it is a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Task

from regard.lazy import rich


def is_watched() -> bool:
    """Return whether to show progress: only if stderr is a terminal."""
    return sys.stderr.isatty()


@contextmanager
def progress_bar(
    total: int | None, what: str, *, shown: bool = True, done: int = 0, rate: str = ""
) -> Iterator[Callable[[int], None]]:
    """Give a function to call with the number of items just finished.

    Args:
        total: items in all; None if that is not known.
        what: what is being done, in a word or two.
        shown: False keeps silent even on a terminal.
        done: items that were finished before.
        rate: what the items are called, to show how many are finished in a second; "" shows none.
    """
    if not (shown and is_watched()):
        yield lambda done: None
        return

    class Rate(rich.progress.ProgressColumn):
        def render(self, task: "Task") -> rich.text.Text:
            return rich.text.Text("" if task.speed is None else f"{task.speed:,.1f} {rate}/s")

    columns = [rich.progress.TextColumn(what), rich.progress.BarColumn()]
    columns += [rich.progress.MofNCompleteColumn(), *([Rate()] if rate else [])]
    columns.append(rich.progress.TimeRemainingColumn(compact=True))
    # Speed is that of the last ten minutes: what is advanced by a lot at once is seldom advanced.
    console, period = rich.console.Console(stderr=True), 600 if rate else 30
    with rich.progress.Progress(
        *columns, console=console, transient=True, speed_estimate_period=period
    ) as bar:
        task = bar.add_task(what, total=total, completed=done)
        yield lambda done: bar.advance(task, done)


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Show what is being done while it is, for work of unknown length."""
    if not is_watched():
        yield
        return
    with rich.console.Console(stderr=True).status(rich.markup.escape(what)):
        yield
