"""Licenses of what regard requires and contains: `python tools/licenses.py` writes THIRD-PARTY.md.

Ends with exit code 1, naming the package, where a license is not one of ALLOWED. Needs the extra
`dev`.
"""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from boolean import Expression
from license_expression import ExpressionError
from packages import ROOT, SPDX, Package, models, page_packages, python_packages

FILE = ROOT / "THIRD-PARTY.md"
# Licenses that ask of a program that imports or contains the code no more than a notice. MPL-2.0
# asks for the source of changed files, and what has it is required unchanged.
ALLOWED = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause",
    "BSL-1.0", "CC0-1.0", "CNRI-Python", "ISC", "MIT", "MPL-2.0", "PSF-2.0", "Zlib",
}  # fmt: skip


def allowed(license: str) -> bool:
    """Whether an SPDX expression can be met with licenses of ALLOWED alone."""
    try:
        return _met(SPDX.parse(license, validate=True))
    except ExpressionError:
        return False


def _met(expression: Expression) -> bool:
    if expression.isliteral:
        return str(expression) in ALLOWED
    parts = [_met(part) for part in expression.args]
    return any(parts) if isinstance(expression, SPDX.OR) else all(parts)


def refused(packages: Iterable[Package]) -> list[str]:
    """A line for each package whose license is not allowed."""
    return [
        f"{each.name} {each.version}: {each.license}"
        for each in packages
        if not allowed(each.license)
    ]


def text(required: list[Package], contained: list[Package]) -> str:
    """THIRD-PARTY.md."""
    shipped = "\n".join(f"| {name} | {license} |" for name, license in models().items())
    return f"""# What regard is made of, and its licenses

`make notices` writes this file, and the same as a CycloneDX SBOM, `regard.cdx.json`, from what is
installed. A wheel carries both, under `regard-*.dist-info/`.

## In the page

The code of these packages is in `src/regard/studio/static/regard.js` and in each page that regard
saves. The texts of their licenses are at the top of that script.

{_table(contained)}

## Models

What each was trained on is in NOTICE and in its card (`regard info MODEL`).

| model | license of the weights |
|---|---|
{shipped}

## Required from PyPI

What `pip install` brings with regard, in the versions that it is tested with; extras, and what a
build of torch brings for graphics cards, are not in the list. No code of these packages is in a
wheel of regard.

{_table(required)}
"""


def _table(packages: list[Package]) -> str:
    rows = "\n".join(f"| {each.name} | {each.version} | {each.license} |" for each in packages)
    return f"| package | version | license |\n|---|---|---|\n{rows}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=FILE)
    arguments = parser.parse_args()
    required, contained = python_packages(), page_packages()
    if wrong := refused([*required, *contained]):
        print("licenses that are not allowed (tools/licenses.py lists those that are):")
        sys.exit("\n".join(wrong))
    arguments.output.write_text(text(required, contained), encoding="utf-8")


if __name__ == "__main__":
    main()
