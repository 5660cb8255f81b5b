"""The words that docs/design.md rules out are in no identifier and in no text."""

import ast
import re
import subprocess
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (".py", ".md", ".ts", ".tsx", ".css", ".html")
LEFT_OUT = (
    "benchmarks/results/",
    "src/regard/studio/static/",
    "src/regard/shipped/",
    "tests/test_vocabulary.py",
    "web/src/schema.d.ts",
)
HEAD = "| not | but | in |\n|---|---|---|\n"


def rows() -> list[tuple[str, str]]:
    """(words, "name" or "text") of each row of the table."""
    design = (ROOT / "docs" / "design.md").read_text("utf-8")
    table = design.split(HEAD)[1].split("\n\n")[0]
    cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in table.split("\n"))
    return [(words, where) for words, _, wheres in cells for where in wheres.split(", ")]


def pattern(words: str) -> re.Pattern[str]:
    """Of "is none", of a beginning such as "normalis…", of "has not, at the end of a clause"."""
    phrases = []
    ending = r"(?=[.,;:)]|$)" if "end of a clause" in words else ""
    before = r"(?<!there )(?<!There )" if "not after" in words else ""
    for word in re.sub("`|, (at|not) .*", "", words).split(", "):
        word = word.removesuffix(" alone")
        stem = re.escape(word.removesuffix("…"))
        stop = (
            "" if word.endswith(("…", ".")) else r"(?![a-z])" if " " in word else r"(?:s|ed|ing)?\b"
        )
        phrases.append(rf"\b{stem}{stop}")
    # The first letter may be a capital; "is None" is Python.
    phrases = [re.sub(r"^\\b(\w)", r"\\b(?i:\1)", phrase) for phrase in phrases]
    return re.compile(f"{before}(?:{'|'.join(phrases)}){ending}", re.MULTILINE)


@cache
def tracked() -> list[Path]:
    listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True).split("\0")
    return [
        ROOT / name
        for name in listed
        if name.endswith(TEXT) and not name.startswith(LEFT_OUT) and (ROOT / name).exists()
    ]


@cache
def text(path: Path) -> str:
    """A file's text, without that of the table itself."""
    before, head, after = path.read_text("utf-8").partition(HEAD)
    table, rest = after.split("\n\n", 1) if head else ("", after)
    return "\n".join([before, *[""] * (head + table).count("\n"), rest])


@cache
def names(variables: bool) -> dict[str, set[str]]:
    """Every identifier of the package, and its files; or those alone that are read as variables:
    neither fields nor methods."""
    files: dict[str, set[str]] = defaultdict(set)
    for path in tracked():
        if path.suffix == ".py" and path.is_relative_to(ROOT / "src"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                read = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
                for field in ("id", "arg", "attr", "name"):
                    name = getattr(node, field, None)
                    if isinstance(name, str) and (read or not variables):
                        files[name].add(str(path.relative_to(ROOT)))
    return files


@pytest.mark.parametrize("words", [words for words, where in rows() if where == "text"])
def test_no_text_has(words: str) -> None:
    ruled_out = pattern(words)
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in tracked()
        if ruled_out.search(text(path))
        for number, line in enumerate(text(path).split("\n"), 1)
        if ruled_out.search(line)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("words", [words for words, where in rows() if where == "name"])
def test_no_identifier_has(words: str) -> None:
    ruled_out, whole = pattern(words), "alone" in words

    def parts(name: str) -> list[str]:
        return [name] if whole else re.split("_|(?<=[a-z])(?=[A-Z])", name)

    found = [
        f"{name}: {', '.join(sorted(files))}"
        for name, files in names(variables=whole).items()
        if any(ruled_out.fullmatch(part) for part in parts(name))
    ]
    assert not found, "\n".join(found)
