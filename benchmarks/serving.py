"""A server under load: sentences a second, how long a client waits, and errors.

    python benchmarks/serving.py
    python benchmarks/serving.py --clients 64 --requests 10000 --seconds 300 --beams 5
    python benchmarks/serving.py --workers 1 2 --peers /path/to/python

Each client sends one English sentence, waits for its translation by the shipped en-de, and sends
the next, until all requests are sent or the seconds are over. The sentences are Tatoeba's
development set, again and again. Both sides run in int8 on this machine, whose processors the
clients use, too. "other" counts translations that are not what the first answer to the same
sentence was, in other company: a result that depends on its batch.

With --peers, the interpreter of another environment runs a server around CTranslate2 beside it
(peers/ctranslate2_server.py), with the same clients.
"""

import argparse
import asyncio
import json
import os
import platform
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import cycle, islice
from pathlib import Path

from regard.checkpoints import find_folder

PAIRS = Path(__file__).parents[2] / "shared" / "data" / "tatoeba_en_de" / "dev.tsv"
PEER = Path(__file__).parent / "peers" / "ctranslate2_server.py"


@dataclass
class Load:
    """What the clients saw."""

    seconds: list[float] = field(default_factory=list)  # of each request that was answered
    errors: dict[str, int] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    other: int = 0
    took: float = 0.0

    def failed(self, why: str) -> None:
        self.errors[why] = self.errors.get(why, 0) + 1

    def line(self) -> str:
        """The figures."""
        if len(self.seconds) < 2:
            return f"no answers; errors {self.errors}"
        cuts = statistics.quantiles(self.seconds, n=100)
        p50, p95, p99 = (1000 * cuts[k] for k in (49, 94, 98))
        errors = sum(self.errors.values())
        return (
            f"{len(self.seconds) / self.took:8.1f} sentences/s   p50 {p50:6.0f} ms   p95"
            f" {p95:6.0f} ms   p99 {p99:6.0f} ms   {len(self.seconds)} answers   {errors} errors"
            f" {self.errors or ''}   {self.other} other"
        )


async def client(port: int, bodies: Iterator[tuple[str, bytes]], end: float, load: Load) -> None:
    """Sends one request after the other on one connection."""
    reader = writer = None
    for text, body in bodies:
        if time.perf_counter() > end:
            break
        began = time.perf_counter()
        try:
            if writer is None:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
            head = (
                f"POST /run/translate HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type:"
                f" application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            )
            writer.write(head.encode() + body)
            assert reader is not None
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            length = int(head.split("content-length:")[1].split("\r\n")[0])
            answer = json.loads(await reader.readexactly(length))
            status = head.split()[1]
        except (OSError, asyncio.IncompleteReadError) as error:
            load.failed(type(error).__name__)
            reader = writer = None
            continue
        if status != "200":
            load.failed(status)
            continue
        load.seconds.append(time.perf_counter() - began)
        found = answer["results"][0]["translation"]
        load.other += load.texts.setdefault(text, found) != found
    if writer is not None:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


async def loaded(port: int, options: argparse.Namespace, texts: list[str]) -> Load:
    """All clients at once."""
    asked = [(text, json.dumps({"text": text, "num_beams": options.beams})) for text in texts]
    bodies = islice(cycle([(text, body.encode()) for text, body in asked]), options.requests)
    load, began = Load(), time.perf_counter()
    end = began + options.seconds
    await asyncio.gather(*(client(port, bodies, end, load) for _ in range(options.clients)))
    load.took = time.perf_counter() - began
    return load


@contextmanager
def server(command: list[str], port: int) -> Iterator[subprocess.Popen[bytes]]:
    """The process of a server, once it is ready."""
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            for _ in range(600):
                with suppress(OSError):
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5).close()
                    break
                if process.poll() is not None:
                    log.seek(0)
                    sys.exit(log.read().decode())
                time.sleep(0.2)
            yield process
        finally:
            process.terminate()
            process.wait(60)


@dataclass(frozen=True)
class Held:
    """What a process and its children hold, by /proc."""

    processes: int
    rss: float  # MB, of all of them; shared pages count in each
    pss: float  # MB, shared pages in equal parts
    own: float  # MB that no other process has
    files: int  # open descriptors
    threads: int
    seconds: float  # of processors, so far


def held(pid: int) -> Held:
    """What a process and its children hold now."""
    rss = pss = own = seconds = 0.0
    files, threads, pids = 0, 0, _tree(pid)
    for each in pids:
        folder = Path("/proc") / str(each)
        named = re.findall(r"^(\w+): +(\d+) kB$", (folder / "smaps_rollup").read_text(), re.M)
        sizes = {name: int(number) * 1024 / 1e6 for name, number in named}
        rss, pss = rss + sizes["Rss"], pss + sizes["Pss"]
        own += sizes["Private_Clean"] + sizes["Private_Dirty"]
        files += len(os.listdir(folder / "fd"))
        threads += len(os.listdir(folder / "task"))
        times = (folder / "stat").read_text().rpartition(")")[2].split()
        seconds += (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")
    return Held(len(pids), rss, pss, own, files, threads, seconds)


def _tree(pid: int) -> list[int]:
    children = (Path("/proc") / str(pid) / "task").glob("*/children")
    return [
        pid,
        *(each for file in children for k in file.read_text().split() for each in _tree(int(k))),
    ]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--beams", type=int, default=1)
    parser.add_argument("--workers", type=int, nargs="+", default=[1], help="of regard serve")
    parser.add_argument("--peers", help="interpreter that has ctranslate2, fastapi and uvicorn")
    parser.add_argument("--data", type=Path, default=PAIRS)
    options = parser.parse_args()
    lines = options.data.read_text(encoding="utf-8").splitlines()
    texts = list(dict.fromkeys(line.split("\t")[0] for line in lines))
    print(
        f"{platform.machine()}, {len(os.sched_getaffinity(0))} cores, regard"
        f" {version('regard')}; {options.clients} clients, {options.requests} requests,"
        f" {len(texts)} sentences, {options.beams} beams"
    )
    with tempfile.TemporaryDirectory() as name:
        folder, commands = Path(name) / "model", {}
        for workers in options.workers:
            port = free_port()
            ours = ["-m", "regard", "serve", "en-de", "--precision", "int8", "--port", str(port)]
            more = ["--workers", str(workers)] if workers > 1 else []
            commands[f"regard, {workers} process{'es' * (workers > 1)}"] = (
                [sys.executable, *ours, *more],
                port,
            )
        if options.peers:
            shutil.copytree(find_folder("en-de"), folder)
            file = folder / "config.json"
            # CTranslate2's converter takes this for granted of Pegasus, whose config.json lacks it.
            config = json.loads(file.read_text()) | {"normalize_embedding": False}
            file.write_text(json.dumps(config))
            port = free_port()
            commands["CTranslate2"] = [options.peers, str(PEER), str(folder), str(port)], port
        for what, (command, port) in commands.items():
            with server(command, port):
                warm = argparse.Namespace(**vars(options) | {"requests": 4 * options.clients})
                asyncio.run(loaded(port, warm, texts))
                load = asyncio.run(loaded(port, options, texts))
            print(f"{what:20}{load.line()}", flush=True)


if __name__ == "__main__":
    main()
