"""Write hashes.txt: what `make demo` installs, each wheel by its SHA-256, as PyPI states it.

    python tools/hashes.py

The versions are those of constraints.txt, and the packages those that regard requires and that
build it. A wheel for any platform and any Python that regard runs on is listed.
"""

import json
import sys
import urllib.request
from importlib.metadata import PackageNotFoundError, distribution
from itertools import product

from packages import EVERYWHERE, ROOT, constraints, requirements, spelled
from packaging.requirements import Requirement
from packaging.utils import parse_wheel_filename

INDEX = "https://pypi.org/simple"
SYSTEMS = {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
INTERPRETERS = {"py3", *(f"cp{version.replace('.', '')}" for version in PYTHONS)}
HEAD = "# tools/hashes.py wrote this file from constraints.txt.\n"


def needed(roots: list[str], pinned: dict[str, str], system: str, python: str) -> set[str]:
    """Return the pinned packages that these require on a system."""
    environment = EVERYWHERE | {
        "os_name": "nt" if system == "win32" else "posix",
        "platform_system": SYSTEMS[system],
        "python_full_version": f"{python}.0",
        "python_version": python,
        "sys_platform": system,
    }
    waiting, names = list(roots), set[str]()
    while waiting:
        name = waiting.pop()
        if name in names or name not in pinned:
            continue
        names.add(name)
        try:
            lines = distribution(name).requires or []
        except PackageNotFoundError:  # of another system
            continue
        parsed = [Requirement(line) for line in lines]
        waiting += [
            spelled(each.name)
            for each in parsed
            if not each.marker or each.marker.evaluate(environment)
        ]
    return names


def wheels(name: str, version: str) -> list[str]:
    """Return the SHA-256 of each wheel of a version that one of PYTHONS can install."""
    accept = {"Accept": "application/vnd.pypi.simple.v1+json"}
    with urllib.request.urlopen(urllib.request.Request(f"{INDEX}/{name}/", None, accept)) as page:
        files = [file for file in json.load(page)["files"] if file["filename"].endswith(".whl")]
    hashes = []
    for file in files:
        if (
            file["filename"].split("-")[1] == version
        ):  # others may have names that are no longer valid
            tags = parse_wheel_filename(file["filename"])[3]
            if any(tag.interpreter in INTERPRETERS or tag.abi == "abi3" for tag in tags):
                hashes.append(file["hashes"]["sha256"])
    return sorted(hashes)


def lines(roots: list[str], pinned: dict[str, str]) -> str:
    """Return the requirements of these packages, with hashes."""
    places = list(product(SYSTEMS, PYTHONS))
    by_place = {place: needed(roots, pinned, *place) for place in places}
    text = ""
    for name in sorted(set().union(*by_place.values())):
        systems = [each for each in SYSTEMS if any(name in by_place[each, p] for p in PYTHONS)]
        only = " or ".join(f'sys_platform == "{each}"' for each in systems)
        marker = "" if len(systems) == len(SYSTEMS) else f" ; {only}"
        hashes = "".join(f" \\\n    --hash=sha256:{each}" for each in wheels(name, pinned[name]))
        text += f"{name}=={pinned[name]}{marker}{hashes}\n"
    return text


def main() -> None:
    pinned = constraints()
    written = {"hashes.txt": list(requirements()), "hashes-build.txt": ["hatchling"]}
    for file, roots in written.items():
        (ROOT / file).write_text(HEAD + lines(roots, pinned), encoding="utf-8")
    print(f"{', '.join(written)} are written", file=sys.stderr)


if __name__ == "__main__":
    main()
