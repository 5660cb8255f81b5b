"""One line of JSON for each request, and its place in the metrics; never a text of a user."""

import asyncio
import json
import logging
import sys
import time
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from regard.serving.metrics import Metrics

log = logging.getLogger("regard.serving")


class JsonLines(logging.Formatter):
    """A record as one object, or as several of the same time."""

    def format(self, record: logging.LogRecord) -> str:
        """Time, level, message and the fields that come as `extra={"fields": …}`, or as a list."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        if record.exc_info:
            kind, error, _ = record.exc_info
            # Of an error the class and the place; its words may quote what was sent.
            line["error"] = kind.__name__ if kind is not None else None
            line["where"] = _where(error)
        fields = getattr(record, "fields", {})
        several = fields if isinstance(fields, list) else [fields]
        return "\n".join(json.dumps(line | its) for its in several)


def log_to_stderr() -> None:
    """Has the server's log, uvicorn's and asyncio's written there, as lines of JSON."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("regard.serving", "uvicorn.error", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.INFO)


class Logged:
    """Counts every request around an application."""

    def __init__(self, app: ASGIApp, counts: "Counts") -> None:
        self.app, self._counts = app, counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status = time.perf_counter(), 499  # where no answer began: the client has gone

        async def counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, counted)
        finally:
            # The route's own path: a client's could be anything, and each would be kept.
            route = getattr(scope.get("route"), "path", "other")
            seconds, client = time.perf_counter() - began, (scope.get("client") or [None])[0]
            self._counts.add(route, status, seconds, client, method=scope["method"])


class Counts:
    """Counts and logs requests, those that end in one step of the loop together. What a full server
    refuses has one line a second, since it may be much."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._refused, self._logged = 0, 0.0  # by a full server, not in the log yet
        self._answered = list[dict[str, Any]]()  # not in the log yet

    def add(self, route: str, status: int, seconds: float, client: str | None, method: str) -> None:
        """Count a request that is over."""
        self._metrics.answered(route, status, seconds)
        self._refused += status == HTTPStatus.TOO_MANY_REQUESTS
        if self._refused and time.monotonic() > self._logged + 1:
            log.warning("full", extra={"fields": {"refused": self._refused}})
            self._refused, self._logged = 0, time.monotonic()
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            return
        if not self._answered:
            asyncio.get_running_loop().call_soon(self._log)
        fields = {
            "method": method,
            "route": route,
            "status": status,
            "seconds": round(seconds, 4),
            "client": client,
        }
        self._answered.append(fields)

    def _log(self) -> None:
        fields, self._answered = self._answered, []
        log.info("answered", extra={"fields": fields})


def _where(error: BaseException | None) -> list[str]:
    places, step = [], error.__traceback__ if error is not None else None
    while step is not None:
        code = step.tb_frame.f_code
        places.append(f"{code.co_filename}:{step.tb_lineno} {code.co_name}")
        step = step.tb_next
    return places[-8:]
