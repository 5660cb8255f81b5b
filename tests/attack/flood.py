"""Many clients that send much text and are gone before the answer, and a good client beside them.

    python tests/attack/flood.py PORT CLIENTS AT_ONCE CHARACTERS
    python tests/attack/flood.py PORT [OTHER]

The first is the flood; the second, until its stdin closes, asks for /healthz every 20 ms and for
the translation of four words every second. Each is a process of its own, so that it measures the
server alone, and prints what it saw as JSON. OTHER is the port of a server that has nothing else to
do, to say how long others take to answer while the processors are as busy.
"""

import asyncio
import http.client
import json
import select
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from typing import Any

GONE = 1.0  # seconds from the connection of a client until it leaves
BETWEEN = 0.02  # seconds between two requests for /healthz
SENTENCE = "Yes. "
FOUR_WORDS = {"q": "Where is the station?", "source": "en", "target": "de"}
LONGEST = 60.0  # seconds until the good client gives up


def request(port: int, body: bytes) -> bytes:
    """A POST to /translate."""
    head = (
        f"POST /translate HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def flood(port: int, clients: int, at_once: int, characters: int) -> Counter[str]:
    """Counts of the answers that clients got before they left, by status."""
    text = (SENTENCE * (characters // len(SENTENCE) + 1))[:characters]
    content = request(port, json.dumps(FOUR_WORDS | {"q": text}).encode())
    answers, places = Counter[str](), asyncio.Semaphore(at_once)

    async def client() -> None:
        async with places:
            status = "nothing"
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(GONE):
                    reader, writer = await asyncio.open_connection("127.0.0.1", port)
                    try:
                        writer.write(content)
                        status = (await reader.readline())[9:12].decode() or "closed"
                        await reader.read()
                    finally:
                        writer.transport.abort()
            answers[status] += 1

    await asyncio.gather(*(client() for _ in range(clients)))
    return answers


def asked(port: int, path: str, body: dict[str, str] | None = None) -> tuple[int, float]:
    """The status of an answer, 0 for none, and the seconds until it came, by a new connection."""
    began, status = time.perf_counter(), 0
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONGEST)
    with suppress(OSError, http.client.HTTPException):
        kind = {"Content-Type": "application/json"}
        connection.request("POST" if body else "GET", path, body and json.dumps(body), kind)
        answer = connection.getresponse()
        answer.read()
        status = answer.status
    connection.close()
    return status, time.perf_counter() - began


def good_client(port: int, other: int | None = None) -> dict[str, list[tuple[int, float]]]:
    """The answers that a well-behaved client gets until stdin closes."""
    done = threading.Event()
    found: dict[str, list[tuple[int, float]]] = {}

    def ask(
        name: str, port: int, path: str, every: float, body: dict[str, str] | None = None
    ) -> None:
        its = found[name] = []
        while not done.is_set():
            its.append(asked(port, path, body))
            done.wait(max(0.0, every - its[-1][1]))

    wanted: list[tuple[Any, ...]] = [
        ("healthz", port, "/healthz", BETWEEN),
        ("translate", port, "/translate", 1.0, FOUR_WORDS),
    ]
    if other is not None:
        wanted.append(("other", other, "/", BETWEEN))
    threads = [threading.Thread(target=ask, args=each) for each in wanted]
    for each in threads:
        each.start()
    select.select([sys.stdin], [], [])
    done.set()
    for each in threads:
        each.join()
    return found


if __name__ == "__main__":
    port, *numbers = map(int, sys.argv[1:])
    if len(numbers) > 1:
        print(json.dumps(asyncio.run(flood(port, *numbers))))
    else:
        print(json.dumps(good_client(port, *numbers)))
