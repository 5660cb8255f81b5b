"""What regard is made of: the packages that it requires, those that its page contains, and the
models that it ships, each with its version and license.

    python tools/packages.py        through which requirement each package comes
"""

import json
import re
import tomllib
from dataclasses import dataclass
from importlib.metadata import Distribution, distribution
from pathlib import Path

from license_expression import get_spdx_licensing
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = ROOT / "src" / "regard" / "shipped"
BUNDLED = ROOT / "src" / "regard" / "studio" / "static" / "bundled.json"

# Where the metadata has no SPDX expression: what the classifiers, or else the license files, say.
CLASSIFIERS = {
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: ISC License (ISCL)": "ISC",
    "License :: OSI Approved :: MIT License": "MIT",
}
FILES = {
    "colorama": "BSD-3-Clause",
    "jinja2": "BSD-3-Clause",
    "mpmath": "BSD-3-Clause",
    "sympy": "BSD-3-Clause",
}
# The same list of packages whatever Python makes it.
EVERYWHERE = {
    "extra": "",
    "implementation_name": "cpython",
    "os_name": "posix",
    "platform_machine": "x86_64",
    "platform_python_implementation": "CPython",
    "platform_system": "Linux",
    "python_full_version": "3.13.0",
    "python_version": "3.13",
    "sys_platform": "linux",
}
SPDX = get_spdx_licensing()


@dataclass(frozen=True)
class Package:
    """A package of PyPI or npm.

    Args:
        license: an SPDX expression.
        required: the versions that regard's own metadata accepts; "" where another needs it.
        needs: the names of the packages that it requires.
    """

    name: str
    version: str
    license: str
    required: str = ""
    needs: tuple[str, ...] = ()


def python_packages() -> list[Package]:
    """Every package that is installed with regard, without extras, by name.

    The versions are those of constraints.txt. What only a build of torch brings, such as CUDA's
    libraries, is not in that file, and not here.
    """
    pinned, direct = constraints(), requirements()
    waiting, found = list(direct), dict[str, Package]()
    while waiting:
        name = waiting.pop()
        if name in found or name not in pinned:
            continue
        installed = distribution(name)
        needs = (Requirement(line) for line in installed.requires or [])
        names = sorted(
            {spelled(r.name) for r in needs if not r.marker or r.marker.evaluate(EVERYWHERE)}
        )
        waiting += names
        found[name] = Package(
            name, pinned[name], license_of(installed), direct.get(name, ""),
            tuple(each for each in names if each in pinned),
        )  # fmt: skip
    return [found[name] for name in sorted(found)]


def page_packages() -> list[Package]:
    """Every package of npm whose code is in the built page; the bundler names them."""
    return [Package(**each) for each in json.loads(BUNDLED.read_text("utf-8"))]


def models() -> dict[str, str]:
    """Name → license of each shipped model, as its card states it."""
    cards = {path.parent.name: path.read_text("utf-8") for path in SHIPPED.glob("*/README.md")}
    found = {name: re.search(r'^license: "(.+)"$', text, re.M) for name, text in cards.items()}
    return {name: match[1] if match else "unknown" for name, match in sorted(found.items())}


def requirements() -> dict[str, str]:
    """Name → versions that pyproject.toml accepts."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    parsed = [Requirement(line) for line in project["dependencies"]]
    return {spelled(each.name): str(each.specifier) for each in parsed}


def constraints() -> dict[str, str]:
    """Name → version of constraints.txt."""
    lines = (ROOT / "constraints.txt").read_text("utf-8").split("\n")
    pairs = (line.split("==") for line in lines if "==" in line and not line.startswith("#"))
    return {spelled(name): version.strip() for name, version in pairs}


def license_of(installed: Distribution) -> str:
    """The SPDX expression of an installed package; "unknown" where it states none."""
    metadata = installed.metadata
    stated = metadata.get("License-Expression") or metadata.get("License") or ""
    if stated and "\n" not in stated and not SPDX.validate(stated).errors:
        return stated
    if spelled(installed.name) in FILES:
        return FILES[spelled(installed.name)]
    named = [CLASSIFIERS.get(each) for each in metadata.get_all("Classifier") or []]
    known = sorted({each for each in named if each})
    return " AND ".join(known) or "unknown"


def spelled(name: str) -> str:
    """A package's name as PyPI compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def main() -> None:
    packages = {package.name: package for package in python_packages()}
    print(f"{len(packages)} packages:")
    for name, package in packages.items():
        if package.required:
            brought = _brought(packages, name)
            print(f"  {name}" + (f" with {len(brought)}: {', '.join(brought)}" if brought else ""))


def _brought(packages: dict[str, Package], name: str) -> list[str]:
    """The packages that one requires, directly or not."""
    waiting, found = list(packages[name].needs), set[str]()
    while waiting:
        needed = waiting.pop()
        if needed not in found:
            found.add(needed)
            waiting += packages[needed].needs
    return sorted(found)


if __name__ == "__main__":
    main()
