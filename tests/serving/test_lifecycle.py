"""Limits of a running server: its queue, its time, clients that go."""

import json
import logging
import re
import socket
import threading
from typing import Any

import pytest

from regard.serving.limits import Limits
from regard.serving.logs import JsonLines

from .conftest import ENDLESS, serving

LONG = ["I would like to drink a cup of tea with my friends in the garden."] * 40
SLOW = dict(text=LONG, num_beams=6)


def running(server: Any) -> int:
    """Rows and texts that the server still works on."""
    threads = server.served.models["en-de"].threads
    return len(threads.waiting) + threads.used


def test_a_full_queue_is_429_with_retry_after() -> None:
    with serving(["en-de"], Limits(waiting=50)) as server:
        with server.served.models["en-de"].threads.waiting.join(40):  # as a request has it
            refused = server.ask("/run/translate", SLOW)
        assert refused[0] == 429
        assert int(refused[2]["Retry-After"]) >= 1
        assert "(40 of 50 texts waiting for en-de); retry in" in refused[1]["detail"]
        status, found, _ = server.ask("/run/translate", dict(text=["x"] * 51))
        assert (status, found["detail"][:36]) == (400, "a request may have 50 texts here; go")
        assert server.ask("/run/translate", SLOW)[0] == 200


def test_a_request_whose_time_is_over_is_504(server: Any, until: Any) -> None:
    status, found, _ = server.ask("/run/translate", SLOW | dict(timeout=0.01))
    assert (status, found["detail"][:24]) == (504, "the request exceeded the")
    until(lambda: running(server) == 0)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/run/translate", ENDLESS),
        ("/v1/completions", dict(prompt=["the dog"] * 400, max_tokens=600, stream=True)),
    ],
)
def test_what_a_client_no_longer_waits_for_is_ended(
    server: Any, until: Any, path: str, body: dict[str, Any]
) -> None:
    def busy() -> bool:
        threads = [model.threads for model in server.served.models.values()]
        return any(getattr(each, "used", 0) for each in threads)

    def written() -> float:
        lines = re.findall(r"^regard_tokens_total.* (\S+)$", server.ask("/metrics")[1], re.M)
        return sum(map(float, lines))

    before = written()
    if "stream" in body:
        body = body | dict(model=list(server.served.models)[-1])
    with server.asking(path, body):
        until(busy)
    until(lambda: not busy())
    assert written() - before < 400 * 400


@pytest.mark.long("ends the work on a long text")
@pytest.mark.parametrize("stream", [False, True])
def test_a_long_text_of_a_client_that_is_gone_leaves_nothing_behind(
    server: Any, until: Any, stream: bool
) -> None:
    text = "Yes. " * 19_000
    path, body = "/run/translate", dict[str, Any](text=text)
    if stream:
        path, body = "/v1/completions", dict(model="shakespeare", prompt=[text] * 4, stream=True)
    state, has_come = server.app.state.serving, threading.Event()
    state.preparing.submit(has_come.wait, 60)  # before which no slice begins
    with server.asking(path, body) as size:
        until(lambda: state.pending.used == size)
        has_come.set()
    until(lambda: state.pending.used == 0)
    assert state.preparing.submit(int).result(60) == 0  # no slice is left
    until(lambda: running(server) == 0)


def test_bytes_that_have_no_answer_yet_are_bounded(until: Any) -> None:
    with serving(["en-de"], Limits(pending=6000)) as server:
        pending = server.app.state.serving.pending
        with server.asking("/run/translate", ENDLESS) as size:
            until(lambda: pending.used == size > 3000)
            status, found, headers = server.ask("/run/translate", dict(text="x" * 2000))
            assert (status, headers["Retry-After"]) == (429, "2")
            assert found["detail"].startswith("the server is at capacity (")
            assert server.ask("/run/translate", dict(text="Yes."))[0] == 200
        until(lambda: pending.used == 0)


def test_a_long_body_is_refused_by_what_it_announces(server: Any) -> None:
    host, port = server.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as client:
        head = (
            f"POST /run/encode HTTP/1.1\r\nHost: {host}:{port}\r\n"
            "Connection: close\r\nContent-Length: 2000000\r\n\r\n"
        )
        client.sendall(head.encode())
        with client.makefile("rb") as stream:
            answer = stream.read().decode()
    assert answer.startswith("HTTP/1.1 413 ")
    assert "a request may have 1,048,576 bytes; this one has more: send less text." in answer


def test_a_body_that_does_not_come_is_408() -> None:
    with serving(["sentences"], body_seconds=0.2) as server:
        host, port = server.address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=10) as client:
            head = f"POST /run/encode HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: 9\r\n\r\n"
            client.sendall(head.encode() + b'{"te')
            assert client.recv(999).startswith(b"HTTP/1.1 408 ")


def test_the_log_has_no_text_of_a_user(
    server: Any, caplog: pytest.LogCaptureFixture, until: Any
) -> None:
    with caplog.at_level(logging.INFO, logger="regard.serving"):

        def logged() -> str:
            return "".join(map(JsonLines().format, caplog.records))

        server.ask("/run/translate", dict(text="My secret."))
        server.ask("/run/translate", dict(text="My secret.", beams="a secret"))
        server.ask("/a/secret/path?secret")
        until(lambda: '"status": 404' in logged())  # written once an answer has been sent
    assert '"status": 200' in logged()
    assert "secret" not in logged()


def test_what_is_logged_together_has_a_line_each() -> None:
    record = logging.LogRecord("x", logging.INFO, "x.py", 1, "answered", (), None)
    record.fields = [{"status": 200}, {"status": 404}]
    lines = [json.loads(line) for line in JsonLines().format(record).splitlines()]
    assert [line["status"] for line in lines] == [200, 404]
    assert lines[0]["time"] == lines[1]["time"]


def test_the_log_of_a_failure_has_its_place_and_not_its_words() -> None:
    try:
        raise ValueError("my secret")
    except ValueError as error:
        info: Any = (type(error), error, error.__traceback__)
        record = logging.LogRecord("x", logging.ERROR, "x.py", 1, "a step failed", (), info)
    line = JsonLines().format(record)
    assert "secret" not in line
    assert "ValueError" in line
    assert "test_lifecycle.py" in line
