"""Who may talk to the server: pages that it served itself, from this machine, within limits."""

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

BODY_LIMIT = 2**20
FILES = "/api/files"  # where traces are sent whole
FILE_LIMIT = 2**29
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


class Guard:
    """Refuses before the application sees anything; puts HEADERS on every answer.

    A foreign page that has its own name resolve to 127.0.0.1 (DNS rebinding) still sends that name
    as Host; one that sends requests across origins says so in Origin or Sec-Fetch-Site. starlette's
    TrustedHostMiddleware does not do: it lets every port pass, and its refusal says nothing.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refused = foreign(scope)
        if refused is not None:
            await JSONResponse({"detail": refused}, 403)(scope, receive, send_guarded)
            return
        limit = FILE_LIMIT if scope["path"] == FILES else BODY_LIMIT
        body = await read_body(receive, Headers(scope=scope), limit)
        if body is None:
            too_long = (
                f"a trace file may have {limit:,} bytes here; open a larger one with `regard look`."
                if scope["path"] == FILES
                else f"a request may have {limit:,} bytes; this one has more: send less text."
            )
            await JSONResponse({"detail": too_long}, 413)(scope, receive, send_guarded)
            return
        await self.app(scope, Again(body, receive), send_guarded)


def foreign(scope: Scope) -> str | None:
    """Why not, for a request from elsewhere; None for one of our own pages."""
    headers = Headers(scope=scope)
    host = headers.get("host", "")
    port = scope["server"][1] if scope.get("server") else None
    known = {f"{name}:{port}" for name in LOOPBACK} | (set(LOOPBACK) if port == 80 else set())
    if host.lower() not in known:
        return (
            f"this server answers as 127.0.0.1:{port} or localhost:{port};"
            f" the request asked for {host[:80]!r}: open it under one of these names."
        )
    origin = headers.get("origin")
    if origin is not None and origin.lower() != f"http://{host.lower()}":
        return (
            "this server answers its own pages only;"
            f" the request came from a page of {origin[:80]!r}."
        )
    # A picture or a script that a foreign page asks for has no Origin. A link to a page is no harm.
    site, mode = headers.get("sec-fetch-site"), headers.get("sec-fetch-mode")
    if site in ("cross-site", "same-site") and mode != "navigate":
        return "this server answers its own pages only; the request came from a page of another."
    return None


async def read_body(receive: Receive, headers: Headers, limit: int) -> bytes | None:
    """The whole body, or None as soon as it is known to pass the limit."""
    announced = headers.get("content-length", "0")
    if not announced.isdigit() or int(announced) > limit:
        return None
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
