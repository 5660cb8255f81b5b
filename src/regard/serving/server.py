"""Running the application until SIGTERM or Ctrl-C, after which what has begun is still answered."""

import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from types import FrameType

import uvicorn
from fastapi import FastAPI

from regard.errors import BadArgumentError


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
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_keep_alive=30,
                timeout_graceful_shutdown=int(seconds) + 1,
            )
        )
        self._notice, self._end = notice, 0.0
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
