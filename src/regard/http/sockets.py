"""Sockets that servers answer on."""

import errno
import os
import re
import socket
from contextlib import suppress
from ipaddress import ip_address

from regard.errors import BadArgumentError, UnavailableError

ADDRESS, PORT = "127.0.0.1", 8765
BACKLOG = 1024  # connections that may wait to be accepted


def bind(port: int | None = None, host: str = ADDRESS) -> socket.socket:
    """Return a socket at an address, by default of this machine alone; at PORT or a free port where
    none is named.

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
        listener.listen(BACKLOG)
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


def use_all_descriptors() -> None:
    """Let this process have as many connections as the system lets it."""
    with suppress(ImportError, ValueError, OSError):  # Windows has no such limit
        from resource import RLIMIT_NOFILE, getrlimit, setrlimit

        _, hard = getrlimit(RLIMIT_NOFILE)
        setrlimit(RLIMIT_NOFILE, (hard, hard))


def is_loopback(host: str) -> bool:
    """Return True for an address of this machine alone.

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


def checked_origin(origin: str) -> str:
    """Return an origin as browsers send it, in lower case and without a slash at its end; or *.

    >>> checked_origin("https://Example.org/")
    'https://example.org'

    Raises:
        BadArgumentError: no origin.
    """
    plain = origin.lower().removesuffix("/")
    if plain != "*" and not re.fullmatch(r"[a-z][a-z\d+.-]*://[^/\s]+", plain):
        raise BadArgumentError(
            f"an origin is a scheme and a host, such as https://example.org, or *; got {origin!r}."
        )
    return plain
