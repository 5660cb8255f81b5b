"""A thousand clients that send a megabyte of text and are gone after a second.

The bounds here are for slow machines that do other things as well: a server that is silenced is
silent for minutes. `benchmarks/hostile.py` measures how long answers take.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from attack import flood

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads memory from /proc")

CLIENTS, AT_ONCE = 1000, 250
FOUR_WORDS, HEALTHY = 10.0, 5.0  # seconds that an answer may take
MEMORY = 200.0  # MB more than before


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[int, int]]:
    """The port and the process of a server that has translated texts."""
    command = [sys.executable, "-m", "regard", "serve", "en-de", "--port", "0"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(os.environ)
    )
    assert process.stdout is not None
    try:
        port = int(process.stdout.readline().split()[0].rpartition(b":")[2])
        for _ in range(3):
            assert flood.asked(port, "/translate", flood.FOUR_WORDS)[0] == 200
        yield port, process.pid
    finally:
        process.kill()  # a server that is silenced does not end by itself
        process.communicate()


def resident(pid: int) -> float:
    """MB."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 / 1e6


@pytest.mark.slow  # it measures time, on a machine that does nothing else
@pytest.mark.parametrize("characters", [1_000_000, 99_999])
def test_a_flood_of_text_does_not_silence_the_server(
    server: tuple[int, int], characters: int
) -> None:
    """Of texts that are too long, and of texts that are not."""
    port, pid = server
    before = resident(pid)
    script = [sys.executable, flood.__file__, str(port)]
    numbers = map(str, (CLIENTS, AT_ONCE, characters))
    with subprocess.Popen(script, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as good:
        clients = subprocess.run(
            [*script, *numbers], stdout=subprocess.PIPE, check=True, timeout=120
        )
        time.sleep(2)
        seen = json.loads(good.communicate(b"")[0])
    answers = json.loads(clients.stdout)
    assert sum(answers.values()) == CLIENTS
    assert answers.get("429", 0) > 0
    assert answers.keys() <= ({"413", "429", "nothing", "closed"})
    for path, most in (("translate", FOUR_WORDS), ("healthz", HEALTHY)):
        assert len(seen[path]) > 3
        assert {status for status, _ in seen[path]} == {200}
        assert max(seconds for _, seconds in seen[path]) < most
    end = time.monotonic() + 15
    while resident(pid) > before + MEMORY and time.monotonic() < end:
        time.sleep(0.1)
    assert resident(pid) < before + MEMORY
