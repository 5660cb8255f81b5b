"""Lines of text as they come in, from a file or a pipe."""

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast

from regard.errors import RegardError

CHUNK = 1 << 16  # bytes; what a pipe holds, and enough lines to sort into full batches


@dataclass(frozen=True)
class Line:
    """One line of input."""

    number: int  # counted from 1
    text: str
    fields: dict[str, Any] = field(default_factory=dict)  # of a JSON line; passed through


def read_lines(stream: BinaryIO, *, name: str, json_lines: bool = False) -> Iterator[list[Line]]:
    """Complete lines in groups, each as soon as its bytes are there: a pipe's reader can answer a
    line before the next one comes.

    Args:
        stream: has `read1`, as files opened for bytes do.
        name: what to call the stream in messages.
        json_lines: a line that begins with "{" is a JSON object whose "text" is the line's text.

    Raises:
        RegardError: with the line's number, where it is not UTF-8 or not such an object.
    """
    rest, number = b"", 0
    while piece := _piece(stream, name):
        *complete, rest = (rest + piece).split(b"\n")
        if complete:
            first, number = number + 1, number + len(complete)
            yield [_line(k, raw, name, json_lines) for k, raw in enumerate(complete, start=first)]
    if rest:
        yield [_line(number + 1, rest, name, json_lines)]


def open_input(path: Path) -> BinaryIO:
    """A file of lines, unpacked on the way when its name ends in .gz."""
    return cast(BinaryIO, gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb"))


def count_lines(path: Path) -> int:
    """How many lines `read_lines` will find."""
    lines, last = 0, b"\n"
    with open_input(path) as file:
        while piece := _piece(file, str(path)):
            lines += piece.count(b"\n")
            last = piece[-1:]
    return lines + (last != b"\n")


def _piece(stream: BinaryIO, name: str) -> bytes:
    try:
        return cast(bytes, stream.read1(CHUNK))  # type: ignore[attr-defined]
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise RegardError(f"{name} is damaged gzip ({error}). Copy it again.") from error


def _line(number: int, raw: bytes, name: str, json_lines: bool) -> Line:
    try:
        text = raw.decode("utf-8").rstrip("\r")
    except UnicodeDecodeError as error:
        raise RegardError(
            f"line {number} of {name} is not UTF-8 (byte {error.start + 1} is"
            f" 0x{raw[error.start]:02x}). Convert the file to UTF-8."
        ) from None
    if number == 1:
        text = text.removeprefix("\ufeff")  # a byte order mark is no part of the first sentence
    if not (json_lines and text.startswith("{")):
        return Line(number, text)
    try:
        fields = json.loads(text)
    except ValueError as error:
        raise RegardError(f"line {number} of {name} is not valid JSON ({error}).") from None
    if not isinstance(fields.get("text"), str):
        raise RegardError(
            f'line {number} of {name} must have a string under "text"; it has'
            f" {', '.join(map(repr, fields)) or 'nothing'}."
        )
    return Line(number, fields["text"], fields)
