"""Packing: a model's graphs and weights for ONNX Runtime, made once and kept.

A packed model that is found needs neither torch nor onnx; one that must be made needs both.
"""

import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING

from regard.checkpoints import Checkpoint, CheckpointLike, open_checkpoint
from regard.errors import DamagedFileError, NotFoundError, UnavailableError
from regard.files import sha256, whole_folder, write_json
from regard.json_files import read_object
from regard.runtime.packed import MANIFEST, PROBE, Packed, open_packed
from regard.runtime.session import FILES, layout_of, write_layout
from regard.version import __version__

if TYPE_CHECKING:
    from torch import nn

FORMAT = (
    10  # of a packed model; counts up when the same model gets other graphs or another manifest
)
LONG = 1.0  # seconds of packing after which the user is informed


def pack(
    model: "nn.Module | CheckpointLike",
    precision: str = "fp32",
    *,
    threads: int = 1,
    say: Callable[[str], None] = lambda sentence: None,
) -> Packed:
    """The model, ready to run in ONNX Runtime. It is packed on the first call, and found later.

    Packed models are in the folder that `cache_folder` returns, by the hash of config and weights,
    the version of this package and the precision, so the graphs always belong to the weights. When
    a model is packed, those that an older version made of it are removed, and those of model
    folders that are no longer there.

    Args:
        model: a model, or a name as `load` takes it.
        precision: of the matrix products: "fp32"; "int8", a quarter of the size, in which weights
            are scaled by column and activations by row; or "int4", a sixth, in which both are
            scaled by blocks of 32, for large models.
        threads: that compute one batch.
        say: called with a sentence where packing takes longer than a second.

    Raises:
        BadArgumentError: an unknown precision.
        NotFoundError: no such model.
        UnsupportedError: a kind of model, a module or a setting that cannot be packed.
        UnavailableError: the folder cannot be written, or the processor lacks the precision.
    """
    name, source = "the model", None
    if isinstance(model, str | os.PathLike | Checkpoint):
        model = open_checkpoint(model)
        name, key, source = model.name, model.sha256, model.folder.resolve()
    else:
        from regard.runtime.building import weights_sha256

        key = weights_sha256(model)
    folder = folder_of(key, precision)
    with suppress(NotFoundError, DamagedFileError):
        return open_packed(folder, threads=threads)
    from regard.runtime.building import check_precision, write_packed

    check_precision(precision)
    with alone(folder):
        with suppress(NotFoundError, DamagedFileError):  # another process packed it meanwhile
            return open_packed(folder, threads=threads)
        with announced(f"packing {name} for ONNX Runtime in {precision}; this is done once.", say):
            from regard.checkpoints import from_pretrained

            whole = from_pretrained(model) if isinstance(model, Checkpoint) else model
            with whole_folder(folder) as unfinished:
                write_packed(
                    whole, unfinished, precision=precision, key=key, format=FORMAT, source=source
                )
        _remove_older(folder)
        _remove_orphans(folder.parent)
    return open_packed(folder, threads=threads)


def lay_out(folder: Path, say: Callable[[str], None] = lambda sentence: None) -> bool:
    """Writes the layout of a packed model beside its graphs, where it is not there yet.

    It takes about as much of the disk again as the model and its matrices. Results do not change.

    Args:
        folder: of the packed model.
        say: called with a sentence where it takes longer than a second.

    Returns:
        Whether it was written: what was opened before does not use it.

    Raises:
        UnavailableError: the folder cannot be written.
    """
    layout = layout_of(folder)
    if layout.is_dir():
        return False
    with alone(layout):
        if layout.is_dir():  # another process wrote it meanwhile
            return True
        with (
            announced(f"laying out {folder.name} for this processor; this is done once.", say),
            whole_folder(layout) as unfinished,
        ):
            for file in sorted(folder.glob("*.onnx")):
                if file.name != f"{PROBE}.onnx":
                    write_layout(file, unfinished / file.name)
            write_json(
                unfinished / FILES,
                {file.name: sha256(file) for file in sorted(unfinished.iterdir())},
            )
    return True


def cache_folder() -> Path:
    """Folder of packed models: $REGARD_CACHE, or regard/packed in the user's cache folder.

    Raises:
        UnavailableError: the user has no home folder.
    """
    if folder := os.environ.get("REGARD_CACHE"):
        return Path(folder)
    try:
        cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError as error:
        raise UnavailableError(
            f"packed models have no folder ({error}). Set REGARD_CACHE to a folder for them."
        ) from error
    return Path(cache) / "regard" / "packed"


@dataclass(frozen=True)
class CacheSize:
    """Content of the cache, counted."""

    folder: Path
    models: int  # each in one precision
    bytes: int

    def __str__(self) -> str:
        what = "1 packed model" if self.models == 1 else f"{self.models} packed models"
        return f"{what}, {self.bytes / 1e6:,.1f} MB, in {self.folder}"


def cache_size() -> CacheSize:
    """Count what `cache_folder` holds.

    Raises:
        UnavailableError: as `cache_folder`.
    """
    models, size = 0, 0
    for folder in cache_folder().glob("*"):
        with suppress(OSError):  # another process removes it
            size += size_of(folder.rglob("*"))
            models += (folder / MANIFEST).is_file()
    return CacheSize(cache_folder(), models, size)


def size_of(paths: Iterable[Path]) -> int:
    """Bytes of the files among them."""
    return sum(path.stat().st_size for path in paths if path.is_file())


def folder_of(key: str, precision: str) -> Path:
    """Folder of the packed model of a key."""
    return cache_folder() / f"{key[:32]}-{precision}-{__version__}-{FORMAT}"


def is_packed(checkpoint: Checkpoint, precision: str) -> bool:
    """Return True if a checkpoint's model has been packed.

    Raises:
        NotFoundError: the checkpoint lacks a file.
        UnavailableError: as `cache_folder`.
    """
    return (folder_of(checkpoint.sha256, precision) / MANIFEST).is_file()


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Let one process at a time write a folder, and remove what a killed one left behind."""
    from filelock import FileLock  # slow to import

    lock = folder.with_name(f".{folder.name}.lock")
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(lock):
            for unfinished in folder.parent.glob(f".{folder.name}.*.part"):
                shutil.rmtree(unfinished, ignore_errors=True)
            try:
                yield
            finally:
                with suppress(OSError):
                    lock.unlink()
    except OSError as error:
        raise UnavailableError(
            f"the packed model could not be written to {folder} ({error.strerror})."
            " Make room, or set REGARD_CACHE to another folder."
        ) from error


@contextmanager
def announced(sentence: str, say: Callable[[str], None]) -> Iterator[None]:
    """Says the sentence if the block takes longer than a second."""
    timer = Timer(LONG, say, (sentence,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _remove_older(folder: Path) -> None:
    """Removes what older versions packed of the same model in the same precision."""
    same, _, _ = folder.name.rsplit("-", 2)
    for other in folder.parent.glob(f"{same}-*"):
        if _age(other) < _age(folder):
            shutil.rmtree(other, ignore_errors=True)


def _remove_orphans(cache: Path) -> None:
    """Removes what was packed of model folders that are no longer there. Of a model in memory the
    manifest names no folder, and it is kept."""
    for manifest in cache.glob(f"*/{MANIFEST}"):
        with suppress(DamagedFileError, OSError):
            source = read_object(manifest).get("source")
            if source is not None and not Path(source).exists():
                shutil.rmtree(manifest.parent, ignore_errors=True)


def _age(folder: Path) -> tuple[list[int], int]:
    """Version and format, of the name of a packed model."""
    _, version, form = folder.name.rsplit("-", 2)
    return [int(number) for number in re.findall(r"\d+", version)], int(form)
