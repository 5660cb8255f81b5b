"""`regard serve --workers`: several processes answer as one, and one that dies is replaced."""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")

TEXTS = ["Tom is reading a book.", "The house is small.", "Where is the station?", "Yes."]
LONG = ["I would like to drink a cup of tea with my friends in the garden."] * 40
STREAMED, TOKENS = 400, 120  # texts, and tokens of each


def command_line(pid: str) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text()
    return ""


class Command:
    """`regard serve` as a process, with its workers."""

    def __init__(self, process: "subprocess.Popen[str]", address: str):
        self.process, self.address = process, address
        self.port = int(address.rpartition(":")[2])

    def ask(self, path: str, body: Any = None) -> tuple[int, Any, Any]:
        """Status, content and headers of an answer."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.address + path, data, {"Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return answer.status, answer.read().decode(), answer.headers
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode(), error.headers
        except (urllib.error.URLError, ConnectionError, http.client.HTTPException):
            return 0, "", {}  # the connection has ended

    def translated(self, text: str) -> tuple[int, Any]:
        status, content, _ = self.ask("/run/translate", dict(text=text, num_beams=2))
        return status, json.loads(content)["results"][0]["translation"] if status == 200 else None

    def count(self, name: str) -> float:
        """The sum of a metric over its labels."""
        lines = re.findall(rf"^{name}(?:{{.*}})? (\S+)$", self.ask("/metrics")[1], re.M)
        return sum(map(float, lines))

    @property
    def workers(self) -> list[int]:
        """Their processes."""
        files = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        children = [child for file in files for child in file.read_text().split()]
        # Python has a process of its own beside them.
        return sorted(int(each) for each in children if "spawn_main" in command_line(each))

    @contextmanager
    def stream(self) -> Iterator[http.client.HTTPResponse]:
        """Texts that have begun to be streamed, too many to be sent before they are read."""
        prompts = ["ROMEO:"] * STREAMED
        body = dict(model="shakespeare", prompt=prompts, seed=3, max_tokens=TOKENS, stream=True)
        headers = {"Content-Type": "application/json"}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        with closing(connection):
            connection.request("POST", "/v1/completions", json.dumps(body), headers)
            with connection.getresponse() as answer:
                assert answer.readline().startswith(b"data: {")
                yield answer


@contextmanager
def command(*models: str, **environment: str) -> Iterator[Command]:
    arguments = [*models, "--port", "0", "--workers", "2"]
    with tempfile.TemporaryFile() as log:  # a pipe that is not read would be full one day
        process = subprocess.Popen(
            [sys.executable, "-m", "regard", "serve", *arguments],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env=os.environ | {"OMP_NUM_THREADS": "2"} | environment,
        )
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            log.seek(0)
            assert line, log.read().decode()
            yield Command(process, line.split()[0])
        finally:
            process.kill()
            process.communicate()


@pytest.fixture(scope="module")
def several() -> Iterator[Command]:
    with command("en-de", "shakespeare") as running:
        yield running


def dead(pids: Sequence[int]) -> bool:
    return not any(Path(f"/proc/{pid}").exists() for pid in pids)


def ready(server: Command) -> Callable[[], bool]:
    return lambda: server.count("regard_processes") == 2


def test_answers_are_those_of_one_process(several: Command, server: Any, until: Any) -> None:
    asked = [(f"{text} {k}", k) for k in range(2) for text in TEXTS]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda each: several.translated(each[0]), asked))
    alone = [server.ask("/run/translate", dict(text=text, num_beams=2)) for text, _ in asked]
    assert found == [(200, answer["results"][0]["translation"]) for _, answer, _ in alone]
    body = dict(model="shakespeare", prompt="JULIET:", seed=11, max_tokens=30, temperature=0.8)
    with ThreadPoolExecutor(4) as pool:
        written = pool.map(lambda _: several.ask("/v1/completions", body)[1], range(4))
    expected = server.ask("/v1/completions", body)[1]["choices"]
    assert all(json.loads(each)["choices"] == expected for each in written)
    assert several.ask("/readyz")[0] == 200
    until(ready(several))
    assert len(several.workers) == 2


def test_refusals_are_those_of_one_process(several: Command, server: Any) -> None:
    asked: list[tuple[str, Any]] = [
        ("/nothing?x=%20%C3%BC", None),
        ("/run/translate", dict(text=[])),
        ("/run/translate", dict(text="x", beams=3)),
        ("/v1/completions", dict(model="no", prompt="x")),
        ("/translate", dict(q="x", source="en", target="xx")),
        ("/healthz", dict(x=1)),
    ]
    for path, body in asked:
        status, content, headers = several.ask(path, body)
        expected = server.ask(path, body)
        assert (status, headers["Content-Type"]) == (expected[0], "application/json")
        if path != "/v1/completions":  # whose refusal has the names of all models
            assert json.loads(content) == expected[1]


def test_both_workers_answer(several: Command, until: Any) -> None:
    """Whichever accepts a connection; what both have counted is one sum."""
    until(ready(several))
    began = {pid: processor_seconds(pid) for pid in several.workers}
    before = several.count("regard_requests_total")

    def busy() -> bool:
        asked = [dict(text=text, num_beams=5) for text in TEXTS * 4]
        with ThreadPoolExecutor(16) as pool:
            assert {
                each[0] for each in pool.map(partial(several.ask, "/run/translate"), asked)
            } == {200}
        used = [processor_seconds(pid) - its for pid, its in began.items()]
        return sum(used) > 0.2 and min(used) > max(used) / 10

    until(busy)
    until(lambda: several.count("regard_requests_total") >= before + 16)


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_a_killed_worker_is_replaced_and_the_others_go_on(several: Command, until: Any) -> None:
    until(ready(several))
    ended = several.count("regard_workers_ended_total")
    counted = several.count("regard_requests_total")
    expected = {text: several.translated(text)[1] for text in TEXTS}
    victim, other = several.workers
    with ThreadPoolExecutor(16) as pool:
        answers = [(text, pool.submit(several.translated, text)) for text in TEXTS * 3]
        heavy = [
            pool.submit(several.ask, "/run/translate", dict(text=LONG, num_beams=5))
            for _ in range(4)
        ]
        time.sleep(0.15)
        os.kill(victim, signal.SIGKILL)
        for text, future in answers:  # what it had ends with its connection
            assert future.result() in [(200, expected[text]), (0, None)]
        assert {each.result()[0] for each in heavy} <= {200, 0}
    assert {text: several.translated(text)[1] for text in TEXTS} == expected  # by the other one
    until(lambda: several.count("regard_workers_ended_total") == ended + 1)
    until(ready(several))
    assert victim not in several.workers
    assert other in several.workers
    until(lambda: several.count("regard_requests_total") >= counted + 4)  # nothing is forgotten


@pytest.mark.slow
def test_a_stream_whose_worker_dies_is_cut_off_and_all_can_be_replaced(
    several: Command, until: Any
) -> None:
    until(ready(several))
    with several.stream() as stream:
        killed = several.workers
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        with suppress(ConnectionError, http.client.IncompleteRead):
            assert not stream.read().endswith(b"[DONE]\n\n")
    until(lambda: not set(killed) & set(several.workers))
    assert several.translated("Yes.")[0] == 200  # the socket keeps connections for the next ones
    until(ready(several))


@pytest.mark.slow
def test_a_trace_is_found_by_every_worker(several: Command, until: Any) -> None:
    until(ready(several))
    body = dict(text=TEXTS[0], num_beams=1, trace=True)
    path = json.loads(several.ask("/run/translate", body)[1])["trace"]
    for _ in range(8):
        status, page, _ = several.ask(path)
        assert (status, TEXTS[0] in page) == (200, True)
    assert several.ask("/traces/..%2fx")[0] == several.ask("/traces/x")[0] == 404


def test_work_that_no_client_waits_for_ends(several: Command, until: Any) -> None:
    until(ready(several))
    written = several.count("regard_tokens_total")
    with several.stream():
        until(lambda: several.count("regard_running") > 0)  # each second, a worker says how many
    until(lambda: several.count("regard_running") == 0)
    assert several.count("regard_tokens_total") - written < STREAMED * TOKENS


@pytest.mark.slow
def test_workers_end_with_the_process_that_started_them(tmp_path: Path, until: Any) -> None:
    with command("shakespeare", TMPDIR=str(tmp_path)) as server:
        workers = server.workers
        assert (len(workers), len(list(tmp_path.glob("regard-*/*.db")))) >= (2, 2)
        server.process.kill()
        server.process.wait()
        until(lambda: dead(workers))
        with socket.create_server(("127.0.0.1", server.port)):
            pass  # the port is free
        assert not list(tmp_path.glob("regard-*"))


@pytest.mark.slow  # starts processes
def test_what_workers_cannot_serve_is_one_sentence() -> None:
    arguments = ["serve", "digits", "--port", "0", "--workers", "2"]
    found = subprocess.run(
        [sys.executable, "-m", "regard", *arguments], capture_output=True, text=True, timeout=60
    )
    assert found.returncode == 2
    assert found.stderr.startswith("regard: digits cannot be served; give a model that can")


@pytest.mark.slow  # starts processes
def test_what_has_begun_is_answered_after_sigterm(several: Command, until: Any) -> None:
    """The last one of this file: it ends the server of all others."""
    until(ready(several))
    body = dict(model="shakespeare", prompt=["ROMEO:"] * 60, max_tokens=120, stream=True)
    request = urllib.request.Request(
        several.address + "/v1/completions",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        assert answer.readline().startswith(b"data: {")
        workers = several.workers
        for each in (several.process.pid, *workers):  # as a service manager sends it
            os.kill(each, signal.SIGTERM)
        assert answer.read().endswith(b"data: [DONE]\n\n")
    assert several.process.wait(60) == 0
    assert dead(workers)
