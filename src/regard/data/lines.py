"""Lines of files and pipes: bytes to text in the encodings that people have."""

import codecs
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from regard.data.encodings import is_windows_1252, name_of
from regard.data.streams import CHUNK, UTF16_MARKS, open_bytes, unpacking
from regard.errors import (
    BadArgumentError,
    DamagedFileError,
    NotFoundError,
    UnsupportedError,
)
from regard.files import LONGEST_LINE

_MARKUP = ("<?xml", "<!DOCTYPE", "<html", "<tmx", "<xliff")
_NAMED = {
    ".po": "gettext's messages: po2csv of the translate-toolkit makes CSV of them",
    ".pot": "gettext's messages without translations",
    ".ann": (
        "brat's annotations, whose text is in a file beside it: convert both to JSON lines of texts"
        " and spans, or to CoNLL's columns"
    ),
}

_UTF7 = re.compile(rb"\+[A-Za-z0-9+/]{3,}-")  # letters in base64

Say = Callable[[str], None]


class BadLine(NamedTuple):
    """A line that cannot be used: the reason in two words for counting, the problem for reading.

    >>> from pathlib import Path
    >>> _ = Path("bad.tsv").write_text("the old dog\\tder alte Hund\\nthe dog\\n")
    >>> bad = []
    >>> from regard.data import read_pairs
    >>> len(list(read_pairs("bad.tsv", on_bad_line=bad.append))), bad[0].line, bad[0].reason
    (1, 2, 'no tab')
    """

    file: str
    line: int  # from 1; the row of Parquet
    reason: str
    problem: str

    @property
    def message(self) -> str:
        """The problem behind its place."""
        return f"{self.file}, line {self.line:,}: {self.problem}"


OnBadLine = Callable[[BadLine], None]


def refuse(bad: BadLine) -> None:
    """Stop at a bad line, and name it."""
    raise DamagedFileError(bad.message)


class LeftOut:
    """Bad lines that are left out and counted; `strict`: the first is the end."""

    def __init__(self, *, strict: bool = False):
        self.strict, self.count = strict, 0
        self.first: BadLine | None = None

    def __call__(self, bad: BadLine) -> None:
        if self.strict:
            refuse(bad)
        self.first = self.first or bad
        self.count += 1

    def report(self, say: Say) -> None:
        """Say how many lines are left out, and name the first."""
        if self.first is not None:
            lines = "1 line is" if self.count == 1 else f"{self.count:,} lines are"
            say(f"{lines} left out; the first is {self.first.message}")


def warn(sentence: str) -> None:
    """Warn of something in a file where there is no other way to say it."""
    warnings.warn(sentence, stacklevel=2)


def check_file(path: Path, content: str = "lines of text") -> None:
    """Raise RegardError unless the path is a file that has something in it, or a pipe."""
    if path.is_dir():
        raise BadArgumentError(f"expected a file, but {path} is a folder. Name a file in it.")
    if not path.exists():
        raise NotFoundError(
            f"expected a file at {path}, but there is no such file. Check the path."
        )
    if path.is_file() and path.stat().st_size == 0:
        raise empty_file(path, content)


def first_line(path: Path) -> str:
    """Return the first line of a regular file; "" of another, or where it is not text."""
    if not path.is_file():
        return ""
    with open_bytes(path) as stream:
        first = next(read_lines(stream, Decoder(str(path), lambda sentence: None)), [""])[0]
    return first if isinstance(first, str) else ""


def refuse_markup(path: Path) -> None:
    """Raise UnsupportedError for a file that has no rows, but elements or messages."""
    what = _NAMED.get(path.suffix.lower())
    if first_line(path).lstrip().startswith(_MARKUP):
        what = (
            "XML or HTML: memories of translations are read if their names end in .tmx or .xliff;"
            " convert others to CSV or JSON lines"
        )
    if what is not None:
        raise UnsupportedError(f"expected rows in {path}, but it has {what}.")


def check_rereadable(path: Path) -> None:
    """Raise RegardError unless the path is a regular file, which training reads several times."""
    check_file(path)
    if not path.is_file():
        raise UnsupportedError(
            f"{path} is a pipe or a device, which can be read only once, and training reads its"
            " files several times: write it to a file first"
        )


def empty_file(name: object, content: str = "lines of text") -> DamagedFileError:
    return DamagedFileError(
        f"expected {content} in {name}, but it is empty. Check that it is the right file."
    )


def read_lines(
    stream: BinaryIO, decode: "Decoder", *, first: int = 1, size: int | None = None
) -> Iterator[list[str | BadLine]]:
    """Complete lines without their ends, in groups, each as soon as its bytes are there.

    A pipe's reader can so answer a line before the next one comes. Only a line feed ends a line (a
    carriage return before it goes too): Unicode's other line separators occur inside sentences.

    Args:
        stream: has `read1`, as files opened for bytes do. It is read once, from where it stands.
        first: the number of the first line.
        size: bytes to read; None: to the end.

    Raises:
        DamagedFileError: damaged gzip, or UTF-16 without a mark.
    """
    number, unfinished, skipping = first, bytearray(), False
    for piece in _pieces(stream, decode.name, size):
        block, feed, rest = piece.rpartition(b"\n")
        head, more, tail = block.partition(b"\n")
        group: list[str | BadLine] = []
        if feed and skipping:  # the end of a line that was too long
            group = decode(tail, number) if more else []
            skipping = False
        elif len(unfinished) + len(head if feed else rest) > LONGEST_LINE and not skipping:
            group = [_too_long(decode.name, number)]
            group += decode(tail, number + 1) if more else []
            unfinished, skipping = bytearray(), not feed
        elif feed:
            unfinished += block
            group = decode(bytes(unfinished), number)
        if feed:
            unfinished = bytearray()
        if not skipping:
            unfinished += rest
        if group:
            yield group
            number += len(group)
    if unfinished:
        yield decode(bytes(unfinished), number)


def read_text(stream: BinaryIO, name: str, *, say: Say = warn) -> str:
    """Return the whole of a stream as one text.

    Raises:
        DamagedFileError: it is not text, damaged, or longer than a line may be.
    """
    raw = bytearray()
    for piece in _pieces(stream, name, None):
        raw += piece
        if len(raw) > LONGEST_LINE:
            raise DamagedFileError(
                f"{name} is longer than {LONGEST_LINE // 2**20} MiB, the longest text that is read"
                " at once. Give a part of it."
            )
    lines = Decoder(name, say)(bytes(raw), 1, ends=True)
    for line in lines:
        if isinstance(line, BadLine):
            refuse(line)
    return "\n".join(map(str, lines))


class Decoder:
    """Lines of one file from bytes, which may be UTF-8, Windows-1252, or both.

    Args:
        name: of the file, for messages.
        say: called with a sentence where the file is not UTF-8.
        windows: whether lines that are not UTF-8 are Windows-1252; None: as the first lines that
            are not plain ASCII look.
    """

    def __init__(self, name: str, say: Say = warn, windows: bool | None = None):
        self.name, self.say, self.windows = name, say, windows

    def __call__(self, block: bytes, number: int, *, ends: bool = False) -> list[str | BadLine]:
        """Return the lines of a block, the first of which has this number; `ends`: with their
        "\\r"."""
        if number == 1:
            self._refuse_utf16(block[:4096])
            block = block.removeprefix(codecs.BOM_UTF8)
            self._look_for_utf7(block[:CHUNK])
        lines: list[str | BadLine]
        try:
            lines = list(block.decode().split("\n"))
        except UnicodeDecodeError:
            self._look(block)
            lines = [self._line(raw, k) for k, raw in enumerate(block.split(b"\n"), number)]
        else:
            if self.windows is None and not block.isascii():
                self.windows = False
        if b"\r" in block and not ends:
            lines = [line.rstrip("\r") if isinstance(line, str) else line for line in lines]
        return lines

    def _look(self, block: bytes) -> None:
        """Decide once, by lines that are not all UTF-8, and say what the file is read as."""
        if self.windows is None:
            self.windows = is_windows_1252(block)
            if self.windows:
                self.say(
                    f"{self.name} is read as Windows-1252, because it is not UTF-8; if its letters"
                    " come out wrong, convert it to UTF-8."
                )

    def _look_for_utf7(self, start: bytes) -> None:
        letters = [match[0].decode("utf-7", "replace") for match in _UTF7.finditer(start)]
        if len(letters) > 1 and all(text.isalpha() and not text.isascii() for text in letters):
            self.say(
                f"{self.name} looks like UTF-7, whose letters such as {letters[0]} are written as"
                f" {_UTF7.findall(start)[0].decode()}: if it is, convert it with iconv -f UTF-7 -t"
                " UTF-8."
            )

    def _line(self, raw: bytes, number: int) -> str | BadLine:
        try:
            return raw.decode()
        except UnicodeDecodeError as error:
            if self.windows:
                try:
                    return raw.decode("cp1252")
                except UnicodeDecodeError:  # a byte without a character
                    pass
            byte = raw[error.start]
            guess = "a truncated character, or another encoding"
            if error.reason != "unexpected end of data":
                guess = name_of(raw)
            problem = f"expected UTF-8, but byte 0x{byte:02x} is not: {guess}"
            return BadLine(self.name, number, "bad encoding", problem)

    def _refuse_utf16(self, start: bytes) -> None:
        # UTF-16 text in Latin letters has a zero byte at every other place; UTF-8 text has none.
        if start.startswith(UTF16_MARKS) or start.count(0) > len(start) // 4:
            raise DamagedFileError(
                f"{self.name} must be UTF-8, but it looks like UTF-16 from its first line on:"
                " convert it with iconv -f UTF-16 -t UTF-8"
            )


def _pieces(stream: BinaryIO, name: str, size: int | None) -> Iterator[bytes]:
    """Yield the bytes of a stream as they come, up to `size` of them."""
    feeds = 0
    while size is None or size > 0:
        with unpacking(name, feeds):
            most = CHUNK if size is None else min(CHUNK, size)
            piece: bytes = stream.read1(most)  # type: ignore[attr-defined]
        if not piece:
            return
        yield piece
        feeds += piece.count(b"\n")
        size = None if size is None else size - len(piece)


def _too_long(name: str, number: int) -> BadLine:
    problem = f"the line is longer than {LONGEST_LINE // 2**20} MiB: check that the file has line"
    return BadLine(name, number, "too long", f"{problem} ends")
