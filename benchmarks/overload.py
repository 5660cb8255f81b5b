"""`regard serve` when it is asked for ten times what it can do: refusals, answers, recovery.

    python benchmarks/overload.py
    python benchmarks/overload.py --texts 16
    python benchmarks/overload.py -- --workers 2

Clients that wait for each answer find the capacity. Then requests come at random times, `--times`
as many a second as that, whether or not earlier ones have been answered, and afterwards a quarter
of the capacity, as before the overload: a server that has recovered answers as before. Every
request has `--texts` English sentences for the shipped en-de in int8; connections are kept. The
queue holds `--waiting` texts, so that what is accepted does not wait long. A client that finds all
of `--connections` in use counts "not sent". What follows "--" are options of `regard serve`.

The clients run in `--processes` of their own, on the same cores as the server.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import statistics
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from serving import PAIRS, free_port, loaded, server

OTHERS = 0.25  # of the capacity: the load before and after


@dataclass
class Phase:
    """What clients saw: the seconds of each answer, by its status."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    sent: int = 0

    def add(self, status: str, seconds: float) -> None:
        self.seconds.setdefault(status, []).append(seconds)


class Connection(asyncio.Protocol):
    """One connection to the server; what answers is measured with as little work as possible."""

    def __init__(self, clients: "Clients"):
        self._clients = clients
        self.transport: asyncio.Transport | None = None
        self._began, self._received = 0.0, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def send(self, request: bytes) -> None:
        assert self.transport is not None
        self._began, self._received = time.perf_counter(), b""
        self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, end, body = self._received.partition(b"\r\n\r\n")
        if not end:
            return
        fields = head.lower()
        if len(body) < int(fields.partition(b"content-length:")[2].partition(b"\r\n")[0]):
            return
        status = head[9:12].decode()
        if status == "429" and b"retry-after:" not in fields:
            status = "429 without Retry-After"
        self._done(status)
        self._clients.free.append(self)

    def connection_lost(self, error: Exception | None) -> None:
        if self._began:
            self._done("connection lost")
        elif self in self._clients.free:
            self._clients.free.remove(self)
        self._clients.open -= 1

    def _done(self, status: str) -> None:
        self._clients.phase.add(status, time.perf_counter() - self._began)
        self._began = 0.0
        self._clients.running -= 1


class Clients:
    """Connections, opened before anything is measured and kept."""

    def __init__(self, port: int, bodies: list[bytes], most: int):
        self._most, self._port = most, port
        self._requests = [
            b"POST /run/translate HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type:"
            b" application/json\r\nContent-Length: %d\r\n\r\n%s" % (port, len(body), body)
            for body in bodies
        ]
        self.phase = Phase()
        self.free: list[Connection] = []
        self.open = self.running = 0

    def send(self, number: int) -> None:
        """A request, on a connection that is free."""
        if not self.free:
            self.phase.add("not sent", 0.0)
            return
        self.running += 1
        self.free.pop().send(self._requests[number % len(self._requests)])

    async def connect(self) -> None:
        """Opens all of them."""
        loop = asyncio.get_running_loop()
        while self.open < self._most:
            connection = Connection(self)
            await loop.create_connection(lambda each=connection: each, "127.0.0.1", self._port)
            self.free.append(connection)
            self.open += 1

    async def offered(self, rate: float, seconds: float, seed: int) -> Phase:
        """So many a second, for so long, and the answers to all of them."""
        await self.connect()
        rng, phase = random.Random(seed), self.phase
        due = began = time.perf_counter()
        while due < began + seconds:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            while due <= time.perf_counter():
                self.send(phase.sent)
                phase.sent += 1
                due += rng.expovariate(rate)
        while self.running:
            await asyncio.sleep(0.01)
        return phase

    def close(self) -> None:
        for connection in self.free:
            if connection.transport is not None:
                connection.transport.close()


def _in_a_process(arguments: tuple[int, list[bytes], int, float, float, int]) -> Phase:
    port, bodies, most, rate, seconds, seed = arguments

    async def run() -> Phase:
        clients = Clients(port, bodies, most)
        phase = await clients.offered(rate, seconds, seed)
        clients.close()
        return phase

    return asyncio.run(run())


def offered(
    pool: "multiprocessing.pool.Pool",
    port: int,
    bodies: list[bytes],
    most: int,
    rate: float,
    seconds: float,
) -> Phase:
    """What clients in several processes see together."""
    number: int = pool._processes  # type: ignore[attr-defined]
    work = [(port, bodies, most // number, rate / number, seconds, seed) for seed in range(number)]
    whole = Phase()
    for phase in pool.map(_in_a_process, work):
        whole.sent += phase.sent
        for status, its in phase.seconds.items():
            whole.seconds.setdefault(status, []).extend(its)
    return whole


def line(what: str, phase: Phase, seconds: float) -> str:
    """The figures."""
    counts = Counter({status: len(its) for status, its in phase.seconds.items()})
    parts = [f"{what:10}{phase.sent / seconds:8.0f} offered/s  {dict(counts)}"]
    for status, its in sorted(phase.seconds.items()):
        if len(its) > 1:
            cuts = statistics.quantiles(its, n=100)
            p50, p99, most = (1000 * each for each in (cuts[49], cuts[98], max(its)))
            parts.append(f"{status}: p50 {p50:.1f} ms, p99 {p99:.1f} ms, longest {most:.0f} ms")
    return "\n    ".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=float, default=10, help="the capacity")
    parser.add_argument("--seconds", type=float, default=20, help="of overload")
    parser.add_argument("--texts", type=int, default=1, help="sentences of a request")
    parser.add_argument("--waiting", type=int, default=256, help="texts of the queue")
    parser.add_argument("--connections", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=2, help="of clients")
    parser.add_argument("--data", type=Path, default=PAIRS)
    parser.add_argument("serve", nargs="*", help="options of regard serve, after --")
    options = parser.parse_args()
    lines = options.data.read_text(encoding="utf-8").splitlines()
    texts = list(dict.fromkeys(each.split("\t")[0] for each in lines))
    bodies = [
        json.dumps({"text": texts[k : k + options.texts], "num_beams": 1}).encode()
        for k in range(0, len(texts) - options.texts, options.texts)
    ]
    port = free_port()
    command = [sys.executable, "-m", "regard", "serve", "en-de", "--precision", "int8"]
    command += ["--port", str(port), "--waiting", str(options.waiting), *options.serve]
    with server(command, port) as process, multiprocessing.Pool(options.processes) as pool:
        closed = argparse.Namespace(clients=64, requests=10**6, seconds=10.0, beams=1)
        asyncio.run(loaded(port, closed, texts[:200]))
        load = asyncio.run(loaded(port, closed, texts))
        capacity = len(load.seconds) / load.took
        print(
            f"{len(os.sched_getaffinity(0))} cores, --waiting {options.waiting}"
            f" {' '.join(options.serve)}: {capacity:.0f} sentences/s by 64 clients; requests of"
            f" {options.texts}"
        )
        capacity /= options.texts
        normal = OTHERS * capacity
        for what, rate, seconds in (
            ("before", normal, 10.0),
            ("overload", options.times * capacity, options.seconds),
            ("after", normal, 10.0),
        ):
            print(
                line(
                    what, offered(pool, port, bodies, options.connections, rate, seconds), seconds
                ),
                flush=True,
            )
        print("the server runs" if process.poll() is None else f"code {process.poll()}")


if __name__ == "__main__":
    main()
