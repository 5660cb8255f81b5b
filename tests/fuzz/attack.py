"""The long version of the fuzz tests: `make attack`, or `python -m fuzz.attack [READER …]`.

Each reader is tried in a process of its own, which is watched from outside: an input on which it
takes more than 10 seconds, or more than 2 GB of memory, ends it, and another one goes on. What
breaks a reader is kept in build/attack, named as in `corpus`.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path

HANG = 10.0  # seconds
MEMORY = 2 * 10**9  # bytes that are resident
FOUND = Path("build/attack")


@dataclass
class Count:
    """What became of the inputs."""

    accepted: int = 0
    refused: int = 0
    tracebacks: int = 0
    hangs: int = 0
    memory: int = 0
    crashes: int = 0  # the process died

    @property
    def inputs(self) -> int:
        return sum(asdict(self).values())

    def broken(self) -> int:
        return self.inputs - self.accepted - self.refused


def attack(name: str, inputs: int, seconds: float, seed: int) -> Count:
    """Tries a reader until so many inputs are tried, or the time is over."""
    total, ends = Count(), time.monotonic() + seconds
    while total.inputs < inputs and time.monotonic() < ends:
        with tempfile.TemporaryDirectory() as scratch:
            _watch(name, Path(scratch), inputs - total.inputs, ends, seed, total)
        seed += 1
    return total


def _watch(name: str, scratch: Path, inputs: int, ends: float, seed: int, total: Count) -> None:
    """One process, until it is done, the time is over or it has to be ended."""
    command = [sys.executable, "-m", "fuzz.attack", name, "--worker", str(scratch)]
    command += ["--inputs", str(inputs), "--seed", str(seed)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    state = scratch / "state"
    failure = ""
    while process.poll() is None:
        time.sleep(0.2)
        started = state.stat().st_mtime if state.exists() else None
        if started is not None and time.time() - started > HANG:
            failure = "hangs"
        elif _resident(process.pid) > MEMORY:
            failure = "memory"
        elif time.monotonic() < ends:
            continue
        process.kill()
        process.wait()
    found = json.loads(state.read_text()) if state.exists() else {}
    for each, number in found.items():
        setattr(total, each, getattr(total, each) + number)
    if process.returncode != 0 and not failure and time.monotonic() < ends:
        failure = "crashes"
    if failure:
        setattr(total, failure, getattr(total, failure) + 1)
        if (scratch / "input").exists():
            _keep(name, (scratch / "file").read_text(), (scratch / "input").read_bytes(), failure)
        elif not state.exists():
            raise SystemExit(f"the reader {name} cannot be prepared: {' '.join(command)}")


def work(name: str, scratch: Path, inputs: int, seed: int) -> None:
    """Tries a reader in this process, and writes what becomes of it to files in `scratch`."""
    import hypothesis
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st

    from fuzz.readers import readers

    warnings.simplefilter("ignore")
    reader, count = readers()[name].prepare(scratch), Count()
    seen: set[str] = set()

    def tell() -> None:
        (scratch / "next").write_text(json.dumps(asdict(count)))
        (scratch / "next").replace(scratch / "state")  # whole, whenever it is read

    def attempt(data: st.DataObject) -> None:
        file, content = data.draw(reader.inputs)
        (scratch / "input").write_bytes(content)
        (scratch / "file").write_text(file)
        tell()
        try:
            outcome = reader.try_out(file, content)
            setattr(count, outcome, getattr(count, outcome) + 1)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt | hypothesis.errors.HypothesisException):
                raise
            count.tracebacks += 1
            frame = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__} {Path(frame.filename).name}:{frame.lineno}"
            if what not in seen:
                seen.add(what)
                _keep(name, file, content, f"{what}: {str(error)[:100]}")

    rounds = 0
    while count.inputs < inputs:
        run = settings(
            max_examples=min(1000, inputs - count.inputs),
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        )(given(st.data())(lambda data: attempt(data)))
        hypothesis.seed(1000 * seed + rounds)(run)()
        rounds += 1
        tell()


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


def main() -> None:
    from fuzz.readers import readers

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("readers", nargs="*", default=[], metavar="READER")
    parser.add_argument("--inputs", type=int, default=100_000, help="of each reader")
    parser.add_argument("--seconds", type=float, default=3600, help="for each reader, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(options.readers[0], options.worker, options.inputs, options.seed)
        return
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    print(f"{'reader':13}{'inputs':>10}{'accepted':>10}{'refused':>10}", end="")
    print(
        f"{'tracebacks':>12}{f'over {HANG:g} s':>11}{f'over {MEMORY / 1e9:g} GB':>11}{'crashes':>9}"
    )
    broken = 0
    for name in options.readers or readers():
        count = attack(name, options.inputs, options.seconds, options.seed)
        broken += count.broken()
        print(
            f"{name:13}{count.inputs:10,}{count.accepted:10,}{count.refused:10,}"
            f"{count.tracebacks:12,}{count.hangs:11,}{count.memory:11,}{count.crashes:9,}",
            flush=True,
        )
    if broken:
        print(f"what broke a reader is in {FOUND}")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
