"""The built page in the package, and whether it is what web/ would build today."""

import base64
import gzip
import hashlib
import json
import math
import mimetypes
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from regard.errors import UnavailableError

STATIC: Traversable = files("regard.studio") / "static"
_LIBRARIES = files("regard.engine.native") / "libraries"
# What a page runs models with: the first that the browser can compile.
ENGINES: list[Traversable] = [_LIBRARIES / "wasm32-relaxed.wasm", _LIBRARIES / "wasm32.wasm"]
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
SHARED = ("../src/regard/tasks/translation/rules.json",)  # Python's data that the page reads too


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
    """Return the text of one file of the page, such as "regard.js". Raises UnavailableError without
    it."""
    address = built().get(f"/{name}")
    if address is None:
        raise UnavailableError(f"the built page has no {name}; run `npm run build` in web/ again.")
    return address[1].decode("utf-8")


def fingerprint(web: Path) -> str:
    """SHA-256 over path and contents of every source that the page was built from."""
    digest = hashlib.sha256()
    own = sorted(path.relative_to(web).as_posix() for path in _inputs(web))
    for name in (*own, *(name for name in SHARED if (web / name).is_file())):
        digest.update(name.encode() + b"\n")
        digest.update((web / name).read_bytes())
    return digest.hexdigest()


def _inputs(web: Path) -> Iterator[Path]:
    for path in (web / "src").rglob("*"):
        if path.is_file() and ".test.ts" not in path.name:
            yield path
    for name in INPUTS:
        if (web / name).is_file():
            yield web / name


PIECE = 3 * 2**17  # bytes of a script element, before they are packed


def one_file(
    title: str,
    parts: Mapping[str, str],
    *,
    pieces: Sequence[str] = (),
    after: Mapping[str, str] | None = None,
) -> str:
    """Return the whole file.

    Args:
        parts: what the page finds in it: id → a script element, as `of_json` makes it.
        pieces: of the weights of models that the page runs by itself, in WebAssembly in a worker:
            script elements that it takes while the browser reads, as `of_bytes` makes them.
        after: what it finds behind them.
    """
    script = _within(read("regard.js"))
    style = read("regard.css").replace("</style", "<\\/style")
    sources, workers, start, asynchronous = _source(script), "", "", ""
    if pieces:
        worker = f'<script type="text/plain">{_within(read("worker.js"))}</script>'
        parts = {**parts, "regard-worker": worker}
        for number, library in enumerate(ENGINES):
            [engine] = of_bytes(library.read_bytes(), kind="gzip", size=None)
            parts[f"regard-engine-{number}"] = engine
        start = _within(read("start.js"))
        sources, workers = f"{sources} {_source(start)} 'wasm-unsafe-eval'", " worker-src blob:;"
        start, asynchronous = f"<script>{start}</script>\n", " async"
    policy = (
        f"default-src 'none'; script-src {sources};{workers} style-src 'unsafe-inline';"
        " img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    rest = "\n".join([*pieces, _named(after or {})])
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(" ".join(title.split())[:80] or "regard")}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body style="margin: 0">
<div id="regard"></div>
{_named(parts)}
{start}<script type="module"{asynchronous}>{script}</script>
{rest}
</body>
</html>
"""


def _named(parts: Mapping[str, str]) -> str:
    return "\n".join(part.replace('">', f'" id="{id}">', 1) for id, part in parts.items())


def _source(script: str) -> str:
    """Return a script as the policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def _within(script: str) -> str:
    """Return a script as it may stand in an element: there, only its own end tag and "<!--" mean
    anything; both are written so that the language reads the same and HTML does not see them."""
    return script.replace("</script", "\\x3C/script").replace("<!--", "\\x3C!--")


def of_json(content: object) -> str:
    """Return a script element with JSON, whose texts can neither end it nor begin another."""
    data = json.dumps(plain(content), ensure_ascii=False, separators=(",", ":"))
    data = data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return f'<script type="application/json">{data}</script>'


def of_bytes(content: bytes, *, kind: str = "octet-stream", size: int | None = PIECE) -> list[str]:
    """Script elements with base64 of gzip, one behind the other: a browser reads megabytes for a
    while, and what it has read can be unpacked meanwhile. Each holds `size` bytes; None: all."""
    size = size or len(content)
    pieces = (content[at : at + size] for at in range(0, len(content), size))
    texts = (base64.b64encode(gzip.compress(piece, mtime=0)).decode("ascii") for piece in pieces)
    return [f'<script type="application/{kind}">{text}</script>' for text in texts]


def plain(value: object) -> object:
    """Replace the numbers that JSON does not have by null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value
