"""Writing files whole or not at all, a power cut included, and how much of one is read at once."""

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from regard.errors import DamagedFileError, UnavailableError

LARGEST_POINTER = 1024  # bytes, by the specification of git lfs
LONGEST_LINE = 16 * 2**20  # bytes; a file without line ends must not fill the memory


def check_content(path: str | os.PathLike[str]) -> None:
    """Raise DamagedFileError where git's pointer to a file stands in the file's place."""
    if not Path(path).is_file() or os.path.getsize(path) > LARGEST_POINTER:
        return  # nor is a pipe opened, which would wait
    with suppress(PermissionError), open(path, "rb") as file:  # said where it is opened
        if file.read(40).startswith(b"version https://git-lfs"):
            raise DamagedFileError(
                f"{path} is git's pointer to the file, not the file. Run `git lfs pull` there."
            )


@contextmanager
def locked(folder: Path, taken: str) -> Iterator[None]:
    """Keep other processes that ask for it out of a folder.

    Raises:
        UnavailableError: `taken`, a sentence; another process has it.
    """
    from filelock import FileLock, Timeout  # slow to import

    lock = FileLock(folder / ".lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise UnavailableError(taken) from None
    try:
        yield
    finally:
        lock.release()


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path beside `path`; on success it takes the name, on an error it goes.

    The file and its name are on the disk then. An OSError of writing names `path`, not the
    temporary one.
    """
    path = Path(path)
    if path.exists() and not path.is_file():
        yield path  # a device or a pipe has no other name to be written under first
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        temporary.unlink(missing_ok=True)
        temporary.touch(exist_ok=False)  # nor through a link that another user put there
        mode = temporary.stat().st_mode
        yield temporary
        temporary.chmod(mode)  # safetensors lets only the owner read what it writes
        _sync(temporary)
        os.replace(temporary, path)
        _sync(path.parent)
    except OSError as error:
        # A full disk is met while writing, where Python knows no name.
        full = error.filename is None and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        if full or error.filename in (temporary, str(temporary)):
            error.filename = str(path)
        raise
    finally:
        with suppress(OSError):  # on a read-only disk it was never made
            temporary.unlink()


@contextmanager
def whole_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Return the same for a new folder: it takes its name only when everything in it is written."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    before = path.with_name(f".{path.name}.old.{os.getpid()}.part")
    for folder in (temporary, before):
        shutil.rmtree(folder, ignore_errors=True)
    temporary.mkdir()
    try:
        yield temporary
        sync(temporary)
        if path.exists():
            os.replace(path, before)
        os.replace(temporary, path)
        _sync(path.parent)
        shutil.rmtree(before, ignore_errors=True)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def cache_folder() -> Path:
    """Return the folder of what can be fetched or unpacked again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "regard"


def sync(path: str | os.PathLike[str]) -> None:
    """Put a file, or a folder and all in it, on the disk, and its name: what is written later is
    not there without it when the power is cut."""
    path = Path(path)
    for inside in (*path.rglob("*"), path, path.parent):
        if inside.is_file() or inside.is_dir():
            _sync(inside)


def write_json(path: str | os.PathLike[str], value: object) -> None:
    """Write a value as a JSON file, whole or not at all."""
    with whole_file(path) as file:
        text = json.dumps(value, indent=2, ensure_ascii=False)
        file.write_text(f"{text}\n", encoding="utf-8")


def sha256(path: str | os.PathLike[str]) -> str:
    """Return the file's SHA-256 in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_tree(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file, or of the names and contents of all files in a folder; of a
    pipe or a device there, whose content has no end, the name alone."""
    if not os.path.isdir(path):
        return sha256(path)
    every = sorted(Path(root, name) for root, _, names in os.walk(path) for name in names)
    tree = hashlib.sha256()
    for file in every:
        content = sha256(file) if file.is_file() else ""
        tree.update(f"{file.relative_to(path).as_posix()}\0{content}\n".encode())
    return tree.hexdigest()


def _sync(path: Path) -> None:
    """Put a file's content, or the names in a folder, on the disk."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        # Windows opens no folder, and some file systems of networks sync none.
        if not path.is_dir() or error.errno not in (errno.EACCES, errno.EINVAL):
            raise
