"""SIGTERM and SIGHUP end a command as Ctrl-C does: what it was writing is removed."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Within it these signals raise SystemExit, with the exit code that a shell gives them."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Python hands signals to its main thread only
        return
    # nohup starts a command with SIGHUP ignored, and that is to stay.
    caught = [each for each in SIGNALS if signal.getsignal(each) != signal.SIG_IGN]
    before = {each: signal.signal(each, _end) for each in caught}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
