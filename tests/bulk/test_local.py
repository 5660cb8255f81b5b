"""Threads and processes: one that is killed is replaced, a killed job continues; no line is lost or
doubled."""

import gc
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import regard
from fixtures.bulk import ONE_PART
from regard.bulk import Job, local
from regard.errors import UnavailableError

TEXTS = [f"The {color} dog number {k}." for k in range(60) for color in ("red", "old")]
COMMAND = [
    "run",
    "encode",
    "in.txt",
    "out.jsonl",
    "--shard-size",
    "10",
    "--workers",
    "2",
    "--threads",
    "1",
]

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
    job = Job("encode", "in.txt", "out.jsonl", model="sentences", shard_size=10)
    intervals, before = list[float](), (sys.getswitchinterval(), gc.get_threshold())

    @contextmanager
    def bar(total: int, done: int) -> Iterator[Any]:
        yield lambda lines: intervals.append(sys.getswitchinterval())

    job.run(partial(local.parts, workers=workers, threads=threads), bar=bar)
    check("out.jsonl", expected)
    assert not any(each.name == "regard-run" for each in threading.enumerate())
    assert set(intervals) == {local.TURN}  # Python's lock changes hands between batches alone
    assert (sys.getswitchinterval(), gc.get_threshold()) == before


def test_an_interrupt_ends_the_threads_between_two_steps(folder: Path) -> None:
    Path("in.txt").write_text("\n".join(["What a long sentence this is!"] * 4000))

    @contextmanager
    def bar(total: int, done: int) -> Iterator[Any]:
        def advance(lines: int) -> None:
            raise KeyboardInterrupt

        yield advance

    options = dict(num_beams=2, min_new_tokens=200)
    job = Job("translate", "in.txt", "out.jsonl", model="en-de", shard_size=4, options=options)
    with pytest.raises(KeyboardInterrupt):
        job.run(partial(local.parts, workers=2, threads=1), bar=bar)
    assert not any(each.name == "regard-run" for each in threading.enumerate())
    assert 4 <= job.done() < 4000


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

    job = Job("encode", "in.txt", "out.jsonl", model="sentences", shard_size=10, engine="torch")
    summary = job.run(partial(local.parts, workers=2, threads=1), bar=bar)
    assert (summary.written, summary.bad, len(set(killed))) == (120, 0, 2)
    # whose sums depend on a batch's other texts
    check("out.jsonl", [pytest.approx(each, abs=1e-5) for each in vectors("torch")])
    assert multiprocessing.active_children() == []


def test_a_killed_job_continues_where_it_was(folder: Path, expected: list[Any]) -> None:
    Path("in.txt").write_text("\n".join(TEXTS))
    process = subprocess.Popen([sys.executable, "-c", ONE_PART, *COMMAND], stderr=subprocess.PIPE)
    while not list(folder.glob("out.jsonl.parts/part-*")) and process.poll() is None:
        time.sleep(0.001)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    again = [sys.executable, "-m", "regard", *COMMAND, "--json"]
    ended = subprocess.run(again, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    summary = json.loads(ended.stdout)
    assert (summary["in"], summary["out"], summary["resumed"]) == (120, 120, 10)
    check("out.jsonl", expected)
    assert sorted(path.name for path in folder.iterdir()) == ["in.txt", "out.jsonl"]


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


def _die(*arguments: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_shard_that_ends_every_worker_ends_the_job(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("in.txt").write_text("\n".join(TEXTS))
    monkeypatch.setattr(local, "_serve", _die)
    job = Job("encode", "in.txt", "out.jsonl", model="sentences", shard_size=100, engine="torch")
    with pytest.raises(UnavailableError, match=r"signal 9 at lines .* of .*in\.txt, 3 times"):
        job.run(partial(local.parts, workers=1, threads=1))


def test_a_worker_that_cannot_open_the_model_says_why(folder: Path) -> None:
    Path("in.txt").write_text("\n".join(TEXTS))
    job = Job("encode", "in.txt", "out.jsonl", model="sentences")
    settings = job.settings.__class__(**(vars(job.settings) | {"model": "nowhere"}))
    with pytest.raises(regard.NotFoundError, match="there is no folder nowhere"):
        list(local.parts(settings, job.input.shards, workers=1, threads=1))
