"""What the package imports is what pyproject.toml declares."""

import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.version import Version

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import versions  # noqa: E402

# Modules that are called otherwise than the package they come with.
NAMES = {
    "IPython": "anywidget", "PIL": "pillow", "sklearn": "scikit-learn", "traitlets": "anywidget",
    "umap": "umap-learn",
}  # fmt: skip

FOR_TYPES = {"_typeshed", "typing_extensions"}  # that type checkers bring


def imported(tree: ast.AST, *, at_once: bool) -> Iterator[str]:
    """The first part of every imported name; `at_once`: not those inside functions."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").split(".")[0]
        elif at_once and (isinstance(node, ast.FunctionDef) or is_for_types(node)):
            continue
        else:
            yield from imported(node, at_once=at_once)


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def packages(*, at_once: bool) -> set[str]:
    found = {
        name
        for path in (ROOT / "src").rglob("*.py")
        for name in imported(ast.parse(path.read_text("utf-8")), at_once=at_once)
    }
    third = found - set(sys.stdlib_module_names) - {"regard", "__future__"} - FOR_TYPES
    return {NAMES.get(name, name).replace("_", "-") for name in third}


def declared() -> tuple[set[str], set[str]]:
    """What is always installed, and what the extras for users add."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

    def names(requirements: list[str]) -> set[str]:
        return {re.split(r"[^\w-]", each)[0] for each in requirements}

    extras = project["optional-dependencies"]
    added = [names(extra) for name, extra in extras.items() if name not in ("dev", "docs")]
    return names(project["dependencies"]), set().union(*added)


def test_every_import_is_declared() -> None:
    always, extras = declared()
    assert packages(at_once=False) - always - extras == set()


def test_what_is_imported_with_a_module_is_always_installed() -> None:
    always, _ = declared()
    # The notebook widget is a module of its own, imported when a trace is to be shown. What needs
    # torch imports it; tests/cli/test_without_torch.py is about the rest.
    assert packages(at_once=True) - always - {"anywidget", "httpx2", "torch"} == set()


def test_users_may_have_the_versions_from_the_lowest_that_was_run_to_the_newest() -> None:
    record = json.loads(versions.RECORD.read_text("utf-8"))
    lowest, newest = (record[which]["versions"] for which in ("lowest", "newest"))
    for each in versions.requirements():
        least = Version(lowest[each.name]).public  # without "+cpu"
        run = SpecifierSet(f">={least},<{versions.ends(newest[each.name])}")
        for operator in (">=", "<"):
            allowed, tested = (versions.bound(one, operator) for one in (each.specifier, run))
            assert Version(allowed or "0") == Version(tested), f"{each}: {run} was run"
