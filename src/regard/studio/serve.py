"""Serving the page on this machine, until Ctrl-C or for the length of a block."""

import errno
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import uvicorn
from fastapi import FastAPI

from regard.errors import UnavailableError

ADDRESS = "127.0.0.1"
PORT = 8765


def bind(port: int | None = None, host: str = ADDRESS) -> socket.socket:
    """A socket at an address, by default of this machine alone; at PORT or a free port where none
    is named.

    Raises:
        UnavailableError: a port that cannot be opened.
    """
    if port is None:
        with suppress(UnavailableError):
            return bind(PORT, host)
        return bind(0, host)
    # asyncio sets TCP_NODELAY only where the protocol is named. Without it, an answer's body waits
    # 40 ms for the acknowledgment of its headers.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if os.name == "posix":  # elsewhere the option would share a port that is in use
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise UnavailableError(
                f"port {port} is in use, perhaps by another regard; stop that one or choose"
                f" another `port`, such as {port + 1 if port < 65535 else 0}."
            ) from error
        raise UnavailableError(
            f"port {port} cannot be opened ({error.strerror}); choose another `port`."
        ) from error
    return listener


def serve(
    app: FastAPI,
    listener: socket.socket,
    *,
    path: str = "/",
    browse: bool = True,
) -> None:
    """Answers on `listener` until interrupted; prints the address, and opens it in a browser."""
    address = f"http://{ADDRESS}:{listener.getsockname()[1]}{path}"
    print(f"{address}  (Ctrl-C ends)", flush=True)  # at once, into a pipe too
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=2,  # a long trace does not keep the command from ending
        )
    )
    if browse and has_display():
        # Connections wait in the socket's queue, so the browser may come before the server.
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    with suppress(KeyboardInterrupt):  # uvicorn ends cleanly, and then raises what it caught
        server.run(sockets=[listener])


@contextmanager
def in_background(app: FastAPI) -> Iterator[str]:
    """Answers in a thread of this process while the block runs; gives the address."""
    listener = bind(0)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"http://{ADDRESS}:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)


def has_display() -> bool:
    """Whether a browser could show itself here."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
