"""The built page in the package, and whether it is what web/ would build today."""

import hashlib
import mimetypes
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from regard.errors import UnavailableError

STATIC: Traversable = files("regard.studio") / "static"
BUILT_FROM = "built-from.txt"  # what `fingerprint` was then
INPUTS = (
    "bundled.ts",
    "index.html",
    "package.json",
    "package-lock.json",
    "schema.json",
    "tsconfig.json",
    "vite.config.ts",
)


def built() -> dict[str, tuple[str, bytes]]:
    """Address → media type and contents of every file of the page, "/" being index.html."""
    pages = {}
    if STATIC.is_dir():
        for file in STATIC.iterdir():
            if file.is_file() and file.name != BUILT_FROM:
                kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
                if kind.startswith("text/"):
                    kind += "; charset=utf-8"
                pages[f"/{file.name}"] = (kind, file.read_bytes())
    if "/index.html" not in pages:
        raise UnavailableError(
            "this copy of regard has no built page; run `npm ci && npm run build` in web/."
        )
    pages["/"] = pages["/index.html"]
    return pages


def read(name: str) -> str:
    """The text of one file of the page, such as "regard.js". Raises UnavailableError without it."""
    address = built().get(f"/{name}")
    if address is None:
        raise UnavailableError(f"the built page has no {name}; run `npm run build` in web/ again.")
    return address[1].decode("utf-8")


def fingerprint(web: Path) -> str:
    """SHA-256 over path and contents of every source that the page was built from."""
    digest = hashlib.sha256()
    for path in sorted(_inputs(web), key=lambda path: path.relative_to(web).as_posix()):
        digest.update(path.relative_to(web).as_posix().encode() + b"\n")
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _inputs(web: Path) -> Iterator[Path]:
    for path in (web / "src").rglob("*"):
        if path.is_file() and ".test.ts" not in path.name:
            yield path
    for name in INPUTS:
        if (web / name).is_file():
            yield web / name
