"""`regard serve`: who may connect, and how it ends."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from typing import Any

import pytest

from regard.http.sockets import is_loopback

# `regard`, whose models keep what they have written until a signal has come.
HELD = """
import threading
from regard.http.server import Server
from regard.serving.decoding import Decoding
ending, handle, end = threading.Event(), Server.handle_exit, Decoding._end
def handle_and_say(*arguments):
    handle(*arguments)
    ending.set()
def wait_and_end(*arguments):
    ending.wait()
    end(*arguments)
Server.handle_exit, Decoding._end = handle_and_say, wait_and_end
from regard.cli.main import main
main()
"""


def asked(address: str, body: Any = None) -> tuple[int, Any]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def metrics(address: str) -> str:
    with urllib.request.urlopen(f"{address}/metrics", timeout=30) as answer:
        return answer.read().decode()


@pytest.fixture
def server():
    """The command as a process on a free port, and its address."""
    process = subprocess.Popen(
        [sys.executable, "-c", HELD, "serve", "en-de", "--port", "0", "--notice", "5"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    try:
        yield process, process.stdout.readline().split()[0]
    finally:
        process.kill()
        process.communicate()


def test_what_has_begun_is_answered_after_sigterm(server):
    process, address = server
    assert asked(f"{address}/readyz")[0] == 200
    found = []
    body = dict(text=["I would like to drink a cup of tea with my friends."] * 12, num_beams=5)
    client = threading.Thread(target=lambda: found.append(asked(f"{address}/run/translate", body)))
    client.start()
    while not re.search(r"^regard_step_rows_count\S* [1-9]", metrics(address), re.M):
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    while (ready := asked(f"{address}/readyz"))[0] == 200:  # until the signal has come
        time.sleep(0.01)
    assert ready == (503, {"status": "ending"})
    client.join()
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "")
    [(status, answer)] = found
    assert status == 200
    assert len(answer["results"]) == 12
    lines = [json.loads(line) for line in err.splitlines()]
    assert {"/readyz", "/run/translate"} <= {line.get("route") for line in lines}
    assert "tea" not in err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["--host", "0.0.0.0"],
            "regard: 0.0.0.0 can be reached from other machines; set REGARD_API_KEY, or say"
            " --no-auth.\n",
        ),
        (["--host", "example.org"], "regard: --host must be an IP address, such as 0.0.0.0, or"),
        (["--api-key", "x", "--no-auth"], "regard: --no-auth is for a server without a key;"),
        (["--timeout", "0"], None),
    ],
)
def test_an_address_of_other_machines_needs_a_key_or_a_word(regard, arguments, sentence):
    outcome = regard("serve", "en-de", "--port", 0, *arguments)
    assert outcome.code == 2
    if sentence is not None:
        assert outcome.err.startswith(sentence)


@pytest.mark.parametrize(("model", "what"), [("digits", "digits cannot be served"), ("no", "no")])
def test_what_cannot_be_served_is_one_sentence(regard, model, what):
    outcome = regard("serve", model, "--port", 0)
    assert outcome.code == 2
    assert what in outcome.err
    assert outcome.err.count("\n") == 1


def test_addresses_of_this_machine_alone_are_known():
    assert [is_loopback(each) for each in ("127.0.0.1", "127.9.9.9", "::1", "localhost")] == (
        [True] * 4
    )
    assert not is_loopback("0.0.0.0")
    assert not is_loopback("::")
