"""The short way of a request: one that is as usual is answered without the layers for all others.

It comes at once, its head has nothing unusual, and its route takes a model of JSON. Everything else
goes the long way, by h11 and FastAPI, as if there were no other: so does a request that is refused
before its work begins, and what is refused is said in one place.
"""

import asyncio
import json
import re
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from time import perf_counter
from typing import Any

from starlette.responses import Response
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT
from uvicorn.protocols.http.h11_impl import H11Protocol

from regard.errors import RegardError
from regard.http.application import Followed
from regard.http.guard import QUICK, Admission, guarded

HEAD = re.compile(rb"POST (/[\w/]+) HTTP/1\.1\r\n((?:[A-Za-z-]+: [!-~][ -~]*\r\n)+)\r\n")
USUAL = {
    "accept", "accept-encoding", "accept-language", "authorization", "connection", "content-length",
    "content-type", "host", "user-agent",
}  # and those of OpenAI's clients, which are for statistics  # fmt: skip
JSON = ("application/json", "application/json; charset=utf-8")
PART_SECONDS = 0.05  # that the rest of a request may take; many clients send a body by itself

Answer = Coroutine[Any, Any, Response]
Route = Callable[[Followed, Any], Answer | None]


@dataclass(frozen=True)
class Shortcut:
    """The short way of an application, as its `state.shortcut`.

    Args:
        routes: by path: a request and its JSON → the work whose result is the answer; None, or an
            error, for one that is to go the long way.
        count: called with path, status, seconds and the client's address of each request.
    """

    admission: Admission
    routes: Mapping[str, Route]
    count: Callable[[str, int, float, str | None], None]


@dataclass(eq=False)
class _Cycle:
    """A request that is being answered, as uvicorn looks at its own."""

    keep_alive: bool = True
    response_complete: bool = False
    disconnected: bool = False
    message_event: asyncio.Event = field(default_factory=asyncio.Event)


class Protocol(H11Protocol):
    """uvicorn's, with a short way. Requests of a connection are answered one after another."""

    _task: asyncio.Task[None] | None = None  # that answers by the short way
    _begun = b""  # a part of a request
    _later = b""  # what came behind a request that has no answer yet
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Find the short way of the application."""
        super().connection_made(transport)
        state = self.config.app.state  # type: ignore[union-attr]
        self._shortcut: Shortcut | None = getattr(state, "shortcut", None)

    def connection_lost(self, exc: Exception | None) -> None:
        """End the work of a client that has gone."""
        super().connection_lost(exc)
        self._taken()
        if self._task is not None:
            self._task.cancel()

    def data_received(self, data: bytes) -> None:
        """Take the next bytes of a client."""
        if self._task is not None:
            self._later += data
            if len(self._later) > HIGH_WATER_LIMIT:
                self.flow.pause_reading()
            return
        self._begun += data
        if self._shortcut is None or not self._is_idle() or not self._goes_short(self._shortcut):
            self._go_long()

    def shutdown(self) -> None:
        """As uvicorn's; what has begun to come is still answered."""
        self._go_long()
        super().shutdown()

    def _go_long(self) -> None:
        if data := self._taken():
            super().data_received(data)

    def _taken(self) -> bytes:
        """Return what has come, whose rest is no longer waited for."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer, data, self._begun = None, self._begun, b""
        return data

    def _is_idle(self) -> bool:
        """True before the first byte of a request."""
        is_done = self.cycle is None or self.cycle.response_complete
        return is_done and str(self.conn.their_state) == "IDLE" and not self.conn.trailing_data[0]

    def _goes_short(self, shortcut: Shortcut) -> bool:
        """Begin to answer a request, or wait for its rest; False for one that must go the long
        way."""
        head = HEAD.match(self._begun)
        path = "" if head is None else head[1].decode()
        if head is None or path not in shortcut.routes or (fields := _fields(head[2])) is None:
            return False
        size = int(fields["content-length"])
        scope = {
            "type": "http",
            "method": "POST",
            "path": path,
            "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in fields.items()],
            "scheme": self.scheme,
            "server": self.server,
            "client": self.client,
            "app": self.config.app,
        }
        if size > QUICK or shortcut.admission.access.refused(scope, fields) is not None:
            return False
        end = head.end() + size
        if len(self._begun) < end:
            self._unset_keepalive_if_required()
            if self._timer is None:
                self._timer = self.loop.call_later(PART_SECONDS, self._go_long)
            return True
        try:
            shortcut.admission.take("POST", size)
        except RegardError:
            return False
        request, work = Followed(scope), None
        with suppress(Exception):  # the long way has the sentence
            work = shortcut.routes[path](request, json.loads(self._begun[head.end() : end]))
        if work is None:
            shortcut.admission.leave(size)
            return False
        self._unset_keepalive_if_required()
        self._later = self._taken()[end:]
        self.cycle = cycle = _Cycle()  # type: ignore[assignment]
        self._task = self.loop.create_task(self._answer(shortcut, request, work, size, cycle))
        self._task.add_done_callback(self.tasks.discard)
        self.tasks.add(self._task)
        return True

    async def _answer(
        self, shortcut: Shortcut, request: Followed, work: Answer, size: int, cycle: _Cycle
    ) -> None:
        began, status = perf_counter(), 499  # where no answer begins: the client has gone
        try:
            try:
                response = await work
            except Exception as error:
                response = await self._refusal(request, error)
            if self.flow.write_paused:
                await self.flow.drain()
            status = response.status_code
            self._write(response)
            cycle.response_complete = True
        finally:
            shortcut.admission.leave(size)
            client = self.client[0] if self.client else None
            shortcut.count(request.scope["path"], status, perf_counter() - began, client)
            self._task = None
            if not (cycle.response_complete and cycle.keep_alive):
                self.transport.close()
            self.on_response_complete()
        later, self._later = self._later, b""
        if later and not self.transport.is_closing():
            self.data_received(later)

    async def _refusal(self, request: Followed, error: Exception) -> Response:
        """The application's answer to an error, as starlette looks it up."""
        handlers: Mapping[Any, Any] = request.app.exception_handlers
        kind = next(kind for kind in type(error).__mro__ if kind in handlers)
        if kind is not Exception:
            with suppress(type(error)):
                refusal: Response = await handlers[kind](request, error)
                return refusal
        self.logger.error("Exception in ASGI application\n", exc_info=error)
        failure: Response = await handlers[Exception](request, error)
        return failure

    def _write(self, response: Response) -> None:
        status = HTTPStatus(response.status_code)
        headers = (*self.server_state.default_headers, *guarded(response.raw_headers))
        lines = [b"HTTP/1.1 %d %s" % (status, status.phrase.encode())]
        lines += [b"%s: %s" % pair for pair in headers]
        self.transport.write(b"\r\n".join((*lines, b"", bytes(response.body))))


def _fields(lines: bytes) -> dict[str, str] | None:
    """The headers of a request by their names in lower case; None where one is not as usual."""
    pairs = [line.split(": ", 1) for line in lines.decode().split("\r\n")[:-1]]
    fields = {name.lower(): value.rstrip() for name, value in pairs}
    is_usual = (
        len(fields) == len(pairs)
        and all(name in USUAL or name.startswith("x-stainless-") for name in fields)
        and "host" in fields
        and fields.get("content-type", "").lower() in JSON
        and fields.get("content-length", "").isdecimal()
        and fields.get("connection", "keep-alive").lower() == "keep-alive"
    )
    return fields if is_usual else None
