"""Who may ask, and how much: keys, addresses, the size of a body and the time that it takes."""

import asyncio
import hmac
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from regard.serving.limits import Room
from regard.serving.refusals import full_sentence, refusal, retry_after
from regard.studio.guard import BODY_LIMIT, Again, foreign, read_body

OPEN = ("/healthz", "/readyz")  # what asks has no key
BODY_SECONDS = 10.0  # that a body may take to come
QUICK = 4096  # bytes of a body that is parsed in no time
PENDING_SECONDS = 2  # after which a request may find room, since most have been answered by then
TOO_LONG = f"a request may have {BODY_LIMIT:,} bytes; send less text."
OWN_KEY = "/translate"  # its clients send the key in the body


@dataclass(frozen=True)
class Access:
    """Who may ask.

    Args:
        key: that a request must have; None: it needs none.
        loopback: whether the server is on an address of this machine alone.
    """

    key: str | None = None
    loopback: bool = True

    def knows(self, key: str | None) -> bool:
        """Whether a key is the right one, in a time that says nothing about it."""
        if self.key is None:
            return True
        sent = (key or "").encode("utf-8", "surrogatepass")
        return hmac.compare_digest(sent, self.key.encode())


class Guard:
    """Refuses before the application sees anything.

    Without a key, a page of others must not compute here: where a server is on this machine alone,
    the studio's rules hold (see `studio.guard.foreign`), elsewhere no request may come from a page.

    Args:
        seconds: that a body may take to come.
        pending: bytes of the requests that have no answer yet.
    """

    def __init__(self, app: ASGIApp, access: Access, seconds: float, pending: Room) -> None:
        self.app, self._access, self._seconds, self._pending = app, access, seconds, pending
        self._turn = asyncio.Lock()  # large requests begin one by one, with others in between

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers, path = Headers(scope=scope), scope["path"]

        async def refuse(status: int, sentence: str, more: dict[str, str] | None = None) -> None:
            await refusal(path, status, sentence, more)(scope, receive, send)

        if self._access.key is not None:
            if path not in (*OPEN, OWN_KEY) and not self._access.knows(bearer(headers)):
                await refuse(401, "a key is needed; send it as Authorization: Bearer KEY.")
                return
        elif self._access.loopback:
            if (refused := foreign(scope)) is not None:
                await refuse(403, refused)
                return
        elif "origin" in headers:
            await refuse(403, "this server has no key, so it answers programs, not pages.")
            return
        size = _size(headers)
        if size > BODY_LIMIT:
            await refuse(413, TOO_LONG)
            return
        if not self._pending.has(size):
            await refuse(429, full_sentence(PENDING_SECONDS), retry_after(PENDING_SECONDS))
            return
        self._pending.used += size
        try:
            try:
                body = await asyncio.wait_for(
                    read_body(receive, headers, BODY_LIMIT), timeout=self._seconds
                )
            except TimeoutError:
                await refuse(408, f"the body took longer than {self._seconds:g} s.")
                return
            if body is None:
                await refuse(413, TOO_LONG)
                return
            if size > QUICK:
                async with self._turn:
                    await asyncio.sleep(0)
            await self.app(scope, Again(body, receive), send)
        finally:
            self._pending.used -= size


def _size(headers: Headers) -> int:
    """Bytes that a body may have, by what its request announces."""
    if "transfer-encoding" in headers:
        return BODY_LIMIT
    announced = headers.get("content-length", "0")
    return int(announced) if announced.isdecimal() and len(announced) < 20 else BODY_LIMIT + 1


def bearer(headers: Headers) -> str | None:
    """The key of an Authorization header."""
    kind, _, key = headers.get("authorization", "").partition(" ")
    return key.strip() if kind.lower() == "bearer" else None
