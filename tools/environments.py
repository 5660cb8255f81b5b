"""The tests in environments that differ from this one: another processor, terminal, language, HOME.

    python tools/environments.py                                     all six, one after another
    python tools/environments.py avx2 home                           some of them
    python tools/environments.py all --python a/bin/python b/bin/python    everything at once, on
                                                                     each of these interpreters

Prints what each gave, and the failures. An interpreter must have the extra `test` installed.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# Of a processor without the newer vector instructions, torch takes other kernels: sums are added
# in another order.
AVX2 = {"ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2"}
SSE = {"ATEN_CPU_CAPABILITY": "default", "ONEDNN_MAX_CPU_ISA": "SSE41"}
TERMINAL = {"COLUMNS": "100"}
LANGUAGE = {"LANG": "C", "LC_ALL": "C", "TZ": "Pacific/Kiritimati"}
HOME = {"HOME": "/dev/null/home"}  # cannot be made, even by root

ENVIRONMENTS = {
    "avx2": AVX2,
    "sse": SSE,
    "columns": TERMINAL,
    "language": LANGUAGE,
    "home": HOME,
    "elsewhere": {},  # from another working directory
    "all": AVX2 | TERMINAL | LANGUAGE | HOME,  # and from another working directory
    "all-sse": SSE | TERMINAL | LANGUAGE | HOME,
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Runs the tests in other environments.")
    parser.add_argument("names", nargs="*", help=f"of {', '.join(ENVIRONMENTS)}")
    parser.add_argument("--python", nargs="+", default=[sys.executable], help="interpreters")
    parser.add_argument("--tests", nargs="+", default=["tests"], help="folders or files of tests")
    arguments = parser.parse_args()
    names = arguments.names or [name for name in ENVIRONMENTS if not name.startswith("all")]
    if unknown := set(names) - set(ENVIRONMENTS):
        parser.error(f"no environment {', '.join(unknown)}; there are {', '.join(ENVIRONMENTS)}")
    failed = False
    for python in arguments.python:
        print(versions(python), flush=True)
        for name in names:
            failed |= not passes(python, name, arguments.tests)
    sys.exit(failed)


def versions(python: str) -> str:
    program = "import platform, torch; print('Python', platform.python_version(), 'torch', "
    return subprocess.check_output(
        [python, "-W", "ignore", "-c", program + "torch.__version__)"], text=True
    ).strip()


def passes(python: str, name: str, tests: list[str]) -> bool:
    """Runs the tests in one environment, prints the outcome and returns whether all passed."""
    away = name not in ("avx2", "sse", "columns", "language", "home")
    command = [python, "-m", "pytest", "-q", "-W", "error", "-m", "not slow", "--tb=short"]
    command += ["-n", "auto", "--maxprocesses", "4"]  # as `make test`
    command += ["--no-loadscope-reorder"]
    command += [
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(ROOT),
        "-c",
        str(ROOT / "pyproject.toml"),
    ]
    # Compiled for itself, it is the same program everywhere.
    command += ["--deselect", "tests/engine/native/test_safety.py"]
    command += [str(ROOT / test) for test in tests]
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            command,
            cwd=folder if away else ROOT,
            env=os.environ | ENVIRONMENTS[name],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
    seconds = time.perf_counter() - began
    lines = done.stdout.strip().splitlines()
    print(f"{name:10} {seconds:5.0f} s  {lines[-1] if lines else 'nothing printed'}", flush=True)
    if done.returncode:
        print("\n".join(lines[-60:]), flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    main()
