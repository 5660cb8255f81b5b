"""Clients that mean harm: meanwhile and afterwards the server answers others as before, soon."""

import asyncio
import http.client
import json
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from attack import flood
from attack.forks import Child, Row, in_child, scratch
from fuzz.mutations import damaged
from fuzz.requests import HTTP, NAMES, SEARCH, serve_folder
from fuzz.small_models import TEXT

LONGEST = 15.0  # seconds until a good request is answered, a fresh connection included
CLOSED = 14.0  # seconds until the server has closed a connection that says too little
AT_ONCE = 16

GOOD = [
    ("/run/classify", {"text": [TEXT, "a"]}),
    ("/run/encode", {"text": TEXT}),
    ("/run/translate", {"text": TEXT} | SEARCH),
    ("/v1/completions", {"model": "writer", "prompt": "ab", "max_tokens": 3, "temperature": 0}),
]


@dataclass
class Server:
    """A server and what it answers to good requests."""

    child: Child
    port: int
    answers: dict[str, bytes] = field(default_factory=dict)
    asked: int = 0
    longest: float = 0.0
    wrong: list[str] = field(default_factory=list)

    def ask_well(self) -> None:
        """Each of the good requests; notes the time, and an answer that is another one."""
        for path, body in GOOD:
            started = time.monotonic()
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONGEST)
                kind = {"Content-Type": "application/json"}
                connection.request("POST", path, json.dumps(body), kind)
                response = connection.getresponse()
                content, status = response.read(), response.status
                connection.close()
            except (OSError, http.client.HTTPException) as error:
                self.wrong.append(f"{path}: {error!r}")
                continue
            self.asked += 1
            self.longest = max(self.longest, time.monotonic() - started)
            if path == "/v1/completions":  # its id and time are new each time
                content = str(json.loads(content).get("choices")).encode()
            if status != 200 or self.answers.setdefault(path, content) != content:
                self.wrong.append(f"{path}: {status} {content[:200]!r}")

    def talk(self, content: bytes, *, seconds: float = 2.0, leave: bool = False) -> bytes:
        """Sends bytes and reads what comes until it ends, or for this time."""
        with suppress(ConnectionError, TimeoutError), self.connected(seconds) as connection:
            connection.sendall(content.replace(b"PORT", str(self.port).encode()))
            if leave:
                return b""
            return b"".join(iter(lambda: connection.recv(2**16), b""))
        return b""

    @contextmanager
    def connected(self, seconds: float) -> Iterator[socket.socket]:
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as connection:
            yield connection

    def resident(self) -> float:
        """MB."""
        pages = int(Path(f"/proc/{self.child.pid}/statm").read_text().split()[1])
        return pages * 4096 / 1e6

    def files(self) -> int:
        """That it has open, connections included."""
        return len(list(Path(f"/proc/{self.child.pid}/fd").iterdir()))


@contextmanager
def serving() -> Iterator[Server]:
    """`regard serve` with small models, in a child."""
    with scratch() as folder:
        in_child(lambda: serve_folder(folder))
        places = [folder / name for name in NAMES.values()]

        command = ["serve", "--port", 0, "--max-new-tokens", 8, "--timeout", 10, *places]
        child = Child(command, folder / "said")
        end = time.monotonic() + 60
        while "http://" not in child.said and time.monotonic() < end:
            time.sleep(0.05)
        port = int(child.said.partition("http://127.0.0.1:")[2].split()[0])
        server = Server(child, port)
        try:
            while not server.answers and time.monotonic() < end:
                server.ask_well()
            server.wrong.clear()
            server.asked, server.longest = 0, 0.0
            yield server
        finally:
            child.send(signal.SIGTERM)
            child.wait()


Hostile = Callable[[Server, Random], str]  # what went wrong, or nothing


def attack(server: Server, what: str, tries: int, hostile: Hostile, seed: int) -> Row:
    """So many tries, several at once, while good requests are asked."""
    row, done = Row(f"clients: {what}"), threading.Event()
    server.asked, server.longest = 0, 0.0

    def ask() -> None:
        while not done.is_set():
            server.ask_well()
            done.wait(0.05)

    asking = threading.Thread(target=ask)
    asking.start()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for failure in pool.map(lambda k: hostile(server, Random(seed + k)), range(tries)):
            row.tries += 1
            row.expect(not failure, failure)
    done.set()
    asking.join()
    row.failures += server.wrong
    server.wrong.clear()
    row.what += f" ({server.asked} good ones in {server.longest:.1f} s at most)"
    row.expect(server.longest < LONGEST, "a good request waited too long")
    row.expect(server.asked > 0, "no good request was answered")
    return row


def junk(server: Server, random: Random) -> str:
    """Requests with any bytes changed, and bytes that are no request."""
    content = random.choice(list(HTTP.values())).encode()
    if random.random() < 0.3:
        content = random.randbytes(random.randint(1, 300)) + b"\r\n\r\n"
    answer = server.talk(damaged(content, random), seconds=0.05)
    return _failure(answer)


HEAD = b"Host: 127.0.0.1:PORT\r\nContent-Type: application/json\r\n"
POST = b"POST /run/encode HTTP/1.1\r\n" + HEAD


def huge_head(server: Server, random: Random) -> str:
    """A head of up to a megabyte: one long line, or many."""
    size = random.randint(2**16, 2**20)
    line = b"A: " + b"a" * size if random.random() < 0.5 else b"A: b\r\n" * (size // 6) + b"A: b"
    answer = server.talk(POST + line + b"\r\n\r\n")
    return "" if answer[9:10] in (b"4", b"") else f"answered {answer[:100]!r}"


def broken_chunks(server: Server, random: Random) -> str:
    """Chunks whose sizes are no numbers, too large, negative or do not fit."""
    sizes = [
        b"zz",
        b"-1",
        b"ffffffffffffffffffff",
        b"",
        b"0x7",
        b"7;a=" + b"b" * 5000,
        b"\x00",
        b"6",
    ]
    chunk = random.choice(sizes) + b"\r\n" + b'{"text"' + random.choice([b"\r\n", b"", b"\n"])
    body = b'7\r\n{"text"\r\n' * random.randint(0, 3) + chunk
    answer = server.talk(POST + b"Transfer-Encoding: chunked\r\n\r\n" + body, seconds=0.3)
    return _failure(answer)


def wrong_length(server: Server, random: Random) -> str:
    """A length that is not the body's, no length, or several."""
    lengths = [
        b"-1",
        b"1e3",
        b"9" * 5000,
        b"\xb2",
        b" ",
        b"+5",
        b"0",
        b"5",
        b"40",
        b"13, 14",
        b"0x9",
    ]
    named = b"".join(
        b"Content-Length: " + random.choice(lengths) + b"\r\n" for _ in range(random.randint(1, 2))
    )
    more = random.choice([b"", b"Transfer-Encoding: chunked\r\n"])
    answer = server.talk(POST + named + more + b'\r\n{"text": "a"}', seconds=0.3)
    return _failure(answer)


def gone(server: Server, random: Random) -> str:
    """Clients that go in the middle of a request, or before or in the answer."""
    body = json.dumps({"model": "writer", "prompt": TEXT, "stream": True, "max_tokens": 8}).encode()
    head = b"POST /v1/completions HTTP/1.1\r\n" + HEAD
    request = head + b"Content-Length: %d\r\n\r\n" % len(body) + body
    if random.random() < 0.5:
        request = request[: random.randrange(len(request))]
    server.talk(request, leave=random.random() < 0.7, seconds=0.01)
    return ""


def bombs(server: Server, random: Random) -> str:
    """JSON that is deep, long or ambiguous, within the size that a body may have."""
    deep = random.choice([10**3, 10**5, 5 * 10**5])
    body = random.choice(
        [
            b"[" * deep + b"]" * deep,
            b'{"text":' * (deep // 10) + b"1" + b"}" * (deep // 10),
            b'{"text": "a", "timeout": ' + b"9" * random.choice([400, 5000, 10**5]) + b"}",
            b'{"text": "a", "timeout": 1e999}',
            b'{"text": "a", "timeout": NaN}',
            b'{"text": "a", "timeout": 1e-320}',
            b'{"text": "b", "text": "a"}',
            b"{" + b",".join(b'"%d": 1' % k for k in range(10**5))[: 2**19] + b": 1}",
            b'{"text": [' + b'"a",' * 10**5 + b'"a"]}',
            b'{"text": "' + b"a " * 2**18 + b'"}',
            b'{"text": "\\ud800"}',
            b'{"text": "\xff"}',
            b'{"text": "a", "model": ' + b'"\\u0000' + b"a" * 10**5 + b'"}',
        ]
    )
    path = random.choice([b"/run/encode", b"/run/translate", b"/run/classify", b"/translate"])
    head = b"POST " + path + b" HTTP/1.1\r\n" + HEAD + b"Connection: close\r\n"
    answer = server.talk(head + b"Content-Length: %d\r\n\r\n" % len(body) + body, seconds=30.0)
    return _failure(answer) if answer else "no answer"


def slowly(server: Server, number: int, start: bytes, piece: bytes, what: str) -> Row:
    """Clients that say a little at a time and are never done: the server ends the connections."""
    row = Row(f"clients: {what}")
    server.asked, server.longest = 0, 0.0
    held = []
    for _ in range(number):
        with suppress(OSError):
            connection = socket.create_connection(("127.0.0.1", server.port), timeout=5)
            connection.sendall(start.replace(b"PORT", str(server.port).encode()))
            held.append(connection)
    end, open_ones = time.monotonic() + CLOSED, held
    while open_ones and time.monotonic() < end:
        server.ask_well()
        open_ones = [each for each in open_ones if _goes_on(each, piece)]
        time.sleep(0.2)
    for connection in held:
        connection.close()
    row.tries = number
    row.expect(not open_ones, f"{len(open_ones)} of {number} are open after {CLOSED:g} s")
    row.failures += server.wrong
    server.wrong.clear()
    row.what += f" ({server.asked} good ones in {server.longest:.1f} s at most)"
    row.expect(server.longest < LONGEST, "a good request waited too long")
    return row


def _goes_on(connection: socket.socket, piece: bytes) -> bool:
    """Sends a piece; False once the server has closed the connection."""
    try:
        if piece:
            connection.sendall(piece)
        connection.setblocking(False)
        said = connection.recv(2**16)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        with suppress(OSError):
            connection.settimeout(5)
    # After an answer the connection may stay for the next request, as any does.
    return bool(said) and b" 408 " not in said[:20]


def _failure(answer: bytes) -> str:
    # 504: the request named no time, or took more than the server's, as long texts do.
    is_failure = answer[9:10] == b"5" and answer[9:12] != b"504"
    return f"answered {answer[:200]!r}" if is_failure else ""


def flooded(server: Server, clients: int) -> Row:
    """Clients with a megabyte of text each that are gone after a second."""
    row = Row("clients: floods of text", clients)
    server.asked, server.longest = 0, 0.0
    flooding = threading.Thread(
        target=lambda: asyncio.run(flood.flood(server.port, clients, AT_ONCE * 16, 10**6))
    )
    flooding.start()
    while flooding.is_alive():
        server.ask_well()
    flooding.join()
    row.failures += server.wrong
    server.wrong.clear()
    row.what += f" ({server.asked} good ones in {server.longest:.1f} s at most)"
    row.expect(server.longest < LONGEST, "a good request waited too long")
    return row


MANY = (
    ("10,000 requests of junk", junk, 10_000),
    ("huge heads", huge_head, 200),
    ("broken chunks", broken_chunks, 1000),
    ("wrong lengths", wrong_length, 1000),
    ("gone in the middle", gone, 1000),
    ("JSON bombs", bombs, 300),
)


def hostile_clients(short: bool, seed: int) -> Iterator[Row]:
    """Every kind of client in turn, against one server."""
    with serving() as server:
        files, resident = server.files(), server.resident()
        for what, hostile, tries in MANY:
            what = what.removeprefix("10,000 ")
            yield attack(server, what, tries // 100 if short else tries, hostile, seed)
        yield flooded(server, 100 if short else 10_000)
        if not short:
            length = b"Content-Length: 100000\r\n\r\n"
            yield slowly(server, 200, POST + length, b"a", "slow bodies")
            yield slowly(server, 200, POST, b"A: b\r\n", "slow heads")
            yield slowly(server, 1000, b"", b"", "1,000 silent connections")
        after = Row("clients: the server afterwards")
        server.ask_well()
        after.tries = len(GOOD)
        after.failures += server.wrong
        for _ in range(100):
            if server.files() <= files + 5:
                break
            time.sleep(0.2)
        after.expect(server.files() <= files + 5, f"{server.files()} files, {files} before")
        grown = server.resident() - resident
        after.what += f" ({grown:+.0f} MB)"
        after.expect(grown < 500, f"{grown:.0f} MB more")
        said = server.child.said
        after.expect("Traceback" not in said, said[said.find("Traceback") :][:800])
        yield after
