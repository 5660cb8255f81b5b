"""Finding a model: in a folder, in the package, or on the Hugging Face Hub."""

import hashlib
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from regard.checkpoints import argos, pypi, shipped
from regard.errors import (
    BadArgumentError,
    DamagedFileError,
    NotFoundError,
    UnavailableError,
    UnsupportedError,
    did_you_mean,
    first_line,
    some,
)
from regard.files import sha256, sync, whole_file, write_json
from regard.json_files import JsonFiles
from regard.lazy import huggingface_hub

if TYPE_CHECKING:
    from huggingface_hub.hf_api import RepoFile

PREFIX = "hub:"  # a name without it is never sent over a network
# Everything a model is made of here; programs and other formats stay where they are.
CONFIGS = ("*.json", "*.txt", "*.model", "*.spm", "*.jinja", "README.md")
WEIGHTS = ("model.safetensors", "model-*.safetensors")
OLD_WEIGHTS = ("pytorch_model.bin", "pytorch_model-*.bin", "model.bin")  # the last is CTranslate2's
POOLING = "[0-9]_Pooling/config.json"  # how sentence-transformers makes vectors
_ID = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)?")  # the oldest models have no organization


def find_folder(name: str | os.PathLike[str]) -> Path:
    """Return the folder of a model, or its GGUF file.

    >>> find_folder("en-de").name
    'en-de'

    Args:
        name: a folder, that of a training run too; a file that ends with .gguf or .argosmodel, or
            a folder with one GGUF file and no config.json; a shipped model's name, before which a
            folder of that name comes; "hub:org/name", whose files are fetched and verified;
            org/name alone, where the local cache of the Hugging Face Hub has it; "argos:en-de", a
            package that argostranslate has installed; or "pypi:NAME", a model that packages of PyPI
            hold, see `regard.checkpoints.pypi`.

    Raises:
        NotFoundError: there is no such model.
        UnsupportedError: word vectors in place of a model.
        UnavailableError: the network cannot be reached.
        DamagedFileError: a fetched file does not match its checksum.
    """
    if isinstance(name, str) and name.startswith(PREFIX):
        return download(name.removeprefix(PREFIX))
    if isinstance(name, str) and name.startswith(argos.PREFIX):
        return argos.installed(name)
    if isinstance(name, str) and name.startswith(pypi.PREFIX):
        return pypi.fetched(name)
    if not name:  # as a path, the current folder
        raise NotFoundError(_nowhere('""'))
    folder = Path(name)
    if folder.is_dir():
        if shipped.is_vectors(folder):
            raise UnsupportedError(_not_vectors(name, shipped.VECTORS))
        if not (folder / "config.json").exists() and len(ggufs := [*folder.glob("*.gguf")]) == 1:
            return ggufs[0]
        # A run's folder holds its model one level down, as a package of Argos Translate does, of
        # old without config.json.
        inner = folder / "model"
        has = (inner / "config.json").exists() or (folder / argos.METADATA).is_file()
        return inner if has and inner.is_dir() else folder
    model = shipped.find(name)
    if model is not None:
        if model.name not in shipped.names():
            raise UnsupportedError(_not_vectors(name, model.what))
        return model.folder
    if folder.is_file() and folder.suffix.lower() == ".gguf":
        return folder
    if folder.is_file() and folder.suffix.lower() == argos.ENDING:
        return argos.unpacked(folder)
    if folder.exists():
        raise BadArgumentError(f"{folder} is a file; a model folder was expected. Give its folder.")
    fetched = cached(str(name))
    if fetched is not None:
        return fetched
    raise NotFoundError(_nowhere(str(name)))


def is_id(name: str) -> bool:
    """Return True if a model on the Hub could have this name: org/name, or an old model's."""
    return _ID.fullmatch(name) is not None


def cached(name: str) -> Path | None:
    """Return the folder of a model of the Hugging Face Hub in the local cache. Asks no network."""
    if not is_id(name):
        return None
    try:
        config = huggingface_hub.try_to_load_from_cache(name, "config.json")
    except huggingface_hub.errors.HFValidationError:  # such as a name with two dots in a row
        return None
    return Path(config).parent if isinstance(config, str) else None


def cached_names() -> list[str]:
    """Return the models of the Hugging Face Hub whose settings and weights are in the local
    cache."""
    places = sorted(Path(huggingface_hub.constants.HF_HUB_CACHE).glob("models--*"))
    names = [folder.name.removeprefix("models--").replace("--", "/", 1) for folder in places]
    weights = (*WEIGHTS, *OLD_WEIGHTS)
    return [
        name
        for name in names
        if (folder := cached(name))
        and any(_matches(file.name, weights) for file in folder.iterdir())
    ]


def short_name(name: str | os.PathLike[str]) -> str:
    """Short name of a model: a folder's own, or org/name of the hub.

    A training run's model, and a snapshot in the hub's cache, are called what is above them.
    """
    if not Path(name).is_dir():
        return str(name).removeprefix(PREFIX).removeprefix(pypi.PREFIX)
    folder = Path(name).resolve()
    for above in folder.parents:
        if above.name.startswith("models--"):
            return above.name.removeprefix("models--").replace("--", "/", 1)
    return folder.parent.name if folder.name == "model" else folder.name


def _nowhere(name: str) -> str:
    on_hub = f"{PREFIX}{name if is_id(name) else 'org/name'}"
    hint = did_you_mean(name, shipped.SHIPPED)
    if name.lower() in pypi.KNOWN:
        hint = f" Did you mean '{pypi.PREFIX}{name.lower()}'?"
    kind = "file" if name.endswith((".gguf", ".argosmodel")) else "folder"
    return (
        f"there is no {kind} {name}; give a model folder, a shipped model"
        f" ({', '.join(shipped.names())}), {pypi.PREFIX}NAME for one that `regard get` lists or,"
        f" for a model on the Hugging Face Hub, {on_hub}.{hint}"
    )


def download(name: str, *, revision: str = "main") -> Path:
    """Return the files of the model org/name of the Hugging Face Hub, from the local cache if
    there.

    Only settings, tokenizer and weights are taken: safetensors where there are some, and no code.
    A progress bar goes to stderr. Without a network, a model that was fetched before is used.
    """
    if not is_id(name):
        raise BadArgumentError(
            f"a model on the Hugging Face Hub is {PREFIX}org/name; got {PREFIX}{name}. Give the"
            " name as in the address of the model's page."
        )
    try:
        info = huggingface_hub.HfApi().model_info(name, revision=revision, files_metadata=True)
    except Exception as error:  # the client and what it calls raise many kinds
        if _refused(error, huggingface_hub):
            raise NotFoundError(
                f"the Hugging Face Hub does not provide a model {name} ({first_line(error)})."
                " Check the name, or give a folder."
            ) from error
        return _fetched_before(huggingface_hub, name, revision, error)
    files = {file.rfilename: file for file in info.siblings or () if wanted(file.rfilename)}
    if any(_matches(file, WEIGHTS) for file in files):
        files = {file: entry for file, entry in files.items() if not _matches(file, OLD_WEIGHTS)}
    try:
        folder = Path(
            huggingface_hub.snapshot_download(name, revision=info.sha, allow_patterns=[*files])
        )
    except Exception as error:
        raise UnavailableError(
            f"{name} could not be fetched ({first_line(error)}). Try again: the download resumes"
            " where it stopped; or get the folder in another way and give its path."
        ) from error
    _verify(folder, files)
    with suppress(OSError), whole_file(folder.parents[1] / "refs" / revision) as path:
        path.write_text(folder.name)  # by which the cache finds it, without a network too
    return folder


def wanted(file: str) -> bool:
    """Return True if a file of a repository belongs to the model; of folders only POOLING does."""
    if "/" in file:
        return fnmatchcase(file, POOLING)
    return _matches(file, (*CONFIGS, *WEIGHTS, *OLD_WEIGHTS))


def _fetched_before(hub: ModuleType, name: str, revision: str, error: Exception) -> Path:
    config = hub.try_to_load_from_cache(name, "config.json", revision=revision)
    if isinstance(config, str):
        return Path(config).parent
    raise UnavailableError(
        f"{PREFIX}{name} cannot be fetched: the Hugging Face Hub cannot be reached"
        f" ({first_line(error)}). Go online, or copy the model's files into a folder and give its"
        " path."
    ) from error


def _verify(folder: Path, files: Mapping[str, Any]) -> None:
    """Compare the files of a snapshot with the checksums of the hub, each once: a note beside the
    snapshot says which have been compared, those of an earlier call or another program included.

    Raises:
        DamagedFileError: some differ; they are removed, so that they are fetched again.
    """
    note = folder.parents[1] / f"compared-{folder.name}.json"
    compared: Mapping[str, Any] = {}
    with suppress(DamagedFileError):
        compared = JsonFiles(note.parent).get(note.name, {})
    sums = {file: entry.lfs.sha256 if entry.lfs else entry.blob_id for file, entry in files.items()}
    damaged = [
        file
        for file, expected in sums.items()
        if compared.get(file) != expected and _checksum(folder / file, files[file]) != expected
    ]
    for file in damaged:
        (folder / file).resolve().unlink()  # the cache's own copy, or it would be taken for whole
        (folder / file).unlink(missing_ok=True)
    with suppress(OSError):  # of a cache that only others write they are compared each time
        sync(note.parent)  # the client leaves that to the system
        write_json(note, {file: sums[file] for file in sums.keys() - damaged})
    if damaged:
        raise DamagedFileError(
            f"{some(damaged)} arrived damaged: the checksums are not those of the hub. Give the"
            " same command to fetch again what is damaged."
        )


def _checksum(file: Path, entry: "RepoFile") -> str:
    """Return the SHA-256 of a file that is large on the hub, git's SHA-1 of another."""
    if entry.lfs:
        return sha256(file)
    content = file.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _refused(error: Exception, hub: ModuleType) -> bool:
    """Return True if the hub answered, and the answer was no."""
    kinds = (hub.errors.RepositoryNotFoundError, hub.errors.RevisionNotFoundError)
    return isinstance(error, (*kinds, hub.errors.HFValidationError))


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _not_vectors(name: object, what: str) -> str:
    return shipped.wrong_use(name, what, shipped.VECTOR_COMMANDS, shipped.VECTOR_READER)
