"""Damaged input for every reader, by the hundred thousand: `python -m fuzz.attack [READER …]`.

Each reader is tried in a process of its own, which is watched from outside: an input on which it
takes more than 10 seconds, or more than 2 GB of memory, ends it, and another one goes on behind
that input. What breaks a reader is kept in build/attack, named as in `corpus`.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from dataclasses import dataclass
from mmap import mmap
from pathlib import Path

from fuzz.readers import readers

HANG = 10.0  # seconds of the processor
MEMORY = 2 * 10**9  # bytes that are resident
FOUND = Path("build/attack")
SHARED = Path(
    "/dev/shm"
)  # memory, where there is such a folder: a file a try is too much for disks
OUTCOMES = ("accepted", "refused", "tracebacks", "hangs", "memory", "crashes")


@dataclass
class Tally:
    """What became of the inputs, in a file that two processes see."""

    numbers: memoryview

    @classmethod
    def open(cls, file: Path) -> "Tally":
        if not file.exists():
            file.write_bytes(bytes(8 * len(OUTCOMES)))
        with file.open("r+b") as opened:
            return cls(memoryview(mmap(opened.fileno(), 0)).cast("q"))

    def add(self, outcome: str) -> None:
        self.numbers[OUTCOMES.index(outcome)] += 1

    @property
    def inputs(self) -> int:
        return sum(self.numbers)

    @property
    def broken(self) -> int:
        return sum(self.numbers[2:])


def attack(name: str, inputs: int, seconds: float, first: int) -> Tally:
    """Tries a reader until so many inputs are tried, or the time is over."""
    ends = time.monotonic() + seconds
    with tempfile.TemporaryDirectory(dir=SHARED if SHARED.is_dir() else None) as folder:
        tally = Tally.open(Path(folder) / "tally")
        while tally.inputs < inputs and time.monotonic() < ends:
            _watch(name, Path(folder), inputs, ends, first, tally)
        return tally


def _watch(name: str, folder: Path, inputs: int, ends: float, first: int, tally: Tally) -> None:
    """One process, until it is done, the time is over or it has to be ended."""
    command = [sys.executable, "-m", "fuzz.attack", name, "--worker", str(folder)]
    command += ["--inputs", str(inputs), "--first", str(first)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    current = folder / "input"
    failure, tried, spent = "", -1, 0.0
    while process.poll() is None:
        time.sleep(0.2)
        if tried != tally.inputs:
            tried, spent = tally.inputs, _processor(process.pid)
        elif current.exists() and _processor(process.pid) - spent > HANG:
            failure = "hangs"
        if _resident(process.pid) > MEMORY:
            failure = "memory"
        if failure or time.monotonic() > ends:
            process.kill()
            process.wait()
    if process.returncode != 0 and not failure and time.monotonic() < ends:
        failure = "crashes"
    if failure and not current.exists():
        raise SystemExit(f"the reader {name} cannot be prepared: {' '.join(command)}")
    if failure:
        tally.add(failure)
        _keep(name, (folder / "file").read_text(), current.read_bytes(), failure)


def work(name: str, folder: Path, inputs: int, first: int) -> None:
    """Tries a reader in this process; `folder` shows what it tries and what became of it."""
    warnings.simplefilter("ignore")
    tally, seen = Tally.open(folder / "tally"), set[str]()
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        reader = readers()[name].prepare(Path(scratch))
        while tally.inputs < inputs:
            file, content = reader.input(first + tally.inputs)
            (folder / "input").write_bytes(content)
            (folder / "file").write_text(file)
            try:
                outcome = reader.try_out(file, content)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                outcome = "tracebacks"
                frame = traceback.extract_tb(error.__traceback__)[-1]
                what = f"{type(error).__name__} {Path(frame.filename).name}:{frame.lineno}"
                if what not in seen:
                    seen.add(what)
                    _keep(name, file, content, f"{what}: {str(error)[:100]}")
            tally.add(outcome)


def _keep(name: str, file: str, content: bytes, what: str) -> None:
    FOUND.joinpath(name).mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(content).hexdigest()[:8]
    (FOUND / name / f"{digest}-{file.replace('/', '+')}").write_bytes(content)
    with (FOUND / "found.txt").open("a", encoding="utf-8", errors="backslashreplace") as log:
        print(f"{name} {digest}-{file}: {what}", file=log)


def _resident(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:  # it has ended, or there is no /proc here
        return 0
    line = next((line for line in status.splitlines() if line.startswith("VmRSS")), "VmRSS: 0")
    return 1024 * int(line.split()[1])


def _processor(pid: int) -> float:
    """Seconds that a process has computed, so that a machine that is busy makes no hang of a wait;
    where there is no /proc, the time."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("readers", nargs="*", default=[], metavar="READER")
    parser.add_argument("--inputs", type=int, default=100_000, help="of each reader")
    parser.add_argument("--seconds", type=float, default=3600, help="for each reader, at most")
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(options.readers[0], options.worker, options.inputs, options.first)
        return
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    print(f"{'reader':14}{'inputs':>9}{'accepted':>10}{'refused':>10}", end="")
    print(
        f"{'tracebacks':>12}{f'over {HANG:g} s':>11}{f'over {MEMORY / 1e9:g} GB':>11}{'crashes':>9}"
    )
    broken = 0
    for name in options.readers or readers():
        tally = attack(name, options.inputs, options.seconds, options.first)
        broken += tally.broken
        accepted, refused, tracebacks, hangs, memory, crashes = tally.numbers
        print(
            f"{name:14}{tally.inputs:9,}{accepted:10,}{refused:10,}"
            f"{tracebacks:12,}{hangs:11,}{memory:11,}{crashes:9,}",
            flush=True,
        )
    if broken:
        print(f"what broke a reader is in {FOUND}")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
