"""The wheel with its runtime dependencies alone: its size, and seven commands that must work.

    python benchmarks/wheel.py

The environment is new and holds nothing but the wheel, installed by pip without an index, and links
to those packages of this environment that the wheel's metadata asks for, extras left out. Needs the
extra `test`.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import venv
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from zipfile import ZipFile

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs"))

from commands import Outcome, run  # noqa: E402

SENTENCE = "The old dog sees the red house."
COMMANDS = {
    "translate": f"regard translate '{SENTENCE}' --attention",
    "look": f"regard look en-de '{SENTENCE}' --html look.html && test -s look.html",
    "studio": "regard studio --port 0 --no-open",
    "explain": "regard explain 'money bank grows' --json | grep -q weights",
    "words": "regard words near king --model words-en",
    "classify": "regard classify 'What a lovely surprise!' --top-k 3",
    "page": "regard export page en-de --output live.html && test -s live.html",
}


def build(folder: Path) -> Path:
    """Builds the wheel of this checkout, without an index."""
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT))
    (wheel,) = folder.glob("regard-*.whl")
    return wheel


def install(wheel: Path, folder: Path) -> Path:
    """A new environment with the wheel and what it requires; its folder of programs."""
    venv.create(folder, with_pip=False, symlinks=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = folder / "lib" / version / "site-packages"
    for name in required(wheel):
        found = distribution(name)
        for top in {file.parts[0] for file in found.files or []} - {"..", "__pycache__"}:
            link = packages / top
            if not link.exists():
                link.symlink_to(Path(str(found.locate_file(top))))
    pip("--python", str(folder / "bin" / "python"), "install", "--no-deps", str(wheel))
    return folder / "bin"


def required(wheel: Path) -> set[str]:
    """Every distribution that the wheel needs, directly or not; no extras."""
    with ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        text = archive.read(metadata).decode("utf-8")
    waiting = re.findall(r"^Requires-Dist: (.*)$", text, re.MULTILINE)
    found = set[str]()
    while waiting:
        requirement = Requirement(waiting.pop())
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        name = re.sub(r"[-_.]+", "-", requirement.name).lower()
        if name not in found:
            found.add(name)
            try:
                waiting += distribution(name).requires or []
            except PackageNotFoundError:
                sys.exit(f"the wheel needs {name}, which is not installed here")
    return found


def pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    environment = os.environ | {"PIP_NO_INDEX": "1", "PIP_CONSTRAINT": os.devnull}
    subprocess.run([*command, *arguments], env=environment, check=True)


def outcome(name: str, programs: Path, folder: Path) -> Outcome:
    """Runs one of COMMANDS with the environment's programs alone."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
    path = f"{programs}{os.pathsep}{os.defpath}"
    return run(COMMANDS[name], folder, kept | {"PATH": path, "HOME": str(folder)})


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build(folder)
        programs = install(wheel, folder / "environment")
        with ZipFile(wheel) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
        print(f"wheel {wheel.stat().st_size / 1e6:.1f} MB, unpacked {unpacked / 1e6:.1f} MB")
        names = required(wheel)
        sizes = {name: size(name) for name in names}
        whole = sum(sizes.values()) + unpacked / 1e6
        print(
            f"environment {len(names) + 1} packages, {whole:.0f} MB,"
            f" of which torch {sizes['torch']:.0f} MB"
        )
        for name in COMMANDS:
            work = folder / name
            work.mkdir()
            found = outcome(name, programs, work)
            print(
                f"{'ok' if found.passed else 'FAILED':6} {found.seconds:5.1f} s  {COMMANDS[name]}"
            )
            if not found.passed:
                print(found.output)


def size(name: str) -> float:
    """Megabytes of an installed distribution, without the bytecode that running it leaves."""
    found = distribution(name)
    files = (Path(str(found.locate_file(file))) for file in found.files or [])
    return (
        sum(path.stat().st_size for path in files if path.exists() and path.suffix != ".pyc") / 1e6
    )


if __name__ == "__main__":
    main()
