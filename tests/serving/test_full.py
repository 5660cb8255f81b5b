"""A full server refuses requests before their bodies have come, and says when to retry."""

import logging
import socket
from types import SimpleNamespace
from typing import Any

import pytest

from regard.http.refusals import Busy
from regard.serving import logs
from regard.serving.served import Served

from .conftest import serving


class Threads:
    """A model's, whose queue of 6 texts has room or says when it may have."""

    def __init__(self, seconds: int | None):
        room = SimpleNamespace(most=6, has=lambda size: seconds is None, seconds=lambda: seconds)
        self.running = 4
        self.waiting = SimpleNamespace(room=room)


@pytest.mark.parametrize(
    ("queues", "requests", "expected"),
    [
        ([None], 0, None),
        ([7], 0, 7),
        ([7, None], 0, None),  # the other model takes texts
        ([7, 5], 0, 5),
        ([7, 5], 20, 5),
        ([7, 5], 19, 5),
    ],
)
def test_a_server_is_full_when_no_model_takes_more(
    queues: list[int | None], requests: int, expected: int | None
) -> None:
    models = {str(k): SimpleNamespace(threads=Threads(each)) for k, each in enumerate(queues)}
    served: Any = SimpleNamespace(models=models)
    if expected is None:
        Served.check_full(served, requests)
    else:
        with pytest.raises(Busy, match=f"retry in {expected} s"):
            Served.check_full(served, requests)


def test_requests_that_have_not_come_to_a_queue_count() -> None:
    served: Any = SimpleNamespace(models={"a": SimpleNamespace(threads=Threads(None))})
    served.models["a"].threads.waiting.room.seconds = lambda: 1
    Served.check_full(served, 9)
    with pytest.raises(Busy, match=r"at capacity \(10 requests\); retry in 1 s"):
        Served.check_full(served, 10)


def test_each_interface_is_refused_in_its_form_and_health_is_answered(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, until: Any
) -> None:
    def full(self: Served, requests: int) -> None:
        raise Busy("3 requests", 3)

    monkeypatch.setattr(Served, "check_full", full)
    now = SimpleNamespace(monotonic=lambda: 7.0, perf_counter=lambda: 7.0)
    monkeypatch.setattr(logs, "time", now)  # all within one second
    body = {"text": "I am so happy today!"}
    sentence = "the server is at capacity (3 requests); retry in 3 s."
    with serving(["emotions"]) as server, caplog.at_level(logging.WARNING, "regard.serving"):
        for path in ("/run/classify", "/translate", "/v1/embeddings"):
            status, found, headers = server.ask(path, body)
            assert (status, headers["Retry-After"]) == (429, "3")
            said = found.get("detail") or found["error"]
            assert (said["message"] if path.startswith("/v1") else said) == sentence
        assert server.ask("/healthz")[0] == 200
        host, port = server.address.removeprefix("http://").split(":")
        head = f"POST /run/classify HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: 9\r\n\r\n"
        with socket.create_connection((host, int(port)), timeout=10) as client:
            client.sendall(head.encode())  # and no body
            assert client.recv(999).startswith(b"HTTP/1.1 429 ")
        count = 'regard_requests_total{route="other",status="429"} 4.0'
        until(lambda: count in server.ask("/metrics")[1])
    logged = [each for each in caplog.records if each.getMessage() == "full"]
    assert logged[0].fields == {"refused": 1}  # type: ignore[attr-defined]
    assert len(logged) == 1  # one line a second, not one each
