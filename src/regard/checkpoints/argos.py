"""Packages of Argos Translate: a model of CTranslate2, its SentencePiece file and metadata.json, in
a folder or in a zip that ends with .argosmodel."""

from __future__ import annotations

import os
import shutil
import zipfile
from pathlib import Path, PurePosixPath

from regard.errors import (
    BadArgumentError,
    DamagedFileError,
    NotFoundError,
    UnsupportedError,
    refusing,
    some,
)
from regard.files import cache_folder, sha256, whole_folder
from regard.json_files import JsonFiles

PREFIX, ENDING = "argos:", ".argosmodel"
METADATA, MODEL = "metadata.json", "model"
# Of a package, beside the files of `MODEL`; the rest divides texts into sentences.
_FILES = (METADATA, "README.md", "sentencepiece.model", "bpe.model")
# Bytes that a packed byte may become: weights shrink by half, a vocabulary to a tenth. Of small
# files nothing is said.
_MOST, _SMALL = 60, 2**20


def unpacked(file: Path) -> Path:
    """Return the folder of a package's model, unpacked into the cache unless it is there; see
    `unpack`."""
    folder = cache_folder() / "argos" / sha256(file)
    if not (folder / METADATA).is_file():
        unpack(file, folder)
    return folder / MODEL


def unpack(file: Path, folder: Path) -> None:
    """Write what a model needs of a package into a new folder, whole or not at all.

    Raises:
        DamagedFileError: no package, a damaged one, or one that would write elsewhere or fill the
            disk.
    """
    with (
        refusing(f"{file} is not a whole package of Argos Translate"),
        zipfile.ZipFile(file) as package,
    ):
        members = _members(package, file)
        with whole_folder(folder) as whole:
            (whole / MODEL).mkdir()
            for name, member in members.items():
                with package.open(member) as read, (whole / name).open("xb") as written:
                    shutil.copyfileobj(read, written)


def _members(package: zipfile.ZipFile, file: Path) -> dict[str, zipfile.ZipInfo]:
    """Return the files of a package that a model needs, by their names in it."""
    members: dict[str, zipfile.ZipInfo] = {}
    for member in package.infolist():
        path = PurePosixPath(member.filename.replace("\\", "/"))
        if not path.parts:
            continue
        if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
            raise DamagedFileError(
                f"{file} has a file that would be written elsewhere, {member.filename!r}; nothing"
                " was unpacked. Take the package from where Argos Translate has it."
            )
        name = "/".join(path.parts[1:])
        parts = path.parts[1:]
        if member.is_dir() or not (name in _FILES or (len(parts) == 2 and parts[0] == MODEL)):
            continue
        if member.file_size > _SMALL + _MOST * member.compress_size or name in members:
            raise DamagedFileError(
                f"{file} says that {member.filename} becomes {member.file_size:,} bytes of"
                f" {member.compress_size:,}, or has it twice; nothing was unpacked. Take the"
                " package from where Argos Translate has it."
            )
        members[name] = member
    if sum(member.compress_size for member in members.values()) > file.stat().st_size:
        raise ValueError("its parts are larger than the file")
    if METADATA not in members or f"{MODEL}/model.bin" not in members:
        raise DamagedFileError(
            f"{file} must have {METADATA} and {MODEL}/model.bin, as a translator's package has."
            " Take another package."
        )
    return members


def packages() -> dict[tuple[str, str], Path]:
    """Folders of the packages that argostranslate has installed, by source and target."""
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    place = os.environ.get("ARGOS_PACKAGES_DIR") or data / "argos-translate" / "packages"
    return {
        pair: folder
        for folder in sorted(Path(place).glob("*"))
        if (folder / MODEL / "model.bin").is_file() and (pair := languages(folder))
    }


def languages(folder: Path) -> tuple[str, str] | None:
    """Return the source and the target of a package; None where there is no metadata.json."""
    facts = JsonFiles(folder).get(METADATA)
    if facts is None or not {"from_code", "to_code"} <= facts.keys():
        return None
    return str(facts["from_code"]), str(facts["to_code"])


def route(source: str, target: str) -> list[Path]:
    """Return the installed packages that lead from one language to another, the fewest possible.

    Raises:
        NotFoundError: none do.
    """
    installed = packages()
    routes: dict[str, list[Path]] = {source: []}
    ends = [source]
    for language in ends:
        for (first, second), folder in installed.items():
            if first == language and second not in routes:
                routes[second] = [*routes[language], folder]
                ends.append(second)
    if target not in routes or source == target:
        pairs = some([" → ".join(pair) for pair in installed])
        raise NotFoundError(
            f"argostranslate has no packages from {source!r} to {target!r}; installed: {pairs}."
            f" Install one (argospm install translate-{source}_{target}), or give the path of an"
            f" {ENDING} file."
        )
    return routes[target]


def installed(name: str) -> Path:
    """Return the folder of the model of a package that "argos:en-de" names.

    Raises:
        BadArgumentError: another form of name.
        NotFoundError: no such package.
        UnsupportedError: only several packages lead there.
    """
    source, _, target = name.removeprefix(PREFIX).partition("-")
    if not source or not target:
        raise BadArgumentError(f"a package of Argos is {PREFIX}en-de, say; got {name!r}.")
    folders = route(source, target)
    if len(folders) > 1:
        steps = ", then ".join(f"{PREFIX}{'-'.join(languages(f) or ())}" for f in folders)
        raise UnsupportedError(
            f"no package translates {source} → {target} directly. Translate by {steps}."
        )
    return folders[0] / MODEL
