"""Lines of text as they come in, from a file or a pipe."""

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast

from regard.errors import DamagedFileError, RegardError
from regard.files import LONGEST_LINE
from regard.lines import BYTE_ORDER_MARK, decoded, json_object

CHUNK = 1 << 16  # bytes; what a pipe holds, and enough lines to sort into full batches


@dataclass(frozen=True)
class Line:
    """One line of input."""

    number: int  # counted from 1
    text: str
    fields: dict[str, Any] = field(default_factory=dict)  # of a JSON line; passed through
    error: RegardError | None = None  # why it has no answer


def read_lines(
    stream: BinaryIO, *, name: str, json_lines: bool = False, keep_bad: bool = False
) -> Iterator[list[Line]]:
    """Complete lines in groups, each as soon as its bytes are there: a pipe's reader can answer a
    line before the next one comes.

    Args:
        stream: has `read1`, as files opened for bytes do. It is read once, from where it stands.
        name: what to call the stream in messages.
        json_lines: a line that begins with "{" is a JSON object whose "text" is the line's text.
        keep_bad: a line that is not UTF-8, or not such an object, is an empty line with the error.

    Raises:
        DamagedFileError: with the line's number: it is not UTF-8, too long, or not such an object.
    """
    unfinished, number = bytearray(), 0

    def line(number: int, raw: bytes) -> Line:
        try:
            return _line(number, raw, name, json_lines)
        except RegardError as error:
            if not keep_bad:
                raise
            return Line(number, "", error=error)

    while piece := _piece(stream, name):
        first, *others = piece.split(b"\n")
        unfinished += first
        if len(unfinished) > LONGEST_LINE:
            raise DamagedFileError(
                f"line {number + 1} of {name} is longer than {LONGEST_LINE // 2**20} MiB."
                " Split it into shorter lines."
            )
        if others:
            complete = [bytes(unfinished), *others[:-1]]
            unfinished = bytearray(others[-1])
            start, number = number + 1, number + len(complete)
            yield [line(k, raw) for k, raw in enumerate(complete, start)]
    if unfinished:
        yield [line(number + 1, bytes(unfinished))]


def read_text(stream: BinaryIO, *, name: str) -> str:
    """The whole of a stream as one text.

    Raises:
        DamagedFileError: it is not UTF-8, damaged, or longer than a line may be.
    """
    raw = bytearray()
    while piece := _piece(stream, name):
        raw += piece
        if len(raw) > LONGEST_LINE:
            raise DamagedFileError(
                f"{name} is longer than {LONGEST_LINE // 2**20} MiB, the longest text that is read"
                " at once. Give a part of it."
            )
    return decoded(bytes(raw), name).removeprefix(BYTE_ORDER_MARK)


def open_input(path: Path) -> BinaryIO:
    """A file of lines, unpacked on the way when its name ends in .gz."""
    return cast(BinaryIO, gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb"))


def count_lines(path: Path) -> int | None:
    """How many lines `read_lines` will find; None for a pipe or a device, which can only be read
    once."""
    # On some systems /dev/stdin shares its position with stdin, even if that is a regular file.
    if not path.is_file() or path.absolute().parts[:2] == ("/", "dev"):
        return None
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
        raise DamagedFileError(f"{name} is damaged gzip ({error}). Copy it again.") from error


def _line(number: int, raw: bytes, name: str, json_lines: bool) -> Line:
    where = f"line {number} of {name}"
    text = decoded(raw, where).rstrip("\r")
    if number == 1:
        text = text.removeprefix(BYTE_ORDER_MARK)  # which is no part of the first sentence
    if not (json_lines and text.startswith("{")):
        return Line(number, text)
    fields = json_object(text, where)
    if not isinstance(fields.get("text"), str):
        raise DamagedFileError(
            f'{where} must have a string under "text"; it has'
            f" {', '.join(map(repr, fields)) or 'nothing'}."
        )
    return Line(number, fields["text"], fields)
