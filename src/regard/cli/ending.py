"""SIGTERM and SIGHUP end a command as Ctrl-C does: what it was writing is removed."""

import _thread
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Within it these signals raise SystemExit, with the exit code that a shell gives them.

    Where such an exception or Ctrl-C's cannot be raised, as in a finalizer, the signal is sent
    again a moment later.
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
            _thread.start_new_thread(_send, (number, sys._getframe()))

    sys.unraisablehook = lost
    try:
        yield
    finally:
        sys.unraisablehook = report
        for each, handler in before.items():
            signal.signal(each, handler)


def is_interruption(error: BaseException) -> bool:
    """Return whether an error comes from Ctrl-C: it was raised while that was handled, or a library
    in another language, such as torch, turned it into a RuntimeError with its name in the text."""
    cause: BaseException | None = error
    while cause is not None:
        named = isinstance(cause, RuntimeError) and "KeyboardInterrupt" in str(cause)
        if named or isinstance(cause, KeyboardInterrupt):
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def _send(number: int, reporting: FrameType) -> None:
    """Send a signal to the main thread as soon as it has left a frame, where what the signal
    raises would be lost too."""
    main = threading.main_thread().ident
    while sys._current_frames().get(main or 0) is reporting:
        time.sleep(0.001)
    if main is not None and hasattr(signal, "pthread_kill"):
        signal.pthread_kill(main, number)
    else:
        _thread.interrupt_main(signal.Signals(number))


def _number(error: BaseException | None) -> int | None:
    """Return the signal that an exception stands for."""
    if isinstance(error, KeyboardInterrupt):
        return signal.SIGINT
    if isinstance(error, SystemExit) and isinstance(error.code, int):
        number = error.code - 128
        return number if number in SIGNALS else None
    return None


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)
