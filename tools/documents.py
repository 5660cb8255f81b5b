"""Everything that is checked of the pages and the scripts, in one process: `make check` runs it.

    python tools/documents.py

Prints a line for each fault, with its file and its line, and ends with 1 if there is one. What it
finds: a command that does not parse or cannot be rehearsed; a link into nothing; prose that is hard
to read; a comparison without a number; a picture without words; a number that is typed though it is
measured; a row of docs/introductions.md whose command does not work; a page of the road that ends
without a question; a script of benchmarks/ whose --help does not say what it measures; a name
of the package that cannot be imported.
"""

import os
import re
import runpy
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from pkgutil import resolve_name

ROOT = Path(__file__).absolute().parents[1]
DOCS, BENCHMARKS = ROOT / "docs", ROOT / "benchmarks"
sys.path[:0] = [str(DOCS), str(BENCHMARKS)]
os.environ["COLUMNS"] = "100"  # of --help

import claims  # noqa: E402
import commands  # noqa: E402
import prose  # noqa: E402

FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
# Files and the group of entry points have such names too.
NAME = re.compile(r"\bregard(?:\.[A-Za-z_]\w*)+\b(?!\.pyi)")
NO_NAMES = re.compile(r"regard\.(?:pyz|service|pages|cdx\.json)$")
Fault = tuple[Path, int, str]  # file, line, what is wrong there


def main() -> None:
    pages = sorted(DOCS.rglob("*.md"))
    faults = [
        *of_commands(),
        *of_prose(prose.pages()),
        *of_claims(claims.pages()),
        *of_pages(pages),
        *of_names(prose.pages()),
        *of_road(sorted((DOCS / "road").glob("*.md"))),
        *of_introductions(DOCS / "introductions.md"),
        *of_benchmarks(sorted(BENCHMARKS.glob("*.py"))),
    ]
    for file, line, what in faults:
        print(f"{file.relative_to(ROOT).as_posix()}:{line}: {what}")
    sys.exit(1 if faults else 0)


def line_of(text: str, part: str) -> int:
    """The line on which a part of a text begins; 1 if it is not there as it stands."""
    return commands.line_at(text, max(text.find(part), 0))


def of_commands() -> Iterator[Fault]:
    """Commands that do not parse, and those that are neither run nor rehearsed."""
    documented = [
        command
        for page in commands.documents()
        for block in commands.blocks(page)
        for command in block
    ]
    for command in [*documented, *commands.from_help()]:
        if reason := commands.refusal(command):
            yield ROOT / command.document, command.line, f"{command.text} does not parse: {reason}"
    for command in documented:
        if command.is_rehearsed and command.rehearsed is None:
            yield ROOT / command.document, command.line, f"{command.text} cannot be rehearsed"


def of_prose(pages: list[Path]) -> Iterator[Fault]:
    """Links into nothing, and pages that are hard to read."""
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for fault in prose.broken(page):
            yield page, line_of(text, f"]({fault.rpartition(':')[0]}"), fault
        level = prose.grade(text)
        if level is not None and level >= prose.GRADE:
            yield page, 1, f"reads like grade {level:.1f}; at most {prose.GRADE:.0f}"


def of_claims(pages: list[Path]) -> Iterator[Fault]:
    """Sentences that compare without a number."""
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for sentence in claims.unsupported(text):
            place = text.replace("\n", " ").find(sentence)
            yield page, commands.line_at(text, max(place, 0)), f"has no number: {sentence}"


def of_pages(pages: list[Path]) -> Iterator[Fault]:
    """Pictures without words, and pictures that no program draws."""
    for page in pages:
        text = page.read_text(encoding="utf-8")
        programs, written = "".join(FENCE.findall(text)), FENCE.sub("", text)
        if "![](" in text:
            yield page, line_of(text, "![]("), "a picture is not described"
        drawers = tuple(re.findall(r"(\w+)\.py", programs))
        for link in re.findall(r"\]\((?!https?:)([^)#]+)", written):
            target = (page.parent / link).resolve()
            made = target.is_relative_to(DOCS) and target.relative_to(DOCS).as_posix() in prose.MADE
            drawn = link in programs or Path(link).stem.startswith(drawers or ("\0",))
            if not (target.exists() or drawn or made):
                yield page, line_of(text, f"]({link}"), f"{link}: no file, and no program draws it"


def of_names(pages: list[Path]) -> Iterator[Fault]:
    """Names of the package that cannot be imported."""
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for name in sorted(set(NAME.findall(text))):
            if not (NO_NAMES.match(name) or exists(name)):
                yield page, line_of(text, name), f"{name}: there is no such name"


def exists(name: str) -> bool:
    """Whether a dotted name is a module, or what is defined in one or in a class of it."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):  # a function may have the name of its module
        try:
            resolve_name(":".join(filter(None, (".".join(parts[:end]), ".".join(parts[end:])))))
        except (ImportError, AttributeError):
            continue
        return True
    return False


def of_road(pages: list[Path]) -> Iterator[Fault]:
    """Numbers that are typed though a program prints them, and ends without a question."""
    for page in pages:
        text = page.read_text(encoding="utf-8")
        plain = re.sub(r"`[^`]*`", "", FENCE.sub("", text))
        for number in re.findall(r"\d+[.,]\d+|\d+ ?(?:%|dB|ms|times)", plain):
            yield page, line_of(text, number), f"{number} is measured; let a program print it"
        last = text.split("\n## ")[-1]
        asks = last.startswith("A question\n") and "?" in last
        if page.name != "index.md" and not (
            asks and re.search(r"^\$ (?:python examples/|regard )", last, re.MULTILINE)
        ):
            yield page, text.count("\n"), "must end with a question that a command answers"


def of_introductions(page: Path) -> Iterator[Fault]:
    """Rows of the table without a command that works, or whose section is not on the page."""
    text = page.read_text(encoding="utf-8")
    titles = [title.replace("*", "").lower() for title in re.findall("^## (.*)$", text, re.M)]
    sections = {re.sub(r"[^\w ]", "", title).replace(" ", "-") for title in titles}
    for number, row in enumerate(text.splitlines(), 1):
        cells = [cell.strip() for cell in row.split("|")[1:-1]]
        if not row.startswith("| ") or row.startswith("| from the"):
            continue
        if len(cells) != 3:
            yield page, number, "a row says what is shown, where, and by which command"
            continue
        where, command = cells[1], cells[2].strip("`")
        section = re.search(r"\(#(.*?)\)", where)
        if section and section[1] not in sections:
            yield page, number, f"there is no section {section[1]}"
        if reason := refusal_of_row(where, command):
            yield page, number, reason


def refusal_of_row(where: str, command: str) -> str | None:
    """The reason why a row's command does not work; None if it does."""
    if where == "not here yet":
        return "what is not here yet has no command" if command else None
    if command.startswith("python "):
        script = command.split()[1]
        return None if (ROOT / script).exists() else f"there is no {script}"
    if not command.startswith("regard "):
        return f"{command!r} is no command of python or regard"
    return commands.refusal(commands.Command("introductions.md", 1, command, ""))


def of_benchmarks(scripts: list[Path]) -> Iterator[Fault]:
    """Scripts whose docstring lacks their command, or whose --help what they measure."""
    for script in scripts:
        text = script.read_text(encoding="utf-8")
        if f"\n    python benchmarks/{script.name}" not in text:
            yield script, 1, f"its docstring must hold `python benchmarks/{script.name}`"
        code, printed = helped(script)
        first = text.splitlines()[0].strip('"')
        if code != 0:
            yield script, 1, f"--help ends with {code}: {printed.strip()[-200:]}"
        elif first not in " ".join(printed.split()):
            yield script, 1, f"--help must say {first!r}"


def helped(script: Path) -> tuple[object, str]:
    """The exit code of a script's --help, and what it printed."""
    printed, arguments = StringIO(), sys.argv
    sys.argv = [script.name, "--help"]
    try:
        with redirect_stdout(printed), redirect_stderr(printed):
            runpy.run_path(str(script), run_name="__main__")
    except SystemExit as stop:
        return stop.code or 0, printed.getvalue()
    except Exception as error:
        if getattr(error, "name", "") == "playwright":  # a developer's tool, not everywhere there
            return 0, script.read_text(encoding="utf-8").split('"""')[1]
        return 1, f"{type(error).__name__}: {error}"
    finally:
        sys.argv = arguments
    return "no exit", printed.getvalue()


if __name__ == "__main__":
    main()
