"""Real clients of a real server, which runs as a process of its own on the same machine."""

import asyncio
import gc
import json
import random
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from queueing.clients import Seen

Body = bytes
OPEN = 128  # connections before the first request that comes at random


@dataclass(frozen=True)
class Running:
    """A server that is ready."""

    port: int
    pid: int
    started: float  # seconds until it was ready

    def http_seconds(self) -> float:
        """Seconds that the thread that answers HTTP, which is the first, has computed."""
        file = Path(f"/proc/{self.pid}/task/{self.pid}/schedstat")
        return int(file.read_text().split()[0]) / 1e9


@contextmanager
def running(model: str, *options: str) -> Iterator[Running]:
    """`regard serve MODEL --precision int8`, until the end of the block."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = int(listener.getsockname()[1])
    command = [sys.executable, "-m", "regard", "serve", model, "--precision", "int8"]
    began = time.perf_counter()
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [*command, "--port", str(port), *options], stdout=log, stderr=log
        )
        try:
            while True:
                with suppress(OSError):
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5).close()
                    break
                if process.poll() is not None:
                    log.seek(0)
                    sys.exit(log.read().decode())
                time.sleep(0.05)
            yield Running(port, process.pid, time.perf_counter() - began)
        finally:
            process.terminate()
            process.wait(60)


class Connection:
    """One connection, kept open."""

    def __init__(self, port: int):
        self.port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Where to read and to write."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self.port)
        return self._streams

    async def post(self, path: str, body: Body) -> int:
        """The status of an answer, which is read whole."""
        reader, writer = await self.open()
        head = (
            f"{'POST' if body else 'GET'} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        answer = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(answer.split("content-length:")[1].split("\r\n")[0])
        json.loads(await reader.readexactly(length))
        return int(answer.split()[1])

    async def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            with suppress(OSError):
                await self._streams[1].wait_closed()


async def in_turn(
    port: int, path: str, bodies: Sequence[Body], clients: int, requests: int
) -> Seen:
    """Clients that each send one request after the other."""
    seen, began = Seen(), time.perf_counter()

    async def client() -> None:
        connection = Connection(port)
        while seen.sent < requests:
            body = bodies[seen.sent % len(bodies)]
            seen.sent += 1
            await _sent(connection, path, body, time.perf_counter(), seen)
        await connection.close()

    await asyncio.gather(*(client() for _ in range(clients)))
    seen.took = time.perf_counter() - began
    return seen


async def at_random(
    port: int, path: str, bodies: Sequence[Body], rate: float, requests: int, seed: int = 1
) -> Seen:
    """Requests that come at random, so many a second, each on a connection that is free."""
    seen, draw = Seen(), random.Random(seed)
    free = [Connection(port) for _ in range(OPEN)]
    for connection in free:
        await connection.open()

    async def one(body: Body, due: float) -> None:
        connection = free.pop() if free else Connection(port)
        await _sent(connection, path, body, due, seen)
        free.append(connection)

    began = time.perf_counter()
    gc.disable()  # the clients' own pauses are not to be measured
    due, tasks = began, []
    for number in range(requests):
        due += draw.expovariate(rate)
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        seen.sent += 1
        tasks.append(asyncio.ensure_future(one(bodies[number % len(bodies)], due)))
    await asyncio.gather(*tasks)
    gc.enable()
    seen.took = time.perf_counter() - began
    for connection in free:
        await connection.close()
    return seen


async def _sent(connection: Connection, path: str, body: Body, began: float, seen: Seen) -> None:
    status = await connection.post(path, body)
    if status == 200:
        seen.seconds.append(time.perf_counter() - began)
    elif status == 429:
        seen.refused += 1
    else:
        sys.exit(f"{path} was answered with status {status}.")
