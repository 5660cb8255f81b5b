"""What is measured of the machine itself."""

import asyncio
import os
import queue
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
from pathlib import Path

import numpy

from queueing.load import Connection, Running
from regard.tasks.loading import load

READS = """
import sys, time, numpy
data = numpy.ones(1 << 28, numpy.uint8)  # zeros would be one page
data.max()
began, times = time.perf_counter(), 0
while time.perf_counter() < began + float(sys.argv[1]):
    data.max()
    times += 1
print(times * len(data) / (time.perf_counter() - began))
"""


def bandwidth(processes: int, seconds: float = 1.0) -> float:
    """Bytes a second that so many processes read from memory, in sum."""
    command = [sys.executable, "-c", READS, str(seconds)]
    started = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(processes)
    ]
    return sum(float(each.communicate()[0]) for each in started)


def thread_seconds(times: int = 500) -> float:
    """Seconds from one thread to another that sleeps, both ways of a job: half of a round trip,
    without what the two compute."""
    todo: queue.Queue[Future[None] | None] = queue.Queue()

    def work() -> None:
        while (future := todo.get()) is not None:
            future.set_result(None)

    async def ask() -> float:
        began, used = time.perf_counter(), time.process_time()
        for _ in range(times):
            future: Future[None] = Future()
            todo.put(future)
            await asyncio.wrap_future(future)
        return (time.perf_counter() - began - (time.process_time() - used)) / times / 2

    thread = threading.Thread(target=work)
    thread.start()
    found = asyncio.run(ask())
    todo.put(None)
    thread.join()
    return max(found, 0.0)


def socket_seconds(server: Running, times: int = 300) -> float:
    """The same from a process to another, by requests that need no model."""

    async def ask() -> float:
        connection = Connection(server.port)
        await connection.post("/healthz", b"")
        began, used, theirs = time.perf_counter(), time.process_time(), server.http_seconds()
        for _ in range(times):
            await connection.post("/healthz", b"")
        took = time.perf_counter() - began
        computed = time.process_time() - used + server.http_seconds() - theirs
        await connection.close()
        return (took - computed) / times / 2

    return max(asyncio.run(ask()), 0.0)


def images_a_second(seconds: float = 1.0) -> float:
    """Images that one core classifies with digits, 64 at a time."""
    classifier = load("digits").run_by("native", precision="int8", threads=1)
    pixels = numpy.random.default_rng(1).random((64, 3, 28, 28), numpy.float32)
    model, times = classifier.packed, 0
    model(pixels)
    began = time.thread_time()
    while time.thread_time() - began < seconds:
        model(pixels)
        times += 1
    return times * len(pixels) / (time.thread_time() - began)


def processor() -> str:
    """The processor's name and what is on it."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    name = next(line.split(": ")[1] for line in lines if line.startswith("model name"))
    return f"{name}, {len(os.sched_getaffinity(0))} cores"
