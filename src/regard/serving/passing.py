"""A request passed on to another process: ASGI over a Unix socket, a connection for each request.

Both ends write frames: a letter, a length, and as many bytes. What asks writes the scope and the
body; what answers, the start of the answer, its pieces and its end. A connection that closes
before the end says that the client has gone, or that the other process has.
"""

import asyncio
import json
import logging
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from starlette.types import ASGIApp, Message, Scope

SCOPE, BODY, START, PIECE, END = b"S", b"B", b"A", b"P", b"E"
_HEAD = struct.Struct(">cI")
# What an application gets of a request, except what is bytes.
_PASSED = ("type", "asgi", "http_version", "method", "scheme", "path", "client", "server")

log = logging.getLogger("regard.serving")


class EndedError(Exception):
    """The other process ended before its answer did."""


class Answer:
    """What comes back for a request, message by message."""

    def __init__(self, reader: asyncio.StreamReader):
        self._reader = reader

    async def next(self) -> Message | None:
        """The next message, as ASGI has it; None after the last one.

        Raises:
            EndedError: the other process has ended.
        """
        try:
            kind, content = await _read(self._reader)
        except (asyncio.IncompleteReadError, OSError) as error:
            raise EndedError from error
        if kind == START:
            found = json.loads(content)
            headers = [
                (name.encode("latin-1"), value.encode("latin-1")) for name, value in found[1]
            ]
            return {"type": "http.response.start", "status": found[0], "headers": headers}
        if kind == PIECE:
            return {"type": "http.response.body", "body": content, "more_body": True}
        return None


@asynccontextmanager
async def asked(path: Path, scope: Scope, body: bytes) -> AsyncIterator[Answer]:
    """The answer to a request of the process that listens at `path`. Work that is not done when
    the block ends is given up there.

    Raises:
        EndedError: no process listens.
    """
    try:
        reader, writer = await asyncio.open_unix_connection(path)
    except OSError as error:
        raise EndedError from error
    try:
        writer.write(_frame(SCOPE, _written(scope)) + _frame(BODY, body))
        yield Answer(reader)
    finally:
        writer.close()


async def answer(app: ASGIApp, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Has an application answer the request of a connection."""
    try:
        scope, body = _scope((await _read(reader))[1]), (await _read(reader))[1]
    except (asyncio.IncompleteReadError, OSError):
        writer.close()
        return
    gone = asyncio.ensure_future(reader.read(1))  # nothing more is sent, so this is the end
    whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if whole:
            return whole.pop()
        await asyncio.wait([gone])
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if gone.done():
            return  # as uvicorn: who waits for more learns it by `receive`
        if message["type"] == "http.response.start":
            names = [
                (name.decode("latin-1"), value.decode("latin-1"))
                for name, value in message.get("headers", [])
            ]
            writer.write(_frame(START, json.dumps((message["status"], names)).encode()))
            return
        if message.get("body"):
            writer.write(_frame(PIECE, message["body"]))
        if not message.get("more_body", False):
            writer.write(_frame(END))
        with suppress(OSError):
            await writer.drain()

    try:
        await app(scope, receive, send)
    except Exception:
        log.exception("an answer failed")
    finally:
        gone.cancel()
        writer.close()


def _frame(kind: bytes, content: bytes = b"") -> bytes:
    return _HEAD.pack(kind, len(content)) + content


async def _read(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    kind, length = _HEAD.unpack(await reader.readexactly(_HEAD.size))
    return kind, await reader.readexactly(length)


def _written(scope: Scope) -> bytes:
    passed: dict[str, Any] = {name: scope.get(name) for name in _PASSED}
    headers = [
        (name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]
    ]
    rest = [scope.get(name, b"").decode("latin-1") for name in ("raw_path", "query_string")]
    return json.dumps([passed, headers, rest]).encode()


def _scope(content: bytes) -> Scope:
    passed, headers, (path, query) = json.loads(content)
    found: Scope = passed | {
        "root_path": "",
        "raw_path": path.encode("latin-1"),
        "query_string": query.encode("latin-1"),
        "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers],
    }
    return found
