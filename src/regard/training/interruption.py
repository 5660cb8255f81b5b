"""Ctrl-C that lets the step in hand finish, so that nothing is lost."""

import signal
import threading
from types import FrameType, TracebackType
from typing import Self


class Interruption:
    """Within it, the first Ctrl-C only sets `asked`; a second one interrupts at once."""

    asked = False

    def __enter__(self) -> Self:
        # Python hands signals to its main thread only; other threads catch no signal.
        self._catching = threading.current_thread() is threading.main_thread()
        if self._catching:
            self._previous = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._catching:
            signal.signal(signal.SIGINT, self._previous)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
