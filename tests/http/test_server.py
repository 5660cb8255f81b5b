"""Sockets, and connections that say nothing."""

import asyncio
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from fastapi import FastAPI

from regard.http import server
from regard.http.server import Server
from regard.http.sockets import bind


def test_a_short_answer_does_not_wait_for_the_one_before():
    async def accepted_without_delay() -> int:
        found = asyncio.get_running_loop().create_future()

        async def accepted(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            sock = writer.get_extra_info("socket")
            found.set_result(sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()
            await writer.wait_closed()

        listener = bind(0)
        async with await asyncio.start_server(accepted, sock=listener):
            _, writer = await asyncio.open_connection(*listener.getsockname())
            nodelay = await found
            writer.close()
            await writer.wait_closed()
        return nodelay

    assert asyncio.run(accepted_without_delay())


@contextmanager
def answering(app: FastAPI) -> Iterator[int]:
    """The port of a server in a thread."""
    with bind(0) as listener:
        running = Server(app, seconds=1)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            running.should_exit = True
            thread.join(20)


def test_a_server_may_have_as_many_connections_as_the_system_allows() -> None:
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 256), hard))
    try:
        with answering(FastAPI()) as port, socket.create_connection(("127.0.0.1", port)) as client:
            client.settimeout(20)
            client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert client.recv(8) == b"HTTP/1.1"
            assert resource.getrlimit(resource.RLIMIT_NOFILE) == (hard, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("ignored", [False, True])
def test_a_hangup_ends_it_well_unless_it_is_ignored(ignored: bool) -> None:
    app = FastAPI()
    ending = Server(app, seconds=1.0)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN if ignored else signal.SIG_DFL)
    try:
        with ending.capture_signals():
            if not ignored:  # or it would end the tests
                assert signal.getsignal(signal.SIGHUP) == ending.handle_exit
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert app.state.is_ending() is not ignored


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: "])
def test_a_connection_without_a_whole_head_is_closed(
    monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(server, "SILENT_SECONDS", 0.5)
    with answering(FastAPI()) as port, socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(sent)
        client.settimeout(20)
        assert client.recv(100) == b""


def test_one_that_waits_for_its_answer_or_for_the_next_request_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = FastAPI()

    @app.get("/slow")
    async def slow() -> None:
        monkeypatch.setattr(server, "SILENT_SECONDS", 0.2)  # once the first one has come
        await asyncio.sleep(1)

    with answering(app) as port, socket.create_connection(("127.0.0.1", port)) as client:
        client.settimeout(20)
        for _ in range(2):
            client.sendall(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
            got = b""
            while not got.endswith(b"null"):
                piece = client.recv(1000)
                assert piece
                got += piece
            assert got.startswith(b"HTTP/1.1 200 OK")
            time.sleep(1)
