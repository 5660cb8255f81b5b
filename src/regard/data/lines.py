"""Read a text file or its gzip line by line, and name the line that is not UTF-8."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from regard.data.pairs import BadLine, OnBadLine
from regard.errors import (
    BadArgumentError,
    DamagedFileError,
    NotFoundError,
    UnavailableError,
    UnsupportedError,
)
from regard.files import LONGEST_LINE

_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_START = 4096


def check_file(path: Path) -> None:
    """The path is a file that has something in it, or a pipe."""
    if path.is_dir():
        raise BadArgumentError(f"expected a file, but {path} is a folder. Name a file in it.")
    if not path.exists():
        raise NotFoundError(
            f"expected a file at {path}, but there is no such file. Check the path."
        )
    if path.is_file() and path.stat().st_size == 0:
        raise _empty(path)


def check_rereadable(path: Path) -> None:
    """The path is a regular file, which training reads several times."""
    check_file(path)
    if not path.is_file():
        raise UnsupportedError(
            f"{path} is a pipe or a device, which can be read only once, and training reads its"
            " files several times: write it to a file first"
        )


def open_bytes(path: Path) -> IO[bytes]:
    """The bytes of a file, unpacked where its name ends in .gz."""
    try:
        return cast(IO[bytes], gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb"))
    except OSError as error:
        raise UnavailableError(
            f"{path} cannot be opened ({error.strerror}): check its permissions"
        ) from error


def read_lines(path: Path, on_bad_line: OnBadLine) -> Iterator[tuple[int, str]]:
    """Line numbers (from 1) and lines without their ends; undecodable ones go to `on_bad_line`."""
    for number, line in enumerate(decode_lines(path), start=1):
        if isinstance(line, BadLine):
            on_bad_line(line)
        else:
            yield number, line


def decode_lines(path: Path) -> Iterator[str | BadLine]:
    """Every line without its end, or what is wrong with it.

    Only a line feed ends a line (a carriage return before it goes too): Unicode's other line
    separators occur inside sentences, and splitting there would shift one side against the other.
    """
    number = 0
    with open_bytes(path) as file:
        try:
            # One byte more than is allowed is enough to see that a line is too long.
            for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), b""), 1):
                if len(line) > LONGEST_LINE:
                    raise DamagedFileError(
                        f"{path}, line {number:,}: the line is longer than {LONGEST_LINE // 2**20}"
                        " MiB: check that the file has line ends"
                    )
                if number == 1:
                    _refuse_utf16(path, line[:_START])
                    line = line.removeprefix(_UTF8_MARK)
                try:
                    text = line.decode("utf-8")
                except UnicodeDecodeError as error:
                    yield _undecodable(path, number, line, error)
                else:
                    yield text.rstrip("\r\n")
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise DamagedFileError(
                f"{path} is damaged gzip after line {number:,} ({error}): copy it again"
            ) from error
    if number == 0:
        raise _empty(path)


def _refuse_utf16(path: Path, start: bytes) -> None:
    # UTF-16 text in Latin letters has a zero byte at every other place; UTF-8 text has none.
    if start.startswith(_UTF16_MARKS) or start.count(0) > len(start) // 4:
        raise DamagedFileError(
            f"{path} must be UTF-8, but it looks like UTF-16 from its first line on: "
            f"convert it with iconv -f UTF-16 -t UTF-8"
        )


def _undecodable(path: Path, number: int, line: bytes, error: UnicodeDecodeError) -> BadLine:
    byte = line[error.start]
    # Latin-1 has no sign at 0x80-0x9f, Windows-1252 has quotes and dashes there.
    codec = "WINDOWS-1252" if any(0x80 <= b <= 0x9F for b in line) else "LATIN1"
    guess = "a truncated character, or another encoding"
    if error.reason != "unexpected end of data":
        guess = f"it looks like {codec}, which iconv -f {codec} -t UTF-8 converts"
    message = f"{path}, line {number:,}: expected UTF-8, but byte 0x{byte:02x} is not: {guess}"
    return BadLine(number, "bad encoding", message)


def _empty(path: Path) -> DamagedFileError:
    return DamagedFileError(
        f"expected lines of text in {path}, but it is empty. Check that it is the right file."
    )
