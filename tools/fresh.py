"""The README's commands on a machine that has never seen the project: `make fresh`.

    python tools/fresh.py            all of them but those that need the reader's own files
    python tools/fresh.py --demo     those of the first block only

The last commit is cloned into an empty folder with spaces and an umlaut in its path. HOME is empty.
There is no package cache, no user site and no environment; of the caller's variables only PATH, the
language and what reaches a package index are kept. The commands are read from the clone's README
and run in order, exactly as they stand there. Needs git and Python alone.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs"))

from commands import blocks, run  # noqa: E402

KEPT = ("LANG", "LC_", "PIP_", "HTTP_", "HTTPS_", "NO_PROXY", "SSL_", "REQUESTS_")

# For the clone's own Python: megabytes of each installed distribution, and what it needs.
INVENTORY = """
import json
from importlib.metadata import distributions
found = {}
for one in distributions():
    files = [path for path in map(one.locate_file, one.files or []) if path.exists()]
    found[one.name] = sum(path.stat().st_size for path in files) / 1e6
print(json.dumps(found))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description="Runs the README's commands in a fresh clone.")
    parser.add_argument("--demo", action="store_true", help="run the README's first block only")
    parser.add_argument("--python", help="the interpreter that make takes, such as python3.12")
    arguments = parser.parse_args()
    if git("status", "--porcelain"):
        print("fresh: what is not committed is not in the clone", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="regard fresh ä ") as folder:
        clone, home = Path(folder) / "a clone", Path(folder) / "home"
        home.mkdir()
        git("clone", "--quiet", str(ROOT), str(clone))
        environment = bare(home)
        if arguments.python:
            environment["PYTHON"] = arguments.python
        failed = walk(clone, environment, only_first=arguments.demo)
    sys.exit(failed > 0)


def walk(clone: Path, environment: dict[str, str], *, only_first: bool) -> int:
    """Runs the README's commands as one shell session would; returns how many fail."""
    found = [
        block
        for block in blocks(clone / "README.md", clone)
        if block[0].language == "console" and block[0].kind not in ("own", "shown")
    ]
    failed = ran = 0
    for command in found[0] if only_first else chain.from_iterable(found):
        outcome = run(command.text, clone, environment)
        failed += not outcome.passed
        ran += 1
        mark = "ok    " if outcome.passed else "FAILED"
        print(f"{mark} {outcome.seconds:6.1f} s  {command}", flush=True)
        if not outcome.passed:
            print("    " + outcome.output[-3000:].replace("\n", "\n    "))
        elif command.text.startswith("source "):
            environment = sourced(command.text, clone, environment)
        elif command.text.split()[:2] == ["make", "demo"]:
            print(installed(clone))
    commit = git("-C", str(clone), "rev-parse", "--short", "HEAD")
    print(f"{ran} commands of the README at {commit}, {failed} failed")
    return failed


def bare(home: Path) -> dict[str, str]:
    """An environment that knows nothing of this machine but where its programs are."""
    own = str(Path(sys.prefix).resolve()) if sys.prefix != sys.base_prefix else None
    path = [
        part
        for part in os.environ["PATH"].split(os.pathsep)
        if own is None or not str(Path(part).resolve()).startswith(own)
    ]
    kept = {name: text for name, text in os.environ.items() if name.upper().startswith(KEPT)}
    return kept | {
        "PATH": os.pathsep.join(path),
        "HOME": str(home),
        "TERM": "dumb",
        "PIP_NO_CACHE_DIR": "1",
        "PYTHONNOUSERSITE": "1",
    }


def sourced(command: str, folder: Path, environment: dict[str, str]) -> dict[str, str]:
    """The environment after a line that changes it, such as `source .venv/bin/activate`."""
    printed = subprocess.run(
        ["bash", "-ec", f"{command}\nenv -0"],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        check=True,
    ).stdout.decode()
    return dict(line.split("=", 1) for line in printed.split("\0") if line)


def installed(clone: Path) -> str:
    """What `make demo` installed, its size, and how long that took."""
    environment = clone / ".venv"
    python = environment / "bin" / "python"
    printed = subprocess.check_output([python, "-c", INVENTORY], text=True)
    found: dict[str, float] = json.loads(printed)
    began, ready = ((environment / name).stat().st_mtime for name in ("pyvenv.cfg", ".ready"))
    names = found.keys() - {"pip", "regard"}
    size = sum(found[name] for name in names)
    return f"    {len(names)} packages, {size:.0f} MB, {ready - began:.0f} s"


def git(*arguments: str) -> str:
    return subprocess.check_output(["git", *arguments], cwd=ROOT, text=True).strip()


if __name__ == "__main__":
    main()
