"""Access to a server: hosts and origins, keys, the size of a body and the time that it takes."""

import asyncio
import hmac
import socket
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from regard.errors import RegardError
from regard.http.refusals import Busy, mistake, refusal

BODY_LIMIT = 2**20
TOO_LONG = f"a request may have {BODY_LIMIT:,} bytes; this one has more: send less text."
QUICK = 4096  # bytes of a body that is parsed in no time
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

HEADERS = {
    # A page of ours needs nothing from elsewhere, and no page of others may frame or load it.
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline';"
        " object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_HEADERS = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]


class Room:
    """A bound that requests share. Beside others, a request may take half of what is left, so one
    that needs little still finds room where one that needs much is refused.

    Args:
        most: of all requests together.
        unit: the bounded quantity, for messages.
        seconds: called for the time after which there may be room again.
    """

    def __init__(self, most: int, unit: str, seconds: Callable[[], int]):
        self.most, self.unit, self.used = most, unit, 0
        self.seconds = seconds

    def has(self, size: int) -> bool:
        """Return whether a request of this size may be taken."""
        return size <= ((self.most - self.used + 1) // 2 if self.used else self.most)

    def take(self, size: int) -> None:
        """Take a part of it; the caller gives it back by `used`.

        Raises:
            Busy: there is no room.
        """
        if not self.has(size):
            raise Busy(f"{self.used:,} of {self.most:,} {self.unit}", self.seconds())
        self.used += size


@dataclass(frozen=True)
class Access:
    """The clients that are answered.

    Args:
        key: of every request; None: no key is needed.
        loopback: whether the server is on an address of this machine alone.
        origins: of pages that may call without a key, such as https://example.org; * is every one.
        keyless: paths that need no key.
    """

    key: str | None = None
    loopback: bool = True
    origins: Collection[str] = ()
    keyless: Collection[str] = (
        "/health", "/healthz", "/readyz", "/languages", "/frontend/settings",
        "/translate", "/detect",  # which may have it in the body
    )  # fmt: skip

    def knows(self, key: str | None) -> bool:
        """Compare a key in a time that says nothing about it."""
        if self.key is None:
            return True
        sent = (key or "").encode("utf-8", "surrogatepass")
        return hmac.compare_digest(sent, self.key.encode())

    def refused(self, scope: Scope, headers: Mapping[str, str]) -> tuple[int, str] | None:
        """Status and sentence for a request that is not answered.

        Without a key, a page of others must not compute here unless its origin was named: where a
        server is on this machine alone, see `foreign`; elsewhere no request may come from a page.
        """
        if headers.get("content-encoding", "identity") != "identity":
            return 415, "the body is compressed; send it as it is."
        if self.key is not None:
            is_open = scope["path"] in self.keyless or is_preflight(scope, headers)
            if not is_open and not self.knows(bearer(headers)):
                return 401, "a key is needed; send it as Authorization: Bearer KEY."
        elif self.loopback:
            if (sentence := foreign(scope, headers, admitted=self.admits(headers))) is not None:
                return 403, sentence
        elif "origin" in headers and not self.admits(headers):
            return 403, (
                "this server has no key, so it answers programs, not pages; --allow-origin names"
                " those that may call."
            )
        elif not (is_local(host := headers.get("host", "")) or self.names(host)):
            return 403, (
                "this server has no key, so it answers to an address or a name of the local network"
                f" as Host, not to {host[:80]!r}: set a key, or --allow-origin http://{host[:80]}."
            )
        return None

    def names(self, host: str) -> bool:
        """Return whether an origin that may call has this host and port."""
        hosts = {urlsplit(origin).netloc for origin in self.origins}
        return "*" in self.origins or host.lower() in hosts

    def admits(self, headers: Mapping[str, str]) -> bool:
        """Return True where a request comes from a page that may call: any page, where only one
        that has the key is answered."""
        origin = headers.get("origin")
        return origin is not None and (
            self.key is not None or "*" in self.origins or origin.lower() in self.origins
        )


class Admission:
    """The requests of a server that have no answer yet, and whether it takes one more.

    Args:
        pending: bytes of these requests.
        check_full: called before a POST with the number of these requests; raises Busy where the
            server is full.
    """

    def __init__(
        self,
        access: Access,
        *,
        pending: Room | None = None,
        check_full: Callable[[int], None] = lambda requests: None,
    ) -> None:
        self.access, self._pending, self._check_full = access, pending, check_full
        self._requests = 0

    def take(self, method: str, size: int) -> None:
        """Take a request of this many bytes, until `leave` is called.

        Raises:
            Busy: the server is full.
        """
        if method == "POST":
            self._check_full(self._requests)
        if self._pending is not None:
            self._pending.take(size)
        self._requests += 1

    def leave(self, size: int) -> None:
        """Count a request no longer, since it is over."""
        self._requests -= 1
        if self._pending is not None:
            self._pending.used -= size


class Guard:
    """Refuses before the application sees anything; puts HEADERS on every answer.

    Args:
        longer: for paths that take more than BODY_LIMIT, the number of bytes and the sentence for
            a body of more.
        seconds: that a body may take to come; None: any time.
    """

    def __init__(
        self,
        app: ASGIApp,
        admission: Admission,
        *,
        longer: Mapping[str, tuple[int, str]] | None = None,
        seconds: float | None = None,
    ) -> None:
        self.app, self._admission, self._longer = app, admission, longer or {}
        self._seconds = seconds
        self._turn = asyncio.Lock()  # large requests begin one by one, with others in between

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        fields, path, access = Headers(scope=scope), scope["path"], self._admission.access
        shared = cross_origin(fields) if access.admits(fields) else []

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = guarded([*message.get("headers", []), *shared])
            await send(message)

        limit, sentence = self._longer.get(path, (BODY_LIMIT, TOO_LONG))
        size = announced(fields, limit)
        refused = access.refused(scope, fields)
        if refused is None and size > limit:
            refused = 413, sentence
        if refused is not None:
            await refusal(path, *refused)(scope, receive, send_guarded)
            return
        if shared and is_preflight(scope, fields):
            await Response(status_code=204)(scope, receive, send_guarded)
            return
        if scope["method"] == "HEAD":  # the server leaves out the body
            scope = {**scope, "method": "GET"}
        try:
            self._admission.take(scope["method"], size)
        except RegardError as error:
            await mistake(path, error)(scope, receive, send_guarded)
            return
        try:
            try:
                body = await asyncio.wait_for(read_body(receive, limit), self._seconds)
            except TimeoutError:
                late = f"the body took longer than {self._seconds:g} s."
                await refusal(path, 408, late)(scope, receive, send_guarded)
                return
            if body is None:
                await refusal(path, 413, sentence)(scope, receive, send_guarded)
                return
            if size > QUICK:
                async with self._turn:
                    await asyncio.sleep(0)
            await self.app(scope, Again(body, receive), send_guarded)
        finally:
            self._admission.leave(size)


def guarded(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Return the headers of an answer, with those of HEADERS that it does not have."""
    its = list(headers)
    present = {name for name, _ in its}
    return its + [pair for pair in _HEADERS if pair[0] not in present]


def is_preflight(scope: Scope, headers: Mapping[str, str]) -> bool:
    """Return True for a browser's question before a page's request: it has no key yet."""
    return scope["method"] == "OPTIONS" and "access-control-request-method" in headers


def cross_origin(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    """Return the headers by which a browser shows an answer to a page of another origin (CORS)."""
    answer = {
        "access-control-allow-origin": headers["origin"],
        "vary": "Origin",
        "access-control-expose-headers": "Retry-After",
        "access-control-allow-methods": "GET, POST",
        "access-control-allow-headers": "Authorization, Content-Type",
        "access-control-max-age": "86400",
    }
    if "access-control-request-headers" in headers:  # OpenAI's clients send many of their own
        answer["access-control-allow-headers"] = headers["access-control-request-headers"]
    return [(name.encode(), value.encode("latin-1")) for name, value in answer.items()]


def is_local(host: str) -> bool:
    """Return whether a Host is an address, or a name that no one can register on the internet.

    A page of another's that has its own name resolve to the server (DNS rebinding) may read the
    answers, and sends that name. Names of a local network: RFC 6762, RFC 8375, ICANN's .internal.
    """
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:  # brackets without an address
        return False
    with suppress(ValueError):
        return bool(ip_address(name))
    local = (".local", ".internal", ".home.arpa", ".localhost")
    return "." not in name or name.endswith(local) or name == socket.gethostname().lower()


def foreign(scope: Scope, headers: Mapping[str, str], *, admitted: bool = False) -> str | None:
    """Return the refusal of a request from elsewhere; None for one of a page that the server
    served.

    Args:
        admitted: whether its page may call though it is another's.

    A foreign page that has its own name resolve to 127.0.0.1 (DNS rebinding) still sends that name
    as Host; one that sends requests across origins says so in Origin or Sec-Fetch-Site. starlette's
    TrustedHostMiddleware does not do: it lets every port pass, and its refusal says nothing.
    """
    host = headers.get("host", "")
    port = scope["server"][1] if scope.get("server") else None
    names = {f"{name}:{port}" for name in LOOPBACK} | (set(LOOPBACK) if port == 80 else set())
    if host.lower() not in names:
        return (
            f"this server answers as 127.0.0.1:{port} or localhost:{port};"
            f" the request asked for {host[:80]!r}: open it under one of these names."
        )
    if admitted:
        return None
    origin = headers.get("origin")
    if origin is not None and origin.lower() != f"http://{host.lower()}":
        return (
            "this server answers its own pages only;"
            f" the request came from a page of {origin[:80]!r}."
        )
    # A picture or a script that a foreign page asks for has no Origin. A link to a page is no harm.
    site, mode = headers.get("sec-fetch-site"), headers.get("sec-fetch-mode")
    if site in ("cross-site", "same-site") and mode != "navigate":
        return "this server answers its own pages only; the request came from another site's page."
    return None


def announced(headers: Mapping[str, str], limit: int) -> int:
    """Bytes that a body may have, by its headers and the limit."""
    if "transfer-encoding" in headers:
        return limit
    length = headers.get("content-length", "0")
    return int(length) if length.isdecimal() and len(length) < 20 else 2**63


async def read_body(receive: Receive, limit: int) -> bytes | None:
    """Return the whole body, or None as soon as it passes the limit."""
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > limit:
            return None
        if not message.get("more_body", False):
            return bytes(body)


class Again:
    """`receive` for an application whose body has been read already."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self.body: bytes | None = body
        self.receive = receive

    async def __call__(self) -> Message:
        if self.body is None:
            return await self.receive()
        body, self.body = self.body, None
        return {"type": "http.request", "body": body, "more_body": False}


def bearer(headers: Mapping[str, str]) -> str | None:
    """Return the key of an Authorization header."""
    kind, _, key = headers.get("authorization", "").partition(" ")
    return key.strip() if kind.lower() == "bearer" else None
