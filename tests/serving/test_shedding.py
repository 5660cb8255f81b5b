"""A full server refuses requests as bytes."""

import http.client
import json
import logging
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from regard.serving.app import create_app
from regard.serving.guard import Access
from regard.serving.limits import Limits, Room
from regard.serving.metrics import Metrics
from regard.serving.served import Served
from regard.serving.server import Server
from regard.serving.shedding import Shedding
from regard.studio.serve import bind

POST = b"POST /run/translate HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n"
FULL: list[int | None] = [None]


def shed(data: bytes, full: int | None = 3) -> tuple[bytes, int] | None:
    return Shedding(lambda requests: full, Metrics(), Room(2**20)).refusal(
        data, [(b"date", b"today")], 0
    )


@pytest.mark.parametrize("sent", [0, 1, 4])
def test_a_post_is_refused_before_its_body_has_come(sent: int) -> None:
    found = shed(POST + b'"x" '[:sent])
    assert found is not None
    answer, rest = found
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 429 Too Many Requests\r\n")
    assert b"\r\ndate: today" in head
    assert b"\r\nretry-after: 3" in head
    assert b"\r\ncontent-length: %d" % len(body) in head
    assert "try again in 3 s" in json.loads(body)["detail"]
    assert rest == 4 - sent


def test_each_interface_has_its_own_form() -> None:
    for path, name in ((b"/v1/chat/completions", "error"), (b"/translate", "error")):
        found = shed(POST.replace(b"/run/translate", path))
        assert found is not None
        content = json.loads(found[0].partition(b"\r\n\r\n")[2])
        sentence = content[name]["message"] if path.startswith(b"/v1") else content[name]
        assert "try again in 3 s" in sentence


@pytest.mark.parametrize(
    "data",
    [
        POST.replace(b"POST", b"GET"),
        POST.replace(b"1.1", b"1.0"),
        POST.replace(b"Content-Length: 4\r\n", b""),
        POST.replace(b"Host: a", b"Content-Length: 40"),
        POST.replace(b"Host: a", b"Transfer-Encoding: chunked"),
        POST.replace(b"Host: a", b"Expect: 100-continue"),
        POST.replace(b"Host: a", b"Upgrade: h2c"),
        POST.replace(b"Host: a", b"Connection: close"),
        POST.replace(b"Host: a\r\n", b"Host: a\n"),
        POST.replace(b": 4", b": -4"),
        POST.replace(b": 4", b": 1048577"),
        POST + b"more than the length",
        POST[:-2],
        b"\x16\x03\x01",
    ],
)
def test_what_is_unusual_is_left_to_the_parser(data: bytes) -> None:
    assert shed(data) is None


def test_where_there_is_room_nothing_is_refused() -> None:
    assert shed(POST, full=None) is None


class Threads:
    """A model's, whose queue has room or not."""

    def __init__(self, seconds: int | None):
        self.running = 4
        self.waiting = SimpleNamespace(full=lambda: seconds)


@pytest.mark.parametrize(
    ("queues", "requests", "expected"),
    [
        ([None], 0, None),
        ([7], 0, 7),
        ([7, None], 0, None),  # the other model takes texts
        ([7, 5], 0, 5),
        ([None], 10, 1),  # they have not come to the queue yet
        ([7, None], 19, None),
        ([7, None], 20, 7),
    ],
)
def test_a_server_is_full_when_no_model_takes_more(
    queues: list[int | None], requests: int, expected: int | None
) -> None:
    models = {str(k): SimpleNamespace(threads=Threads(each)) for k, each in enumerate(queues)}
    assert (
        Served.full(SimpleNamespace(models=models, limits=Limits(waiting=6)), requests) == expected
    )  # type: ignore[arg-type]


@contextmanager
def serving() -> Iterator[tuple[int, Any]]:
    """A server as `regard serve` runs it; FULL says whether it is full."""
    metrics = Metrics()
    served = Served(["emotions"], Limits(), metrics)
    app = create_app(served, metrics, Access())
    state = app.state.serving
    state.shedding = Shedding(lambda requests: FULL[0], metrics, Room(2**20))
    with bind(0) as listener:
        server = Server(app, seconds=5, notice=0)
        run = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        server.capture_signals = lambda: closing(SimpleNamespace(close=int))  # type: ignore
        run.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield listener.getsockname()[1], state
        finally:
            server.should_exit = True
            run.join(20)


def test_the_connection_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    body = json.dumps({"text": "I am so happy today!"}).encode()
    headers = {"Content-Type": "application/json"}
    with serving() as (port, state), caplog.at_level(logging.WARNING, "regard.serving"):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        with closing(connection):

            def post() -> tuple[int, Any]:
                # The body follows the head in a segment of its own.
                connection.request("POST", "/run/classify", body, headers)
                with connection.getresponse() as answer:
                    return answer.status, json.loads(answer.read())

            assert post()[0] == 200
            opened = connection.sock
            FULL[0] = 2
            try:
                assert [post()[0] for _ in range(3)] == [429] * 3
                connection.request("GET", "/healthz")
                with connection.getresponse() as answer:
                    assert answer.status == 200
                    answer.read()
                connection.request("GET", "/metrics")
                with connection.getresponse() as answer:
                    counted = answer.read().decode()
            finally:
                FULL[0] = None
            assert post()[0] == 200
            assert connection.sock is opened
            assert 'regard_requests_total{route="other",status="429"} 3.0' in counted
            state.shedding.log_refused()
    [logged] = [each for each in caplog.records if each.getMessage() == "full"]
    assert logged.fields == {"refused": 3}  # type: ignore[attr-defined]


def test_a_request_in_pieces_is_parsed() -> None:
    """And refused by nothing but its queue, which has room."""
    body = json.dumps({"text": "I am so happy today!"}).encode()
    head = (
        "POST /run/classify HTTP/1.1\r\nHost: localhost:%d\r\nContent-Type: application/json\r\n"
        "Content-Length: %d\r\nConnection: close\r\n\r\n"
    )
    with serving() as (port, _):
        head %= port, len(body)
        FULL[0] = 2
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
                for piece in (head[:9].encode(), head[9:].encode(), body):
                    client.sendall(piece)
                    time.sleep(0.05)
                answer = b"".join(iter(lambda: client.recv(4096), b""))
        finally:
            FULL[0] = None
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
