"""The page's address, printed and opened in a browser."""

import os
import socket
import sys
import threading
import webbrowser

from regard.http.sockets import ADDRESS


def announce(listener: socket.socket, *, path: str = "/", browse: bool = True) -> None:
    """Print the address of the page on `listener`, and opens it in a browser.

    Connections wait in the socket's queue, so the browser may come before the server, whose imports
    take about as long as a browser's start.
    """
    address = f"http://{ADDRESS}:{listener.getsockname()[1]}{path}"
    print(f"{address}  (Ctrl-C ends)", flush=True)  # at once, into a pipe too
    if browse and has_display():
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()


def has_display() -> bool:
    """Return True where a browser could show itself."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
