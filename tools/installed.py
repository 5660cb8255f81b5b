"""regard as people install it, and what they would install instead: packages, megabytes, seconds.

    python tools/installed.py [pipx uv pyz ctranslate2 llama.cpp]

Each way is installed into an empty folder, without pip's cache, by the tool that people use, which
comes from PyPI into an environment of its own; the first translation is that of a new process, as
is the second. `pyz` is one file that shiv makes, for a machine without a network: it runs with no
other package, and unpacks itself once. The two peers are what a server of theirs needs: CTranslate2
with SentencePiece, FastAPI and uvicorn, and llama-cpp-python with its server.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONSTRAINTS = str(ROOT / "constraints.txt")
TEXT = "I would like to drink a cup of tea with my friends."
PIP = ("-m", "pip", "--disable-pip-version-check", "--quiet", "--no-cache-dir")
PEERS = {
    "ctranslate2": ["ctranslate2", "sentencepiece", "fastapi", "uvicorn"],
    "llama.cpp": ["llama-cpp-python[server]"],
}


def tool(name: str, folder: Path) -> Path:
    """A tool of PyPI in an environment of its own; its program."""
    venv.create(folder / "tool", with_pip=True)
    run(folder / "tool/bin/python", *PIP, "install", name)
    return folder / "tool/bin" / name


def by_pipx(folder: Path) -> tuple[list[str], dict[str, str], Path]:
    """`pipx install .`"""
    program = tool("pipx", folder)
    places = {"PIPX_HOME": str(folder / "home"), "PIPX_BIN_DIR": str(folder / "bin")}
    began = time.perf_counter()
    run(program, "install", "--quiet", f"--pip-args=--no-cache-dir --constraint={CONSTRAINTS}",
        str(ROOT), **places)  # fmt: skip
    took("pipx install .", began, folder / "home/venvs/regard")
    return [str(folder / "bin/regard")], {}, folder


def by_uv(folder: Path) -> tuple[list[str], dict[str, str], Path]:
    """`uv tool install .`"""
    program = tool("uv", folder)
    places = {"UV_TOOL_DIR": str(folder / "home"), "UV_TOOL_BIN_DIR": str(folder / "bin")}
    places |= {"UV_NO_CACHE": "1", "UV_PYTHON": sys.executable, "UV_NATIVE_TLS": "1"}
    began = time.perf_counter()
    run(program, "tool", "install", "--quiet", "--constraints", CONSTRAINTS, str(ROOT), **places)
    took("uv tool install .", began, folder / "home/regard")
    return [str(folder / "bin/regard")], {}, folder


def by_pyz(folder: Path) -> tuple[list[str], dict[str, str], Path]:
    """`shiv --console-script regard --output-file regard.pyz .`"""
    program, file = tool("shiv", folder), folder / "regard.pyz"
    began = time.perf_counter()
    run(program, "--console-script", "regard", "--compressed", "--output-file", str(file),
        "--constraint", CONSTRAINTS, "--no-cache-dir", str(ROOT))  # fmt: skip
    print(f"regard.pyz: {file.stat().st_size / 1e6:.0f} MB, {time.perf_counter() - began:.0f} s")
    return [sys.executable, "-I", str(file)], {"SHIV_ROOT": str(folder / "unpacked")}, folder


WAYS: dict[str, Callable[[Path], tuple[list[str], dict[str, str], Path]]] = {
    "pipx": by_pipx,
    "uv": by_uv,
    "pyz": by_pyz,
}


def peer(name: str, folder: Path) -> None:
    began, target = time.perf_counter(), folder / "packages"
    try:
        wheels = ("--only-binary", ":all:", "--no-compile", "--target", str(target))
        run(sys.executable, *PIP, "install", *wheels, *PEERS[name])
    except subprocess.CalledProcessError:
        print(f"{name}: PyPI has no wheels of {' '.join(PEERS[name])} for this machine")
        return
    took(f"pip install {' '.join(PEERS[name])}", began, target)


def took(what: str, began: float, folder: Path) -> None:
    seconds = time.perf_counter() - began
    packages = len(list(folder.rglob("*.dist-info")))
    size = sum(
        file.stat().st_size
        for file in folder.rglob("*")
        if file.is_file() and not file.is_symlink() and file.suffix != ".pyc"
    )
    print(f"{what}: {packages} packages, {size / 1e6:.0f} MB, {seconds:.0f} s", flush=True)


def run(*command: object, **environment: str) -> None:
    kept = {name: text for name, text in os.environ.items() if not name.startswith("PYTHON")}
    words = [str(word) for word in command]
    subprocess.run(words, env=kept | environment, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ways", nargs="*", default=[*WAYS, *PEERS], metavar="WAY")
    for way in parser.parse_args().ways:
        with tempfile.TemporaryDirectory() as name:
            if way in PEERS:
                peer(way, Path(name))
                continue
            command, environment, folder = WAYS[way](Path(name))
            for which in ("first", "second"):
                began = time.perf_counter()
                run(*command, "translate", TEXT, HOME=str(folder), **environment)
                print(f"  {which} translation {time.perf_counter() - began:.1f} s", flush=True)


if __name__ == "__main__":
    main()
