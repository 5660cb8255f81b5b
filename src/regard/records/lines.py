"""Lines of files and pipes: bytes to text in the encodings that people have."""

import codecs
import gzip
import io
import re
import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from regard.errors import (
    BadArgumentError,
    DamagedFileError,
    NotFoundError,
    UnavailableError,
    UnsupportedError,
)
from regard.files import LONGEST_LINE, check_content

CHUNK = 1 << 16  # bytes; what a pipe holds, and enough lines to sort into full batches

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LETTERS = rb"\x8a\x8c\x8e\x9a\x9c\x9e\x9f\xc0-\xd6\xd8-\xf6\xf8-\xff"  # of Windows-1252
_IN_WORD = re.compile(
    rb"(?<=[A-Za-z])[%b]|[%b](?=[A-Za-z])|[\x80\x85\x91-\x97]" % (2 * (_LETTERS,))
)
_LETTER = re.compile(rb"[%b]" % _LETTERS)
# Bytes without a character, and signs in the middle of a word, where Latin-2 has letters.
_ODD = re.compile(
    rb"[\x81\x8d\x8f\x90\x9d]|(?<=[a-z])[\xa1-\xac\xae-\xb3\xb5\xb6\xb8-\xbf](?=[a-z])"
)

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


def open_bytes(path: Path) -> BinaryIO:
    """The bytes of a file, unpacked where its name ends in .gz; UTF-16 with a mark as UTF-8."""
    check_content(path)
    try:
        packed = path.suffix.lower() == ".gz"
        stream = cast(BinaryIO, (gzip.open if packed else open)(path, "rb"))
    except OSError as error:
        raise UnavailableError(
            f"{path} cannot be opened ({error.strerror}): check its permissions"
        ) from error
    with unpacking(str(path), 0):
        return as_utf8(stream)


def as_utf8(stream: BinaryIO) -> BinaryIO:
    """A stream whose UTF-16, if it begins with a byte order mark, comes out as UTF-8."""
    peek = getattr(stream, "peek", None)
    if peek is None or not peek(2).startswith(_UTF16_MARKS):
        return stream
    return cast(BinaryIO, io.BufferedReader(_Utf16(stream)))


class _Utf16(io.RawIOBase):
    """A stream of UTF-16, from its byte order mark on, as UTF-8."""

    def __init__(self, stream: BinaryIO):
        self._stream, self._place = stream, 0
        self._decoder, self._ready = codecs.getincrementaldecoder("utf-16")("replace"), b""

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._stream.seekable()

    def readinto(self, buffer: Any) -> int:
        raw = b"?"
        while not self._ready and raw:
            raw = self._stream.read1(CHUNK)  # type: ignore[attr-defined]
            text = self._decoder.decode(raw, final=not raw)
            self._ready = text.encode("utf-8", "replace")
        size = min(len(buffer), len(self._ready))
        buffer[:size], self._ready = self._ready[:size], self._ready[size:]
        self._place += size
        return size

    def seek(self, place: int, whence: int = 0) -> int:
        """Go to a place from the start, by reading up to it."""
        if whence == 0 and place != self._place:
            if place < self._place:
                self._stream.seek(0)
                self.__init__(self._stream)  # type: ignore[misc]
            while self._place < place and self.readinto(bytearray(min(CHUNK, place - self._place))):
                pass
        return self._place

    def close(self) -> None:
        self._stream.close()
        super().close()


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
    """The whole of a stream as one text.

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
        """The lines of a block, the first of which has this number; `ends`: with their "\\r"."""
        if number == 1:
            self._refuse_utf16(block[:4096])
            block = block.removeprefix(codecs.BOM_UTF8)
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
            self.windows = _is_windows_1252(block)
            if self.windows:
                self.say(
                    f"{self.name} is read as Windows-1252, because it is not UTF-8; if its letters"
                    " come out wrong, convert it to UTF-8."
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
            # Latin-1 has no sign at 0x80-0x9f, Windows-1252 has quotes and dashes there.
            codec = "WINDOWS-1252" if any(0x80 <= value <= 0x9F for value in raw) else "LATIN1"
            guess = "a truncated character, or another encoding"
            if error.reason != "unexpected end of data":
                guess = f"it looks like {codec}, which iconv -f {codec} -t UTF-8 converts"
            problem = f"expected UTF-8, but byte 0x{byte:02x} is not: {guess}"
            return BadLine(self.name, number, "bad encoding", problem)

    def _refuse_utf16(self, start: bytes) -> None:
        # UTF-16 text in Latin letters has a zero byte at every other place; UTF-8 text has none.
        if start.startswith(_UTF16_MARKS) or start.count(0) > len(start) // 4:
            raise DamagedFileError(
                f"{self.name} must be UTF-8, but it looks like UTF-16 from its first line on:"
                " convert it with iconv -f UTF-16 -t UTF-8"
            )


def _is_windows_1252(block: bytes) -> bool:
    """Return whether lines are words with accents or typographic signs, and none is UTF-8."""
    lines = [line for line in block.split(b"\n") if not line.isascii()]
    for line in lines:
        try:
            line.decode()
        except UnicodeDecodeError:
            continue
        return False
    whole = b"\n".join(lines)
    usual, odd = len(_IN_WORD.findall(whole)), len(_ODD.findall(whole))
    return usual > 10 * odd and 2 * usual > len(_LETTER.findall(whole))


def _pieces(stream: BinaryIO, name: str, size: int | None) -> Iterator[bytes]:
    """The bytes of a stream as they come, up to `size` of them."""
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


@contextmanager
def unpacking(name: str, number: int) -> Iterator[None]:
    """Raise DamagedFileError where a gzip cannot be unpacked after a line."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DamagedFileError(
            f"{name} is damaged gzip after line {number:,} ({error}): copy it again"
        ) from error
