"""Refusals of a full server, made before a request is parsed.

Parsing a request and starting a task for it take time that a full server needs for the requests
that it has accepted.
"""

import logging
import re
from collections.abc import Callable, Iterable
from functools import cache
from http import HTTPStatus

from regard.serving.guard import PENDING_SECONDS
from regard.serving.limits import Room
from regard.serving.metrics import Metrics
from regard.serving.refusals import full_sentence, refusal, retry_after
from regard.studio.guard import BODY_LIMIT

log = logging.getLogger("regard.serving")

_HEAD = re.compile(rb"POST (/[!-~]*) HTTP/1\.1\r\n")
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d{1,9})(?=\r\n)", re.IGNORECASE)
# These change where a request ends, or what follows its answer.
_SPECIAL = re.compile(rb"\n(?:transfer-encoding|expect|upgrade|connection: *close)", re.IGNORECASE)


class Shedding:
    """Answers POST requests while the server is full.

    Args:
        full: called with the number of requests that have no answer yet; seconds after which to
            try again, None while there is room.
        pending: bytes of the requests that have no answer yet.
    """

    def __init__(self, full: Callable[[int], int | None], metrics: Metrics, pending: Room):
        self._full, self._metrics, self.pending = full, metrics, pending
        self._refused = 0  # not in the log yet

    def refusal(
        self, data: bytes, headers: Iterable[tuple[bytes, bytes]], requests: int
    ) -> tuple[bytes, int] | None:
        """The answer to a POST and how many bytes of its body are still to come; None for one that
        must be parsed: there is room, or its head is not whole or has anything unusual.

        Args:
            data: what came on a connection that has no other request.
            headers: of every answer.
            requests: that have no answer yet.
        """
        seconds, found = self._full(requests), _parsed(data)
        if found is None:
            return None
        path, size, rest = found
        if seconds is None:
            if self.pending.has(size):
                return None
            seconds = PENDING_SECONDS
        self._refused += 1
        self._metrics.answered("other", HTTPStatus.TOO_MANY_REQUESTS, 0.0)
        # Clients choose paths; there are three forms of an answer.
        kind = next((each for each in ("/v1/", "/translate") if path.startswith(each)), "/")
        head, body = _answer(kind, seconds)
        return head + b"".join(b"%s: %s\r\n" % each for each in headers) + b"\r\n" + body, rest

    def log_refused(self) -> None:
        """Writes one line for all refusals since the last one."""
        if self._refused:
            log.warning("full", extra={"fields": {"refused": self._refused}})
            self._refused = 0


def _parsed(data: bytes) -> tuple[str, int, int] | None:
    """Where to, the bytes of the body, and those that are still to come."""
    head, end, body = data.partition(b"\r\n\r\n")
    started, lengths = _HEAD.match(head), _LENGTH.findall(head + b"\r\n")
    if started is None or not end or len(lengths) != 1:
        return None
    if _SPECIAL.search(head) or head.count(b"\n") != head.count(b"\r\n"):
        return None
    size = int(lengths[0])
    rest = size - len(body)
    return (started[1].decode(), size, rest) if 0 <= rest < BODY_LIMIT else None


@cache
def _answer(kind: str, seconds: int) -> tuple[bytes, bytes]:
    """The lines of its head, and its body."""
    status = HTTPStatus.TOO_MANY_REQUESTS
    answer = refusal(kind, status, full_sentence(seconds), retry_after(seconds))
    head = b"HTTP/1.1 429 Too Many Requests\r\n"
    return head + b"".join(b"%s: %s\r\n" % each for each in answer.raw_headers), bytes(answer.body)
