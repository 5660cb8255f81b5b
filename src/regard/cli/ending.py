"""SIGTERM and SIGHUP end a command as Ctrl-C does: what it was writing is removed."""

import _thread
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
AGAIN = 0.01  # seconds


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Within it these signals raise SystemExit, with the exit code that a shell gives them.

    Where such an exception or Ctrl-C's cannot be raised, as in what Python calls when an object
    goes, the signal comes again a moment later.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # Python hands signals to its main thread only
        return
    # nohup starts a command with SIGHUP ignored, and that is to stay.
    caught = [each for each in SIGNALS if signal.getsignal(each) != signal.SIG_IGN]
    before = {each: signal.signal(each, _end) for each in caught}
    report = sys.unraisablehook

    def lost(found: "sys.UnraisableHookArgs") -> None:
        number = _number(found.exc_value)
        if number is None:
            report(found)
        else:
            threading.Timer(AGAIN, _thread.interrupt_main, [number]).start()

    sys.unraisablehook = lost
    try:
        yield
    finally:
        sys.unraisablehook = report
        for each, handler in before.items():
            signal.signal(each, handler)


def is_interruption(error: BaseException) -> bool:
    """Whether an error is what became of Ctrl-C: it came while that was handled, or a library in
    another language, such as torch, made a RuntimeError of it, whose text is its name."""
    cause: BaseException | None = error
    while cause is not None:
        named = isinstance(cause, RuntimeError) and "KeyboardInterrupt" in str(cause)
        if named or isinstance(cause, KeyboardInterrupt):
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def _number(error: BaseException | None) -> int | None:
    """The signal that an exception stands for."""
    if isinstance(error, KeyboardInterrupt):
        return signal.SIGINT
    if isinstance(error, SystemExit) and isinstance(error.code, int):
        number = error.code - 128
        return number if number in SIGNALS else None
    return None


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
