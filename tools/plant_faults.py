"""Faults planted in a copy of the repository, one at a time: do the tests find each?

    python tools/plant_faults.py             the tests that tests/faults/planted.py names
    python tools/plant_faults.py --all       all tests for each fault: hours
    python tools/plant_faults.py softmax     faults whose name or file contains a word

The copy is made of links, so it costs nothing and the working tree is never touched. First, the
tests must pass without a fault. Ends with 1 if a fault is not found, or has no place.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from faults.planted import FAULTS, Fault  # noqa: E402

PYTEST = ("-m", "pytest", "-q", "-x", "-W", "error", "-m", "not slow", "-p", "no:cacheprovider")


@contextmanager
def copy() -> Iterator[Path]:
    """A folder with every file of the repository as a link."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        copied = Path(folder)
        for name in filter(None, names.split("\0")):
            if (ROOT / name).is_file():
                (copied / name).parent.mkdir(parents=True, exist_ok=True)
                (copied / name).symlink_to(ROOT / name)
        for compiled in [*ROOT.glob("src/**/__pycache__"), *ROOT.glob("tests/**/__pycache__")]:
            if (there := copied / compiled.relative_to(ROOT)).parent.is_dir():
                there.symlink_to(compiled)
        (copied / ".venv").symlink_to(ROOT / ".venv")
        (copied / "web" / "node_modules").symlink_to(ROOT / "web" / "node_modules")
        yield copied


def run(folder: Path, tests: tuple[str, ...]) -> tuple[int, str]:
    """The exit code of tests, or of a script, in that folder, and what was printed."""
    script = tests[:1] if tests and not tests[0].startswith("tests") else ()
    paths = [str(folder / "src"), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "PYTHONDONTWRITEBYTECODE": "1",  # the links of compiled files lead to the working tree
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, *(() if script else PYTEST), *tests]
    result = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return result.returncode, result.stdout + result.stderr


def no_place(fault: Fault) -> str | None:
    """The reason why a fault cannot be planted; None if it can."""
    times = text_of(fault).count(fault.old)
    if times != 1:
        return f"{fault.file} has its old text {times} times; it must have it once"
    missing = [name for name in fault.tests if name[:1] != "-" and not (ROOT / name).exists()]
    return f"there is no {missing[0]}" if missing else None


def text_of(fault: Fault) -> str:
    file = ROOT / fault.file
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def plant(fault: Fault, folder: Path) -> None:
    """Makes the line wrong in the copy."""
    (folder / fault.file).unlink()
    wrong = text_of(fault).replace(fault.old, fault.new)
    (folder / fault.file).write_text(wrong, encoding="utf-8")


def found(fault: Fault, everything: bool) -> str:
    """One word for a fault: "found", "NOT FOUND", or why it could not be tried."""
    if reason := no_place(fault):
        return f"NO PLACE: {reason}"
    with copy() as folder:
        plant(fault, folder)
        code, output = run(folder, ("tests",) if everything else fault.tests)
    if code > 1:
        return "BROKEN: " + (output.strip().splitlines() or [f"exit code {code}"])[-1]
    return "found" if code else "NOT FOUND"


def main() -> None:
    parser = argparse.ArgumentParser(description="Plants faults and runs the tests.")
    parser.add_argument("words", nargs="*", metavar="WORD", help="only faults that contain it")
    parser.add_argument("--all", action="store_true", help="run all tests for each fault")
    parser.add_argument("--processes", type=int, default=2, help="faults at the same time")
    parser.add_argument("--only-planted", action="store_true", help="trust that the tests pass")
    parser.add_argument("--list", action="store_true", help="only check that each has its place")
    arguments = parser.parse_args()
    faults = [
        fault
        for fault in FAULTS
        if all(
            word.casefold() in f"{fault.name} {fault.file}".casefold() for word in arguments.words
        )
    ]
    if arguments.list:
        reasons = {fault.name: no_place(fault) for fault in faults}
        for name, reason in reasons.items():
            print(f"{reason or 'ok'}: {name}")
        sys.exit(any(reasons.values()))
    with ThreadPoolExecutor(arguments.processes) as pool:
        if not (arguments.all or arguments.only_planted):
            selections = list(dict.fromkeys(fault.tests for fault in faults))
            with copy() as folder:
                codes = list(pool.map(lambda tests: run(folder, tests), selections))
            for tests, (code, output) in zip(selections, codes, strict=True):
                if code:
                    sys.exit(f"{output[-3000:]}\nwithout a fault, {' '.join(tests)} must pass")
        began = time.monotonic()
        results = pool.map(lambda fault: found(fault, arguments.all), faults)
        missed = 0
        for fault, result in zip(faults, results, strict=True):
            missed += result != "found"
            print(f"{result}: {fault.name} ({fault.file})", flush=True)
    seconds = time.monotonic() - began
    print(f"{len(faults) - missed} of {len(faults)} planted faults found in {seconds:.0f} s")
    sys.exit(missed > 0)


if __name__ == "__main__":
    main()
