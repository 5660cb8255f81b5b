"""Running the application until SIGTERM or Ctrl-C, after which what has begun is still answered."""

import asyncio
import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from types import FrameType
from typing import Any

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from regard.errors import BadArgumentError
from regard.serving.memory import keep_what_is_loaded
from regard.serving.shedding import Shedding
from regard.serving.threads import answer_first

HEAD_SECONDS = 10.0  # that a request's head may take to come, from the first byte on


class Connection(H11Protocol):
    """uvicorn's, with a limit on the time that a request's head may take, since a process may have
    few connections; and while the server is full, requests are refused here (see `shedding`)."""

    _late: asyncio.TimerHandle | None = None
    _rest = 0  # bytes that are still to come of the body of a refused request

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._time_head()

    def data_received(self, data: bytes) -> None:
        if self._rest:
            self._rest, data = max(0, self._rest - len(data)), data[self._rest :]
            if not data:
                return
        if self._is_idle() and (refused := self._refusal(data)) is not None:
            answer, self._rest = refused
            self._stop()
            self.transport.write(answer)
            self.on_response_complete()
            return
        super().data_received(data)
        self._time_head()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop()

    def _refusal(self, data: bytes) -> tuple[bytes, int] | None:
        app: Any = self.config.app
        shedding: Shedding = app.state.serving.shedding
        return shedding.refusal(data, self.server_state.default_headers, len(self.tasks))

    def _is_idle(self) -> bool:
        """Whether nothing is under way: no request, no part of one, no answer."""
        idle = self.conn.our_state is h11.IDLE and self.conn.their_state is h11.IDLE
        return idle and not self.conn.trailing_data[0] and not self.flow.write_paused

    def _time_head(self) -> None:
        """Between two requests without a byte of the next one, uvicorn has a limit of its own."""
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop()
        elif self._late is None:
            self._late = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


class Server(uvicorn.Server):
    """uvicorn's, whose signals end it well: with exit code 0, once the last answer is given.

    Requests that come on open connections in the first seconds are answered too, so a load
    balancer that asks /readyz sees that the server is ending before it refuses connections.

    Args:
        notice: those seconds.
    """

    def __init__(self, app: FastAPI, *, seconds: float, notice: float) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=Connection,
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_keep_alive=30,
                timeout_graceful_shutdown=int(seconds) + 1,
            )
        )
        self._notice, self._end = notice, 0.0
        self._shedding: Shedding = app.state.serving.shedding
        app.state.serving.is_ending = lambda: bool(self._end)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """As uvicorn's, but that it does not raise them again at the end."""
        caught = (signal.SIGINT, signal.SIGTERM)
        before = {each: signal.signal(each, self.handle_exit) for each in caught}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The first signal ends it after the notice; a second one at once."""
        if self._end:
            self.should_exit = True
            self.force_exit = True
            return
        self._end = time.monotonic() + self._notice

    async def on_tick(self, counter: int) -> bool:
        """Whether to end, asked ten times a second."""
        if counter % 10 == 0:
            self._shedding.log_refused()
        if self._end and time.monotonic() >= self._end:
            self.should_exit = True
        return await super().on_tick(counter)


def run(app: FastAPI, listener: socket.socket, *, seconds: float, notice: float) -> None:
    """Answers on `listener` until a signal.

    Args:
        seconds: that a request may take, so also the end.
        notice: see `Server`.
    """
    server = Server(app, seconds=seconds, notice=notice)
    keep_what_is_loaded()
    answer_first()
    server.run(sockets=[listener])
    if server.force_exit:
        os._exit(130)  # models still run in threads, which Python would wait for, or abort


def is_loopback(host: str) -> bool:
    """Whether an address is one of this machine alone.

    Raises:
        BadArgumentError: not an IP address.
    """
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError as error:
        raise BadArgumentError(
            f"host must be an IP address, such as 0.0.0.0, or localhost; got {host!r}."
        ) from error
