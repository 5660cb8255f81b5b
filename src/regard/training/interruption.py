"""Ctrl-C and SIGTERM that let the step in hand finish, so that nothing is lost."""

import signal
import threading
from types import FrameType
from typing import Self

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interruption:
    """Within it, Ctrl-C and SIGTERM only set `requested`.

    Args:
        insist: whether a second Ctrl-C interrupts at once. torchrun sends several for one.
    """

    requested = False

    def __init__(self, *, insist: bool = True) -> None:
        self.insist = insist

    def __enter__(self) -> Self:
        # Python hands signals to its main thread only; other threads catch no signal.
        self._catching = threading.current_thread() is threading.main_thread()
        if self._catching:
            self._previous = {number: signal.signal(number, self._note) for number in SIGNALS}
        return self

    def __exit__(self, *error: object) -> None:
        if self._catching:
            for number, handler in self._previous.items():
                signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.requested and self.insist and number == signal.SIGINT:
            raise KeyboardInterrupt
        self.requested = True
