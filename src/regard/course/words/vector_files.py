"""Files of word vectors: GloVe's and word2vec's text, word2vec's binary, and our own folder.

Why not gensim's KeyedVectors: of 200,000 words of 100 numbers as text it took 114 s and 106 MB
where this takes 20 s and 99 MB (one busy core). It stops at words with spaces, which GloVe has, and
at the second vector of a word it adds a word None; NaN passes, and a damaged line is not named.
"""

from __future__ import annotations

import gzip
import math
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from pathlib import Path
from typing import IO, cast

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from regard.checkpoints.shipped import VECTOR_FILES
from regard.errors import (
    BadArgumentError,
    DamagedFileError,
    NotFoundError,
    UnsupportedError,
    shortened,
)
from regard.files import check_content, whole_file, whole_folder

Vectors = tuple[list[str], NDArray[np.float32]]
Row = tuple[bytes, NDArray[np.float32] | list[float]]

TENSORS, WORDS = VECTOR_FILES
TEXT, BINARY = (".txt", ".vec"), (".bin",)

_BLOCK = 1 << 20  # bytes read at once
_DEFLATE = 1032  # times that gzip can make a file smaller, at most (zlib's own documentation)


def read(path: Path, limit: int | None = None) -> Vectors:
    """Words and vectors (words, dim); one array is allocated and filled, and no second one.

    Of a word that comes twice the first vector counts. Raises DamagedFileError for what is broken.
    """
    if path.is_dir():
        return _read_folder(path, limit)
    try:
        return _read_file(path, limit)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DamagedFileError(f"{path} is damaged gzip ({error}): copy it again.") from error


def write(path: Path, words: list[str], vectors: NDArray[np.float32], *, half: bool) -> None:
    """Return the form follows from the name's ending; see `WordVectors.save`."""
    kind = Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
    if kind not in (*TEXT, *BINARY):
        _write_folder(path, words, vectors.astype(np.float16) if half else vectors)
        return
    if kind in BINARY and (bad := next((word for word in words if " " in word), None)):
        raise UnsupportedError(
            f"word2vec's binary format cannot hold words with spaces, such as {bad!r}: save .txt."
        )
    with whole_file(path) as part, part.open("wb") as plain, _packed(plain, path) as file:
        file.write(b"%d %d\n" % vectors.shape)
        for word, vector in zip(words, vectors, strict=True):
            if kind in BINARY:
                numbers = vector.astype("<f4").tobytes()
            else:
                numbers = " ".join(f"{number:.6g}" for number in vector.tolist()).encode()
            file.write(word.encode() + b" " + numbers + b"\n")


def _read_file(path: Path, limit: int | None) -> Vectors:
    with _open(path) as file:
        first = file.readline()
        if not first.strip():
            raise DamagedFileError(
                f"word vectors were expected in {path}, but its first line is empty."
            )
        header = _header(first)
        if header is None:
            dim = len(first.split()) - 1
            with _open(path) as again:
                total = sum(block.count(b"\n") for block in iter(lambda: again.read(_BLOCK), b""))
            total, number = total + 1, 1
            lines: Iterator[bytes] = chain([first], file)
        else:
            total, dim = header
            start = file.read(_BLOCK)
            _check_header(path, total, dim)
            if not _is_text(start, dim):
                return _fill(path, _binary_rows(path, start, file, dim, total), total, dim, limit)
            number, lines = 2, _resume(start, file)
        if dim < 1:
            raise _broken(path, 1, "a word and its numbers", first)
        return _fill(
            path, _text_rows(path, lines, dim, number), total, dim, limit, exact=header is not None
        )


def _fill(
    path: Path, rows: Iterator[Row], total: int, dim: int, limit: int | None, *, exact: bool = True
) -> Vectors:
    """Return the rows in one array. `exact`: the file says how many there are, and has fewer if it
    was broken off."""
    count = total if limit is None else min(total, limit)
    vectors = np.empty((count, dim), np.float32)
    seen: dict[str, None] = {}
    read = 0
    for read, (raw, numbers) in enumerate(rows, start=1):
        try:
            word = raw.decode("utf-8")
        except UnicodeDecodeError:
            raise DamagedFileError(
                f"{path}, word {read:,} is not UTF-8 ({raw[:40]!r}): convert the file to UTF-8."
            ) from None
        if word not in seen:
            vectors[len(seen)] = numbers
            seen[word] = None
        if len(seen) == count:
            break
    if exact and read < total and len(seen) < count:
        raise DamagedFileError(
            f"{path} says that it has {total:,} words, but ends after {read:,}: copy it again."
        )
    return list(seen), vectors[: len(seen)]


def _text_rows(path: Path, lines: Iterator[bytes], dim: int, first: int) -> Iterator[Row]:
    for number, line in enumerate(lines, start=first):
        # From the right: some of GloVe's words have spaces in them (". . .").
        fields = line.rstrip().rsplit(b" ", dim)
        if len(fields) == 1 and not fields[0]:
            continue
        try:
            numbers = [float(field) for field in fields[1:]]
        except ValueError:
            numbers = []
        if len(numbers) != dim or not _is_word(fields[0]) or not math.isfinite(sum(numbers)):
            raise _broken(path, number, f"a word and {dim} numbers", line)
        yield fields[0], numbers


def _binary_rows(path: Path, start: bytes, file: IO[bytes], dim: int, total: int) -> Iterator[Row]:
    size = 4 * dim
    buffer, place = start, 0
    for number in range(1, total + 1):
        end = buffer.find(b" ", place)
        while end < 0 or len(buffer) < end + 1 + size:
            block = file.read(max(_BLOCK, size))
            if not block:
                return
            buffer, place = buffer[place:] + block, 0
            end = buffer.find(b" ", place)
        vector = np.frombuffer(buffer, "<f4", dim, end + 1)
        if not np.isfinite(vector).all():
            raise DamagedFileError(
                f"{path}, word {number:,} has numbers that are not finite (NaN, infinity)."
            )
        yield buffer[place:end].lstrip(b"\n"), vector
        place = end + 1 + size


def _read_folder(folder: Path, limit: int | None) -> Vectors:
    for name in (TENSORS, WORDS):
        if not (folder / name).is_file():
            raise NotFoundError(f"{folder} is not a folder of word vectors: it has no {name}.")
    try:
        words = (folder / WORDS).read_text(encoding="utf-8").split("\n")[:-1]
    except UnicodeDecodeError as error:
        raise DamagedFileError(
            f"{folder / WORDS} is not UTF-8 ({error}): copy it again."
        ) from error
    try:
        with safe_open(folder / TENSORS, framework="numpy") as tensors:
            vectors = tensors.get_slice("vectors")
            shape = vectors.get_shape()
            if len(shape) != 2 or shape[0] != len(words):
                raise DamagedFileError(
                    f"{folder}: {WORDS} has {len(words):,} words, but {TENSORS} has vectors of"
                    f" {tuple(shape)}: copy both again."
                )
            return words[:limit], vectors[:limit].astype(np.float32)
    except SafetensorError as error:
        raise DamagedFileError(f"{folder / TENSORS} has no vectors in it ({error}).") from error


def _write_folder(path: Path, words: list[str], vectors: NDArray[np.floating]) -> None:
    if path.is_file():
        raise BadArgumentError(
            f"{path} is a file; word vectors are saved in a folder, or as"
            f" {', '.join((*TEXT, *BINARY))}, each also with .gz."
        )
    if path.is_dir() and any(path.iterdir()) and not (path / TENSORS).exists():
        raise BadArgumentError(f"{path} has other files in it; name a new folder.")
    with whole_folder(path) as folder:
        with whole_file(folder / TENSORS) as file:
            save_file({"vectors": np.ascontiguousarray(vectors)}, file)
        (folder / WORDS).write_text("".join(f"{word}\n" for word in words), encoding="utf-8")


def _open(path: Path) -> IO[bytes]:
    check_content(path)
    return cast(IO[bytes], gzip.open(path) if path.suffix == ".gz" else path.open("rb"))


def _packed(plain: IO[bytes], path: Path) -> AbstractContextManager[IO[bytes]]:
    if path.suffix != ".gz":
        return nullcontext(plain)
    # No time of writing in the header: the same vectors give the same file.
    return cast(IO[bytes], gzip.GzipFile("", "wb", fileobj=plain, mtime=0))


def _header(line: bytes) -> tuple[int, int] | None:
    """Words and dimensions, where the first line is word2vec's."""
    fields = line.split()
    if len(fields) == 2 and all(field.isdigit() and len(field) < 19 for field in fields):
        return int(fields[0]), int(fields[1])
    return None


def _check_header(path: Path, total: int, dim: int) -> None:
    """Raise RegardError for a header that promises more vectors than the file can hold."""
    most = path.stat().st_size * (_DEFLATE if path.suffix == ".gz" else 1)
    if not (total and dim) or total * (2 * dim + 1) > most:
        raise DamagedFileError(
            f"{path} says in line 1 that it has {total:,} words of {dim:,} numbers, but it is too"
            " small for that: copy it again."
        )


def _is_word(start: bytes) -> bool:
    """Return True for a word before the numbers, False if it ends in one more number."""
    _, space, last = start.rpartition(b" ")
    try:
        return bool(start) and not (space and math.isfinite(float(last)))
    except ValueError:
        return True


def _is_text(start: bytes, dim: int) -> bool:
    """Return True if a line of numbers follows the header."""
    fields = start.partition(b"\n")[0].split()
    try:
        return len(fields) > 1 and math.isfinite(sum(map(float, fields[1:][-dim:])))
    except ValueError:
        return False


def _resume(start: bytes, file: IO[bytes]) -> Iterator[bytes]:
    """Return the lines of a file whose `start` is read already."""
    *lines, rest = start.split(b"\n")
    last = rest + file.readline()
    return chain(lines, [last] if last else [], file)


def _broken(path: Path, number: int, expected: str, line: bytes) -> DamagedFileError:
    text = line.decode("utf-8", "replace").strip()
    text = shortened(text, 60)
    return DamagedFileError(
        f"{path}, line {number:,}: expected {expected}; got {text!r}. Correct or delete the line."
    )
