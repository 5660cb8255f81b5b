"""A server that answers on a socket until SIGTERM, SIGHUP or Ctrl-C."""

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import uvicorn
from starlette.applications import Starlette

from regard.http.sockets import BACKLOG, use_all_descriptors

HANGUP = getattr(signal, "SIGHUP", signal.SIGTERM)
SILENT_SECONDS = 10.0  # that a connection may stay without a request, or with a part of a head


class Server(uvicorn.Server):
    """uvicorn's, whose signals end it well: with exit code 0, once the last answer is given.

    Requests that come on open connections in the first seconds are answered too, so a load
    balancer that asks /readyz sees that the server is ending before it refuses connections.

    Args:
        seconds: that a request may take, so also the end.
        notice: those first seconds.
        each_second: called so often.
        signals: that end it; SIGHUP is left ignored where it is, as nohup has it.
    """

    def __init__(
        self,
        app: Starlette,
        *,
        seconds: float,
        notice: float = 0.0,
        each_second: Callable[[], None] = lambda: None,
        signals: Sequence[signal.Signals] = (signal.SIGINT, signal.SIGTERM, HANGUP),
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http="h11",  # whose connections `_close_silent` knows
                log_config=None,
                access_log=False,
                server_header=False,
                backlog=1,  # accepted at once; others are left to the other processes
                timeout_keep_alive=30,
                timeout_graceful_shutdown=int(seconds) + 1,
            )
        )
        self._notice, self._end = notice, 0.0
        self._each_second, self._signals = each_second, signals
        self._silent: dict[tuple[Any, Any], float] = {}  # since when
        app.state.is_ending = lambda: bool(self._end)

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn's, but that a signal does not interrupt the making of the event loop, and with
        as many connections as the system allows."""
        use_all_descriptors()
        with self.capture_signals():
            super().run(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn's, which tells the system of no more connections than it accepts at once."""
        await super().startup(sockets)
        for listener in sockets or []:
            listener.listen(BACKLOG)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """As uvicorn's, but that it does not raise them again at the end."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {
            number: signal.signal(number, self.handle_exit)
            for number in set(self._signals)  # without SIGHUP, SIGTERM is there twice
            if number != HANGUP or signal.getsignal(number) != signal.SIG_IGN
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End it after the notice; a second time, at once."""
        if self._end:
            self.should_exit = True
            self.force_exit = True
            return
        self._end = time.monotonic() + self._notice

    async def on_tick(self, counter: int) -> bool:
        """Return whether to end; called ten times a second."""
        if counter % 10 == 0:
            self._close_silent()
            self._each_second()
        if self._end and time.monotonic() >= self._end:
            self.should_exit = True
        return await super().on_tick(counter)

    def _close_silent(self) -> None:
        """Close connections that have not had a whole head in time, since a process may have few.
        Between two requests without a byte of the next one, uvicorn has a limit of its own."""
        now, silent = time.monotonic(), {}
        connections: set[Any] = set(self.server_state.connections)
        for connection in connections:
            cycle = connection.cycle
            waits = connection.timeout_keep_alive_task is None
            if waits and (cycle is None or cycle.response_complete):
                since = silent[connection, cycle] = self._silent.get((connection, cycle), now)
                if now - since > SILENT_SECONDS:
                    connection.transport.close()
        self._silent = silent


def answer(app: Starlette, listener: socket.socket, **settings: Any) -> None:
    """Answer on a socket until a signal; the settings are those of `Server`."""
    server = Server(app, **settings)
    server.run(sockets=[listener])
    if server.force_exit:
        os._exit(130)  # models still run in threads, which Python would wait for, or abort
