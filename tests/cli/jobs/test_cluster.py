"""Ray Data on a cluster of two workers: a killed actor, a killed driver, and the same output."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import regard
from fixtures.jobs import ONE_PART, job

pytest.importorskip("ray", reason="needs Ray: pip install 'ray[data]'")
pytestmark = [
    pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds actors in /proc"),
    pytest.mark.filterwarnings("default"),  # Ray warns of its own deprecations
]

TEXTS = [f"The {color} dog number {k}." for k in range(60) for color in ("red", "old")]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a cluster of two processors."""
    import ray

    # jsonschema imports it if it is there, and then each of Ray's processes builds a grammar for
    # four seconds.
    stub = tmp_path_factory.mktemp("without")
    (stub / "rfc3987_syntax.py").write_text("raise ImportError\n")
    before, handler = dict(os.environ), signal.getsignal(signal.SIGTERM)
    os.environ["PYTHONPATH"] = os.pathsep.join([str(stub), *filter(None, sys.path)])
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_BACKEND_LOG_LEVEL": "fatal"}
    context = ray.init(
        address="local",
        num_cpus=2,
        object_store_memory=100 * 2**20,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="error",
    )
    yield context.address_info["gcs_address"]
    ray.shutdown()
    signal.signal(signal.SIGTERM, handler)  # Ray sets one of its own
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="module")
def expected() -> list[Any]:
    vectors = regard.load("sentences").run_by("native").run(TEXTS)
    return [[float(f"{x:.9g}") for x in each.vector] for each in vectors]


def check(path: str, expected: list[Any]) -> None:
    rows = [json.loads(line) for line in Path(path).read_text().splitlines()]
    assert [(row["line"], row["text"]) for row in rows] == list(enumerate(TEXTS, start=1))
    assert [row["embedding"] for row in rows] == expected


def actors() -> set[int]:
    """Processes of actors of this process's cluster: another run of these tests has its own."""
    parents, workers = dict[int, int](), list[int]()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            is_actor = (folder / "cmdline").read_bytes().startswith(b"ray::MapWorker")
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(folder.name)] = int(fields[1])
        workers += [int(folder.name)] * is_actor
    return {worker for worker in workers if parents.get(parents[worker]) == os.getpid()}


@pytest.mark.slow
def test_a_killed_driver_and_a_killed_actor_lose_and_double_no_line(
    cluster: str, folder: Path, expected: list[Any]
) -> None:
    Path("in.txt").write_text("\n".join([*TEXTS, ""]))
    command = "encode -i in.txt -o out.jsonl --shard-size 4 --runner ray --workers 2 --threads 1"
    driver = subprocess.Popen(
        [sys.executable, "-c", ONE_PART, *command.split(), "--address", cluster],
        stderr=subprocess.PIPE,
    )
    while not list(folder.glob("out.jsonl.parts/part-*")) and driver.poll() is None:
        time.sleep(0.001)
    driver.kill()
    said = driver.communicate()[1].decode()
    assert driver.returncode == -signal.SIGKILL, said
    while actors():  # the cluster ends those of a driver that is gone
        time.sleep(0.05)

    killed: list[int] = []

    @contextmanager
    def bar(total: int, done: int) -> Iterator[Any]:
        def advance(lines: int) -> None:
            if not killed:
                killed.append(min(actors()))
                os.kill(killed[0], signal.SIGKILL)

        yield advance

    options = dict(shard_size=4, runner="ray", workers=2, threads=1)
    summary = job("in.txt", "out.jsonl", "encode", **options).run(bar=bar)
    assert (summary.read, summary.written, summary.bad) == (120, 120, 0)
    assert (summary.resumed, len(killed)) == (4, 1)
    check("out.jsonl", expected)
    assert sorted(path.name for path in folder.iterdir()) == ["in.txt", "out.jsonl"]


@pytest.mark.slow
def test_what_an_actor_raises_is_one_sentence(cluster: str, folder: Path) -> None:
    from regard.cli.jobs.cluster import parts

    Path("in.txt").write_text("a\n")
    encoding = job("in.txt", "out.jsonl", "encode")
    encoding.command.common["model"] = "nowhere"
    work = encoding.command, encoding.input.shards
    with pytest.raises(regard.NotFoundError, match="there is no folder nowhere"):
        list(parts(*work, workers=1, threads=1))
