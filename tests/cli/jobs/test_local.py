"""Threads and processes: one that is killed is replaced, a killed job continues; no line is lost or
doubled."""

import gc
import json
import multiprocessing
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import regard
from fixtures.jobs import ONE_PART, die, job
from regard.cli.jobs import local
from regard.errors import UnavailableError

TEXTS = [f"The {color} dog number {k}." for k in range(60) for color in ("red", "old")]
COMMAND = shlex.split("encode -i in.txt -o out.jsonl --shard-size 10 --workers 2 --threads 1")

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no kill -9 here")


def vectors(engine: str) -> list[Any]:
    found = regard.load("sentences").run_by(engine).run(TEXTS)
    return [[float(f"{x:.9g}") for x in each.vector] for each in found]


@pytest.fixture(scope="module")
def expected() -> list[Any]:
    return vectors("native")


def check(path: str, expected: list[Any]) -> None:
    rows = [json.loads(line) for line in Path(path).read_text().splitlines()]
    assert [(row["line"], row["text"]) for row in rows] == list(enumerate(TEXTS, start=1))
    assert [row["embedding"] for row in rows] == expected


@pytest.mark.parametrize(("workers", "threads"), [(1, 1), (2, 2), (20, 2)])
def test_threads_share_the_engines_model_and_start_no_process(
    folder: Path,
    expected: list[Any],
    workers: int,
    threads: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Path("in.txt").write_text("\n".join(TEXTS))
    monkeypatch.delattr(local, "Team")
    options = dict(shard_size=10, workers=workers, threads=threads)
    encoding = job("in.txt", "out.jsonl", "encode", **options)
    intervals, before = list[float](), (sys.getswitchinterval(), gc.get_threshold())

    @contextmanager
    def bar(total: int, done: int) -> Iterator[Any]:
        yield lambda lines: intervals.append(sys.getswitchinterval())

    encoding.run(bar=bar)
    check("out.jsonl", expected)
    assert not any(each.name == "regard-part" for each in threading.enumerate())
    assert set(intervals) == {local.TURN}  # Python's lock changes hands between batches alone
    assert (sys.getswitchinterval(), gc.get_threshold()) == before


def test_an_interrupt_ends_the_threads_between_two_steps(folder: Path) -> None:
    Path("in.txt").write_text("\n".join(["What a long sentence this is!"] * 4000))

    @contextmanager
    def bar(total: int, done: int) -> Iterator[Any]:
        def advance(lines: int) -> None:
            raise KeyboardInterrupt

        yield advance

    options = dict(num_beams=2, min_new_tokens=200, shard_size=4, workers=2, threads=1)
    translating = job("in.txt", "out.jsonl", **options)
    with pytest.raises(KeyboardInterrupt):
        translating.run(bar=bar)
    assert not any(each.name == "regard-part" for each in threading.enumerate())
    assert 4 <= translating.done < 4000


@pytest.mark.long("processes that load torch")
def test_a_killed_worker_is_replaced_and_its_shard_done_again(folder: Path) -> None:
    Path("in.txt").write_text("\n".join(TEXTS))
    killed: list[int] = []

    @contextmanager
    def bar(total: int, done: int) -> Iterator[Any]:
        def advance(lines: int) -> None:
            if len(killed) < 2:
                pids = [each.pid or 0 for each in multiprocessing.active_children()]
                killed.append(next(pid for pid in pids if pid not in killed))
                os.kill(killed[-1], signal.SIGKILL)

        yield advance

    options = dict(shard_size=10, workers=2, threads=1, engine="torch")
    summary = job("in.txt", "out.jsonl", "encode", **options).run(bar=bar)
    assert (summary.written, summary.bad, len(set(killed))) == (120, 0, 2)
    # whose sums depend on a batch's other texts
    check("out.jsonl", [pytest.approx(each, abs=1e-5) for each in vectors("torch")])
    assert multiprocessing.active_children() == []


@pytest.mark.long("starts processes")
def test_a_killed_job_continues_where_it_was(folder: Path, expected: list[Any]) -> None:
    Path("in.txt").write_text("\n".join(TEXTS))
    process = subprocess.Popen([sys.executable, "-c", ONE_PART, *COMMAND], stderr=subprocess.PIPE)
    while not list(folder.glob("out.jsonl.parts/part-*")) and process.poll() is None:
        time.sleep(0.001)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    again = [sys.executable, "-m", "regard", *COMMAND, "--summary"]
    ended = subprocess.run(again, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    summary = json.loads(ended.stdout)
    assert (summary["in"], summary["out"], summary["resumed"]) == (120, 120, 10)
    check("out.jsonl", expected)
    assert sorted(path.name for path in folder.iterdir()) == ["in.txt", "out.jsonl"]


@pytest.mark.long("starts a process")
def test_ctrl_c_keeps_what_is_done_and_says_so(folder: Path) -> None:
    Path("in.txt").write_text("\n".join(TEXTS))
    command = [sys.executable, "-c", ONE_PART, *COMMAND]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not list(folder.glob("out.jsonl.parts/part-*")) and process.poll() is None:
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "10 of 120 lines are done; the same command continues." in said
    assert Path("out.jsonl.parts/job.json").exists()
    assert "Traceback" not in said


@pytest.mark.long("starts processes")
def test_a_shard_that_ends_every_worker_ends_the_job(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("in.txt").write_text("\n".join(TEXTS))
    monkeypatch.setattr(local, "_serve", die)
    encoding = job("in.txt", "out.jsonl", "encode", shard_size=100, threads=1, engine="torch")
    with pytest.raises(UnavailableError, match=r"signal 9 at lines .* of .*in\.txt, 3 times"):
        encoding.run()


@pytest.mark.long("starts a process")
def test_a_worker_that_cannot_open_the_model_says_why(folder: Path) -> None:
    Path("in.txt").write_text("\n".join(TEXTS))
    encoding = job("in.txt", "out.jsonl", "encode", shard_size=100, engine="torch")
    encoding.command.open()
    encoding.command.common["model"] = "nowhere"
    shards = encoding.input.shards
    with pytest.raises(regard.NotFoundError, match="there is no folder nowhere"):
        list(local.parts(encoding.command, shards, workers=1, threads=1))
