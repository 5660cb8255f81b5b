"""The road in one piece: as a notebook that runs from top to bottom, and as one PDF.

    python docs/whole_road.py             writes build/road/road.ipynb, with links to what it needs
    python docs/whole_road.py --execute   and runs it, offline; needs nbclient and ipykernel

`docs/build.py` writes the page that becomes the PDF, and prints it where there is a Chromium.
"""

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
ROAD = ROOT / "docs" / "road"
HOME = ROOT / "build" / "road"
LIMIT = 600  # seconds of one processor that the whole notebook may take
LISTED = re.compile(r"^\| \[.*?\]\((\S+?\.md)\)", re.MULTILINE)
FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DRAWN = re.compile(r"!\[([^\]]*)\]\((\w+\.svg)\)(?:\{[^}]*\})?")
LINK = re.compile(r"\]\((?!https?:|#)([^)\s]+)\)")


def pages(folder: Path = ROAD) -> list[Path]:
    """The pages of the road, in the order of its index."""
    index = folder / "index.md"
    return [index, *(folder / name for name in LISTED.findall(index.read_text("utf-8")))]


def cells(page: str) -> Iterator[tuple[str, str]]:
    """("markdown" or "code", source) of a page: what it runs is run, what it drew is shown."""
    at = 0
    for fence in FENCE.finditer(page):
        yield from prose(page[at : fence.start()])
        at = fence.end()
        language, mark, body = fence.groups()
        if mark != " run":
            yield "markdown", f"```{language}\n{shown(mark, body)}```"
        elif language == "python":
            yield "code", body.rstrip()
        else:
            yield "code", f"%%bash\n{commands(body)}"
    yield from prose(page[at:])


def shown(mark: str, body: str) -> str:
    """What a fence that is not run shows: of a source, the lines of the file."""
    from build import source

    kind, *rest = mark.split() or [""]
    return source(ROOT / rest[0], rest[1:]) if kind == "source" else body


def commands(body: str) -> str:
    """The commands of a console, to be run by bash; the first that fails ends them."""
    from commands import prompts

    return "\n".join(["set -eo pipefail", *prompts(body)])


def prose(text: str) -> Iterator[tuple[str, str]]:
    """Text, and a cell for each picture that a program before it drew."""
    at = 0
    for picture in DRAWN.finditer(text):
        yield "markdown", linked(text[at : picture.start()])
        yield "code", f'from IPython.display import SVG\n\nSVG("{picture[2]}")'
        at = picture.end()
    yield "markdown", linked(text[at:])


def linked(text: str) -> str:
    """Links and pictures as a reader in build/road finds them."""

    def there(link: re.Match[str]) -> str:
        path, _, section = link[1].partition("#")
        target = os.path.relpath((ROAD / path).resolve(), HOME)
        return f"]({target}{'#' * bool(section)}{section})"

    return LINK.sub(there, text).strip()


def notebook() -> dict[str, Any]:
    """The road in Jupyter's format, version 4.5."""
    found: list[dict[str, Any]] = []
    for page in pages():
        for kind, source in cells(page.read_text("utf-8")):
            if not source:
                continue
            cell = {"id": f"cell-{len(found)}", "cell_type": kind, "metadata": {}, "source": source}
            found.append(
                cell | ({"outputs": [], "execution_count": None} if kind == "code" else {})
            )
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": found}


def write_notebook() -> Path:
    """The notebook, beside the data, examples and results that its cells name."""
    from build import links

    HOME.mkdir(parents=True, exist_ok=True)
    data = {path.name: path for path in ROAD.glob("*.tsv")}
    for name, target in (links() | data).items():
        (HOME / name).unlink(missing_ok=True)
        (HOME / name).symlink_to(target)
    path = HOME / "road.ipynb"
    path.write_text(json.dumps(notebook(), indent=1, ensure_ascii=False) + "\n", "utf-8")
    return path


def execute(path: Path) -> None:
    """Runs all cells in order, and keeps what they give in the file.

    Raises the error of the first cell that fails.
    """
    import nbformat
    from nbclient import NotebookClient

    here = Path(sys.executable).parent
    os.environ |= {"PATH": f"{here}{os.pathsep}{os.environ['PATH']}", "HF_HUB_OFFLINE": "1"}
    os.environ |= {"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"}
    began = time.perf_counter()
    book = nbformat.read(path, as_version=4)
    NotebookClient(book, timeout=3 * LIMIT, resources={"metadata": {"path": str(HOME)}}).execute()
    nbformat.write(book, path)
    took = time.perf_counter() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)  # the kernel and all that it started
    seconds = used.ru_utime + used.ru_stime
    ran = sum(cell.cell_type == "code" for cell in book.cells)
    print(
        f"{path.relative_to(ROOT)}: {ran} cells run in {took:.0f} s, {seconds:.0f} s of a processor"
    )
    if seconds > LIMIT:
        sys.exit(f"the notebook took more than {LIMIT} s of a processor")


def page(folder: Path) -> str:
    """All pages of the road, complete, as one."""
    return "\n\n".join(path.read_text("utf-8") for path in pages(folder))


def pdf(site: Path) -> Path | None:
    """The page of the whole road in the built site, printed; None without a Chromium."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        return None
    path = site / "road.pdf"
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
    (address,) = (path for path in site.glob("road/whole*") if path.suffix != ".md")
    address = address / "index.html" if address.is_dir() else address
    command = [browser, *flags, f"--print-to-pdf={path}", address.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=LIMIT)
    return path


if __name__ == "__main__":
    written = write_notebook()
    if "--execute" in sys.argv[1:]:
        execute(written)
