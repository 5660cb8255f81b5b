"""The tests with the lowest and the newest versions that pyproject.toml allows.

    python tools/versions.py lowest      in build/lowest: `make test-lowest`
    python tools/versions.py newest      in build/newest: `make test-newest`

Installs without constraints.txt, runs the tests, and records in tools/versions.json which versions
passed. tests/test_dependencies.py holds pyproject.toml to that record: it allows nothing below the
lowest, and nothing above the minor release of the newest. Developers' tools are the newest in both.
"""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "tools" / "versions.json"
DEVELOPERS = ("test", "dev", "docs")  # extras that no user installs
# Held to constraints.txt, or to the record that is being made.
LEFT_OUT = ("browser", "docs", "examples", "test_notices.py", "test_wheel.py")
LEFT_OUT += ("test_dependencies.py",)


def requirements() -> Iterator[Requirement]:
    """Requirements of users: the dependencies, and those of the extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lists = [project["dependencies"]]
    extras = project["optional-dependencies"]
    lists += [extra for name, extra in extras.items() if name not in DEVELOPERS]
    for each in map(Requirement, sorted({line for lines in lists for line in lines})):
        if each.name != project["name"]:
            yield each


def bound(specifiers: SpecifierSet, operator: str) -> str:
    """The version after `operator`; "" if there is none."""
    return next((each.version for each in specifiers if each.operator == operator), "")


def ends(version: str) -> str:
    """The first version that is not of the same minor release: "2.16" after "2.15.1"."""
    major, minor = re.findall(r"\d+", version + ".0")[:2]
    return f"{major}.{int(minor) + 1}"


def main(which: str) -> None:
    folder = ROOT / "build" / which
    python = folder / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    install = [python, "-m", "pip", "install", "--only-binary", ":all:", "--editable"]
    install += [f"{ROOT}[test,umap]"]
    if which == "lowest":
        pins = folder / "lowest.txt"
        pins.write_text(
            "".join(f"{each.name}=={bound(each.specifier, '>=')}\n" for each in requirements())
        )
        install += ["--constraint", pins]
    subprocess.run(install, check=True)
    # What the newest versions call deprecated is an error there; of old versions nothing is.
    warnings = "error" if which == "newest" else "default"
    command = [
        python,
        "-m",
        "pytest",
        "-q",
        "-W",
        warnings,
        "-m",
        "not slow",
        "-p",
        "no:cacheprovider",
    ]
    command += ["-n", "auto", "--maxprocesses", "4", "tests"]
    command += [f"--ignore=tests/{name}" for name in LEFT_OUT]
    run = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    print(run.stdout[-20_000:], flush=True)
    if run.returncode:
        sys.exit(run.returncode)
    listed = subprocess.check_output([python, "-m", "pip", "list", "--format", "json"], text=True)
    installed = {spelled(each["name"]): each["version"] for each in json.loads(listed)}
    record = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {}
    record[which] = {
        "tests": run.stdout.strip().splitlines()[-1].split(" in ")[0],
        "versions": {
            each.name: installed[spelled(each.name)]
            for each in requirements()
            if spelled(each.name) in installed
        },
    }
    RECORD.write_text(json.dumps(record, indent=2) + "\n", "utf-8")


def spelled(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    if sys.argv[1:] not in (["lowest"], ["newest"]):
        sys.exit(__doc__)
    main(sys.argv[1])
