"""Serving the page on this machine, until Ctrl-C or for the length of a block."""

import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager

from fastapi import FastAPI

from regard.http.server import ADDRESS, Server, answer, bind


def serve(app: FastAPI, listener: socket.socket, *, path: str = "/", browse: bool = True) -> None:
    """Answers on `listener` until interrupted; prints the address, and opens it in a browser."""
    address = f"http://{ADDRESS}:{listener.getsockname()[1]}{path}"
    print(f"{address}  (Ctrl-C ends)", flush=True)  # at once, into a pipe too
    if browse and has_display():
        # Connections wait in the socket's queue, so the browser may come before the server.
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    answer(app, listener, seconds=1)  # a long trace does not keep the command from ending


@contextmanager
def in_background(app: FastAPI) -> Iterator[str]:
    """Answers in a thread of this process while the block runs; gives the address."""
    listener = bind(0)
    server = Server(app, seconds=1)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"http://{ADDRESS}:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)


def has_display() -> bool:
    """Return True where a browser could show itself."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
