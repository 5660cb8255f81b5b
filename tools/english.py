"""The grammar of docstrings and of names, in one process: `make check` runs it.

    python tools/english.py             what is new since the counts below
    python tools/english.py --all       every place

A docstring begins with a noun or a verb ("Token ids of one text", "Return …"), and a local is
called for the thing that it holds, not for its part in a sentence. What there was when the rule was
made is counted below: the counts may only fall.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).absolute().parents[1]
SOURCE = ROOT / "src" / "regard"
BEGINS = re.compile(r"(?:What|Which|How|Whether|Who|Whom|Whose|Where|When)\b")
LOCALS = {"found", "each", "own", "known", "kept", "named", "asked", "wanted"}

# How many places of each kind are left: docstrings, and locals.
LEFT = {"docstring": 12, "local": 217}

Place = tuple[Path, int, str, str]  # file, line, kind, what is wrong


def places(file: Path, text: str) -> Iterator[Place]:
    """The places of one file that break a rule."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node) or ""
            if begins := BEGINS.match(docstring):
                name = "the module" if isinstance(node, ast.Module) else node.name
                first = docstring.splitlines()[0]
                why = f"{name}: begins with {begins[0]!r}; begin with a noun or a verb: {first}"
                yield file, getattr(node, "lineno", 1), "docstring", why
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in LOCALS:
            yield file, node.lineno, "local", f"{node.id!r} is no name for a thing"


def main() -> None:
    every = [
        place
        for file in sorted(SOURCE.rglob("*.py"))
        for place in places(file, file.read_text(encoding="utf-8"))
    ]
    counts = {kind: sum(place[2] == kind for place in every) for kind in LEFT}
    over = {kind for kind, count in counts.items() if count > LEFT[kind]}
    for file, line, kind, why in every:
        if kind in over or "--all" in sys.argv:
            print(f"{file.relative_to(ROOT)}:{line}: {why}")
    for kind in sorted(over):
        print(f"{counts[kind]} of the kind {kind}; tools/english.py allows {LEFT[kind]}")
    if "--all" in sys.argv:
        print(*(f"{count} of the kind {kind}" for kind, count in counts.items()), sep="\n")
    sys.exit(1 if over else 0)


if __name__ == "__main__":
    main()
