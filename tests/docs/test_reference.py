"""The reference: each of its names has an example, and every example in a docstring is run."""

import doctest
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy
import pytest
import torch

import regard
import regard.attention

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
MODULES = [
    ".".join(path.relative_to(SOURCE).with_suffix("").parts)
    for path in sorted(SOURCE.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]
ENTRY = re.compile(r"^::: (\S+)\n((?:    .*\n|\n)*)", re.MULTILINE)
MEMBERS = re.compile(r"members:\s*(?:\[(.*?)\]|((?:\n\s+- \w+)+))", re.DOTALL)


def listed() -> list[str]:
    """The functions and classes of the reference's pages, by their full names."""
    found = []
    for page in sorted((ROOT / "docs" / "reference").glob("*.md")):
        for name, options in ENTRY.findall(page.read_text(encoding="utf-8") + "\n"):
            members = MEMBERS.search(options)
            module = name.rpartition(".")[2].islower() and (SOURCE / name.replace(".", "/")).parent
            if members and module and (module / f"{name.rpartition('.')[2]}.py").exists():
                inside = re.findall(r"\w+", members[1] or members[2])
                found += [f"{name}.{member}" for member in inside]
            else:
                found.append(name)
    return found


def test_each_name_of_the_reference_has_an_example() -> None:
    without = []
    for name in listed():
        member = resolve_name(name.rpartition(".")[0] + ":" + name.rpartition(".")[2])
        parts = [member, *vars(member).values()] if isinstance(member, type) else [member]
        if not any(">>> " in (getattr(part, "__doc__", None) or "") for part in parts):
            without.append(name)
    assert without == []


def test_each_exported_name_with_an_example_is_in_the_reference() -> None:
    pages = set(listed())
    missing = set()
    for path in SOURCE.rglob("__init__.py"):
        package = importlib.import_module(".".join(path.relative_to(SOURCE).parent.parts))
        for name in getattr(package, "__all__", ()):
            found = getattr(package, name)
            full = f"{getattr(found, '__module__', '')}.{name}"
            if full.startswith("regard.") and ">>> " in (getattr(found, "__doc__", None) or ""):
                missing |= {full} - pages
    assert missing == set()


@pytest.fixture
def on_one_thread() -> Iterator[None]:
    """What is this small is slower on two."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.usefixtures("on_one_thread")
def test_every_example_in_a_docstring_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What an example may use: its module's names, torch, numpy, regard, and pairs.tsv."""
    for package in ("matplotlib", "PIL"):
        pytest.importorskip(package)
    pairs = "".join(
        f"the {adjective} {noun} runs\tder {translated} {name} läuft\n"
        for adjective, translated in (("old", "alte"), ("red", "rote"), ("big", "große"))
        for noun, name in (("dog", "Hund"), ("man", "Mann"), ("bus", "Bus"))
    )
    (tmp_path / "pairs.tsv").write_text(pairs, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(regard, "load", cache(regard.load))  # most examples load one translator
    given: dict[str, Any] = {"torch": torch, "numpy": numpy, "regard": regard}
    attempted = 0
    with torch.random.fork_rng(devices=[]):
        for name in MODULES:
            module = importlib.import_module(name)
            extra = vars(regard.attention) if name.startswith("regard.attention.") else {}
            names = {each: extra[each] for each in regard.attention.__all__ if each in extra}
            result = doctest.testmod(module, extraglobs=names | given, optionflags=doctest.ELLIPSIS)
            assert result.failed == 0, capsys.readouterr().out
            attempted += result.attempted
    assert attempted > 150
