"""Progress on stderr, if it is a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def is_watched() -> bool:
    """Whether to show progress: only if stderr is a terminal."""
    return sys.stderr.isatty()


@contextmanager
def progress_bar(
    total: int | None, what: str, *, shown: bool = True
) -> Iterator[Callable[[int], None]]:
    """Gives a function to call with the number of items just finished.

    Args:
        total: items in all; None if that is not known.
        what: what is being done, in a word or two.
        shown: False keeps silent even on a terminal.
    """
    if not (shown and is_watched()):
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeft

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeLeft(compact=True))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.advance(task, done)


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Shows what is being done while it is, for work of unknown length."""
    if not is_watched():
        yield
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(escape(what)):
        yield
