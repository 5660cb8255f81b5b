"""The short way of usual requests: it answers as the long way does, byte for byte."""

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest
from uvicorn.protocols.http.h11_impl import H11Protocol

from regard.http import shortcut
from regard.http.guard import Access
from regard.serving.decoding import Decoding
from regard.serving.limits import Limits
from regard.serving.served import Served

from .conftest import ENDLESS, serving

TEXT = "The house is small."
SLOW = dict(text=["I would like to drink a cup of tea with my friends."] * 40, num_beams=6)


@pytest.fixture
def long_way(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What went the long way."""
    seen, received = list[bytes](), H11Protocol.data_received

    def data_received(self: H11Protocol, data: bytes) -> None:
        seen.append(data)
        received(self, data)

    monkeypatch.setattr(H11Protocol, "data_received", data_received)
    return seen


class Client:
    """A connection to a server, as most programs have one."""

    def __init__(self, server: Any):
        self.host = server.address.removeprefix("http://")
        name, port = self.host.split(":")
        self.socket = socket.create_connection((name, int(port)), timeout=30)
        self.stream = self.socket.makefile("rb")

    def close(self) -> None:
        self.stream.close()
        self.socket.close()

    def request(self, path: str, body: bytes, **headers: str) -> bytes:
        named = {"Content-Type": "application/json", "Host": self.host} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in named.items())
        head = f"POST {path} HTTP/1.1\r\n{lines}Content-Length: {len(body)}\r\n\r\n"
        return head.encode() + body

    def answer(self) -> tuple[bytes, bytes]:
        """Head and body of the next answer, but for the time."""
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = self.stream.readline()
            assert line, "the connection has ended"
            head += line
        length = re.search(rb"content-length: (\d+)", head)
        assert length is not None
        return re.sub(rb"date: [^\r]+", b"date:", head), self.stream.read(int(length[1]))

    def ask(self, path: str, body: bytes, **headers: str) -> tuple[bytes, bytes]:
        self.socket.sendall(self.request(path, body, **headers))
        return self.answer()


@pytest.fixture
def client(server: Any) -> Iterator[Client]:
    with closing(Client(server)) as found:
        yield found


def sent(**fields: Any) -> bytes:
    return json.dumps(fields).encode()


TRANSLATE = ("/run/translate", sent(text=TEXT, num_beams=1))
GOOD = [
    TRANSLATE,
    ("/run/translate", sent(text=[TEXT, "", "Where is Zoë?"], alternatives=2)),
    ("/run/translate", sent(text="A dog. A cat.", sentences=True, alignment="output")),
    ("/run/translate", sent(text=" ".join([TEXT] * 60))),  # is not tokenized at once
    ("/run/classify", sent(text="I am so happy today!", top_k=2)),
    ("/run/encode", sent(text=["x", TEXT])),
    ("/run/generate", sent(text="ROMEO:", model="shakespeare", max_new_tokens=8, seed=3)),
    (
        "/run/generate",
        sent(text="ROMEO:", model="shakespeare", max_new_tokens=5, stop=["e"], seed=1),
    ),
    ("/v1/embeddings", sent(model="sentences", input=TEXT)),
]
BAD = [
    ("/run/translate", b"no JSON", 422),
    ("/run/translate", b"[" * 3000, 400),
    ("/run/translate", b'["a list"]', 422),
    ("/run/translate", b"", 422),
    ("/run/translate", sent(num_beams=1), 422),
    ("/run/translate", sent(text=3), 422),
    ("/run/translate", sent(text=TEXT, num_beams=0), 422),
    ("/run/translate", sent(text=TEXT, beams=3), 422),
    ("/run/translate", sent(text=TEXT, model="no"), 400),
    ("/run/translate", sent(text=TEXT, source_language="fr"), 400),
    ("/run/translate", sent(text="\ud800"), 400),
    ("/run/translate", sent(text="यह घर बहुत छोटा है।"), 400),
    ("/run/translate", sent(text="x" * 101_000), 413),
    ("/run/translate", sent(text="y" * 2_000_000), 413),
    ("/run/translate", sent(timeout=0.001, **SLOW), 504),
    ("/run/classify", sent(text="x", text_pair=["y", "z"]), 400),
    ("/run/answer", sent(question="x", context="y"), 400),
    ("/v1/completions", sent(model="gpt-4", prompt="x"), 404),
    ("/run/nothing", sent(text=TEXT), 404),
]


@pytest.mark.parametrize(("path", "body"), GOOD)
def test_a_usual_request_takes_the_short_way_to_the_same_bytes(
    client: Client, long_way: list[bytes], path: str, body: bytes
) -> None:
    answer = client.ask(path, body)
    assert answer[0].startswith(b"HTTP/1.1 200 OK\r\n")
    assert not long_way
    assert client.ask(path, body, X_Unusual="yes") == answer
    assert long_way


@pytest.mark.parametrize(("path", "body", "status"), BAD)
def test_a_refusal_has_the_same_bytes(client: Client, path: str, body: bytes, status: int) -> None:
    answer = client.ask(path, body)
    assert answer[0].startswith(b"HTTP/1.1 %d " % status)
    if status != 413 or len(body) < 2**20:  # after which the connection is closed
        assert client.ask(path, body, X_Unusual="yes") == answer
        assert client.ask(*TRANSLATE)[0].startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/plain"},
        {"Origin": "http://evil.example"},
        {"Host": "evil.example"},
        {"Connection": "close"},
        {"Expect": "100-continue"},
        {"Transfer-Encoding": "chunked"},
        {"X-Forwarded-For": "10.0.0.1"},
        {"Content-Type": "application/json", "content-type": "text/plain"},
    ],
)
def test_an_unusual_head_goes_the_long_way(
    client: Client, long_way: list[bytes], headers: dict[str, str]
) -> None:
    client.socket.sendall(client.request(*TRANSLATE, **headers) + b"\r\n")  # of a first chunk
    assert client.stream.readline().startswith(b"HTTP/1.1 ")
    assert long_way


def test_requests_of_a_connection_are_answered_in_turn(client: Client) -> None:
    short, slow = client.ask(*TRANSLATE), client.ask(*GOOD[1])
    health = f"GET /healthz HTTP/1.1\r\nHost: {client.host}\r\n\r\n".encode()
    requests = [client.request(*GOOD[1]), client.request(*TRANSLATE), health] * 3
    client.socket.sendall(b"".join(requests))
    answers = [client.answer() for _ in requests]
    assert answers[0::3] == [slow] * 3
    assert answers[1::3] == [short] * 3
    assert {body for _, body in answers[2::3]} == {b'{"status":"ok"}'}


def test_a_body_may_come_by_itself_or_slowly(
    client: Client, long_way: list[bytes], monkeypatch: pytest.MonkeyPatch, until: Any
) -> None:
    path, body = TRANSLATE
    expected, request = client.ask(path, body), client.request(path, body)
    head = len(request) - len(body)
    client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    monkeypatch.setattr(shortcut, "PART_SECONDS", 60)
    client.socket.sendall(request[:head])
    time.sleep(0.01)
    client.socket.sendall(request[head:])
    assert client.answer() == expected
    assert not long_way
    monkeypatch.setattr(shortcut, "PART_SECONDS", 0.05)
    for end in (head, head + 5, len(request)):
        client.socket.sendall(request[len(b"".join(long_way)) : end])
        until(lambda end=end: len(b"".join(long_way)) == end)
    assert client.answer() == expected
    assert b"".join(long_way) == request


def test_what_a_client_no_longer_waits_for_is_ended(
    server: Any, long_way: list[bytes], until: Callable[[Callable[[], bool]], None]
) -> None:
    threads, pending = server.served.models["en-de"].threads, server.app.state.serving.pending
    with closing(Client(server)) as client:
        client.socket.sendall(client.request("/run/translate", sent(**ENDLESS)))
        until(lambda: threads.used > 0)
    until(lambda: threads.used == len(threads.waiting) == pending.used == 0)
    assert not long_way
    gone = 'regard_requests_total{route="/run/translate",status="499"}'
    until(lambda: gone in server.ask("/metrics")[1])


def test_a_request_that_waits_at_the_end_is_answered(
    long_way: list[bytes], monkeypatch: pytest.MonkeyPatch, until: Any
) -> None:
    ending, end, shutdown = threading.Event(), Decoding._end, shortcut.Protocol.shutdown

    def wait(self: Decoding, job: Any, hypotheses: Any) -> None:
        assert ending.wait(60)
        end(self, job, hypotheses)

    def shut(self: shortcut.Protocol) -> None:
        shutdown(self)
        ending.set()

    monkeypatch.setattr(Decoding, "_end", wait)
    monkeypatch.setattr(shortcut.Protocol, "shutdown", shut)
    with serving(["en-de"]) as server:
        client = Client(server)
        client.socket.sendall(client.request(*TRANSLATE))
        until(lambda: server.app.state.serving.pending.used > 0)
    assert client.answer()[0].startswith(b"HTTP/1.1 200 ")
    assert client.stream.read() == b""
    assert not long_way
    client.close()


def test_a_full_server_refuses_in_the_same_words() -> None:
    with serving(["sentences"], Limits(pending=9)) as server, closing(Client(server)) as client:
        answer = client.ask("/run/encode", sent(text="x"))
        assert answer[0].startswith(b"HTTP/1.1 429 ")
        assert b"retry-after: 2\r\n" in answer[0]
        assert client.ask("/run/encode", sent(text="x"), X_Unusual="yes") == answer


def test_a_key_is_compared_on_both_ways(long_way: list[bytes]) -> None:
    access = Access("secret", loopback=False)
    encode = ("/run/encode", sent(text="x"))
    with serving(["sentences"], access=access) as server, closing(Client(server)) as client:
        assert client.ask(*encode, Authorization="Bearer secret")[0].startswith(b"HTTP/1.1 200 ")
        assert not long_way
        for headers in ({}, {"Authorization": "Bearer wrong"}):
            answer = client.ask(*encode, **headers)
            assert answer[0].startswith(b"HTTP/1.1 401 ")
            assert client.ask(*encode, X_Unusual="yes", **headers) == answer


def test_a_failure_is_logged_and_said(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, until: Any
) -> None:
    def fail(*arguments: Any, **options: Any) -> None:
        raise ZeroDivisionError("a secret")

    monkeypatch.setattr(Served, "model", fail)
    head, body = client.ask(*TRANSLATE)
    assert head.startswith(b"HTTP/1.1 500 Internal Server Error\r\n")
    assert body == client.ask(*TRANSLATE, X_Unusual="yes")[1]
    until(lambda: sum("Exception in ASGI" in line for line in caplog.messages) == 2)


def test_requests_on_both_ways_are_counted(client: Client, server: Any, until: Any) -> None:
    def counted() -> float:
        name = 'regard_requests_total{route="/run/translate",status="200"} '
        return float(server.ask("/metrics")[1].partition(name)[2].partition("\n")[0] or 0)

    client.ask(*TRANSLATE)
    before = counted()
    client.ask(*TRANSLATE)
    client.ask(*TRANSLATE, X_Unusual="yes")
    until(lambda: counted() == before + 2)  # by the long way, once the answer has been sent


def test_many_clients_get_the_answers_of_one(server: Any) -> None:
    texts = [f"{TEXT} {number} dogs." for number in range(20)]
    bodies = [sent(text=text, num_beams=beams) for text in texts for beams in (1, 3)]
    with closing(Client(server)) as client:
        alone = [client.ask("/run/translate", body) for body in bodies]
    found: dict[int, Any] = {}

    def asked(k: int) -> None:
        with closing(Client(server)) as each:
            found[k] = [each.ask("/run/translate", body) for body in bodies[k:] + bodies[:k]]

    threads = [threading.Thread(target=asked, args=(k,)) for k in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[k] for k in range(12)] == [alone[k:] + alone[:k] for k in range(12)]
