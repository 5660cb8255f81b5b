"""Files and pipes as streams of UTF-8 whose lines end with a line feed, unpacked if need be."""

import bz2
import codecs
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

from regard.errors import DamagedFileError, UnavailableError, UnsupportedError
from regard.files import check_content

CHUNK = 1 << 16  # bytes; what a pipe holds, and enough lines to sort into full batches

_OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
PACKED = frozenset(_OPENERS)  # endings of names
UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# What a file begins with: how it is unpacked …
_PACKERS = {b"\x1f\x8b": ".gz", b"BZh91AY&SY": ".bz2", b"\xfd7zXZ\0": ".xz"}
# … or what it is, and the way out.
_OTHERS = {
    b"PK\x03\x04": (
        "a zip archive, as Excel's .xlsx, .ods and .docx are: save a sheet as CSV UTF-8, or"
        " unpack it with unzip"
    ),
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "of old Office: save a sheet as CSV UTF-8",
    b"(\xb5/\xfd": "packed with zstd: unpack it with zstd -d",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive: unpack it with 7z x",
    b"%PDF-": "a PDF: take its text out first, with pdftotext for example",
    b"{\\rtf": "a document in rich text (RTF): save it as plain text in UTF-8",
    b"SQLite format 3\0": "a database of SQLite: write its table as CSV first",
    b"ARROW1": "Arrow: write it as Parquet or JSON lines first",
    b"\x93NUMPY": "an array of NumPy: write it as JSON lines first",
}


def open_bytes(path: Path) -> BinaryIO:
    """Return the bytes of a file, unpacked; UTF-16 as UTF-8, and line feeds for carriage returns.

    In CSV every carriage return alone is a line feed, because a cell may have either.

    Raises:
        UnsupportedError: the file is not text, but a workbook, an archive or the like.
    """
    check_content(path)
    try:
        start = _start(path)
        packed = path.suffix.lower()
        if packed not in _OPENERS:
            _refuse_others(path, start)
            packed = next((kind for sign, kind in _PACKERS.items() if start.startswith(sign)), "")
        stream = cast(BinaryIO, _OPENERS.get(packed, open)(path, "rb"))
    except OSError as error:
        raise UnavailableError(
            f"{path} cannot be opened ({error.strerror}): check its permissions"
        ) from error
    if start.startswith(b"PAR1"):  # no text
        return stream
    with unpacking(str(path), 0):
        return as_utf8(stream, returns=".csv" in [suffix.lower() for suffix in path.suffixes[-2:]])


def _start(path: Path) -> bytes:
    """Return the first bytes of a regular file; of a pipe they could not be read again."""
    if not path.is_file():
        return b""
    with open(path, "rb") as file:
        return file.read(16)


def is_packed(stream: BinaryIO) -> bool:
    """Return whether going back in the stream means to unpack it again."""
    packed = (gzip.GzipFile, bz2.BZ2File, lzma.LZMAFile, _Translated)
    return isinstance(getattr(stream, "raw", stream), packed)


def as_utf8(stream: BinaryIO, *, returns: bool = False) -> BinaryIO:
    """Return a stream whose UTF-16 comes out as UTF-8, and whose lines end with line feeds.

    Args:
        returns: whether every carriage return alone ends a line; else where such are more than the
            line feeds, for in other files they may stand inside sentences.
    """
    peek = getattr(stream, "peek", None)
    if peek is None:
        return stream
    if codec := _utf16(peek(64)):
        decoder = codecs.getincrementaldecoder(codec)("replace")
        stream = cast(BinaryIO, io.BufferedReader(_Translated(stream, _Utf8(decoder)), CHUNK))
        peek = stream.peek  # type: ignore[attr-defined]
    start = peek(CHUNK)
    alone = start.count(b"\r") - start.count(b"\r\n") - start.endswith(b"\r")
    if returns or alone > start.count(b"\n"):
        stream = cast(BinaryIO, io.BufferedReader(_Translated(stream, _LineFeeds()), CHUNK))
    return stream


def _utf16(start: bytes) -> str | None:
    """Return the codec of UTF-16, by its mark or, of Latin letters, by the zero at every other
    place."""
    if start.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if start.startswith(UTF16_MARKS):
        return "utf-16"
    if codec := _utf32(start) or _unspaced_utf16(start[:4096]):
        return codec
    even, odd = start[::2].count(0), start[1::2].count(0)
    most = len(start) // 2 * 0.8
    if len(start) < 8 or max(even, odd) < most or 10 * min(even, odd) > max(even, odd):
        return None
    return "utf-16-be" if even > odd else "utf-16-le"


def _utf32(start: bytes) -> str | None:
    """Return the codec of UTF-32 without a mark, whose code points have two bytes of zero."""
    size = len(start) // 4
    zeros = [start[k::4][:size].count(0) for k in range(4)]
    if size < 4 or max(zeros) < size:
        return None
    if zeros[3] == size > zeros[0] and zeros[2] >= 0.9 * size:
        return "utf-32-le"
    return "utf-32-be" if zeros[0] == size > zeros[3] and zeros[1] >= 0.9 * size else None


def _unspaced_utf16(start: bytes) -> str | None:
    """Return the codec of UTF-16 without a mark, of scripts whose letters have few bytes of zero:
    the one of the two in which all is text and in lines."""
    if b"\0" not in start or start.isascii():
        return None
    codecs_of_text = []
    for codec in ("utf-16-le", "utf-16-be"):
        with suppress(UnicodeDecodeError):
            text = codecs.getincrementaldecoder(codec)().decode(start)
            if "\n" in text and all(sign.isprintable() or sign.isspace() for sign in text):
                codecs_of_text.append(codec)
    return codecs_of_text[0] if len(codecs_of_text) == 1 else None


class _Utf8:
    """Text of another encoding as UTF-8."""

    def __init__(self, decoder: codecs.IncrementalDecoder):
        self._decoder, self.reset = decoder, decoder.reset

    def __call__(self, raw: bytes) -> bytes:
        text = self._decoder.decode(raw, final=not raw)
        return text.encode("utf-8", "replace").removeprefix(codecs.BOM_UTF8)


class _LineFeeds:
    """Line feeds for carriage returns that have none behind them, a byte for a byte."""

    def __init__(self) -> None:
        self._held = b""  # a carriage return, until the next byte is seen

    def reset(self) -> None:
        self._held = b""

    def __call__(self, raw: bytes) -> bytes:
        whole = self._held + raw
        self._held = b"\r" if raw and whole.endswith(b"\r") else b""
        whole = whole.removesuffix(self._held) if self._held else whole
        if b"\r" not in whole:
            return whole
        return b"\r\n".join(part.replace(b"\r", b"\n") for part in whole.split(b"\r\n"))


class _Translated(io.RawIOBase):
    """A stream whose bytes are translated as they are read."""

    def __init__(self, stream: BinaryIO, translate: _Utf8 | _LineFeeds):
        self._stream, self._translate = stream, translate
        self._place, self._ready = 0, b""

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._stream.seekable()

    def readinto(self, buffer: Any) -> int:
        raw = b"?"
        while not self._ready and raw:
            raw = self._stream.read1(CHUNK)  # type: ignore[attr-defined]
            self._ready = self._translate(raw)
        size = min(len(buffer), len(self._ready))
        buffer[:size], self._ready = self._ready[:size], self._ready[size:]
        self._place += size
        return size

    def seek(self, place: int, whence: int = 0) -> int:
        """Go to a place from the start, by reading up to it where places move."""
        if whence == 0 and place != self._place:
            if isinstance(self._translate, _LineFeeds):
                self._start_at(place)
            elif place < self._place:
                self._start_at(0)
            while self._place < place and self.readinto(bytearray(min(CHUNK, place - self._place))):
                pass
        return self._place

    def _start_at(self, place: int) -> None:
        self._stream.seek(place)
        self._translate.reset()
        self._place, self._ready = place, b""

    def close(self) -> None:
        self._stream.close()
        super().close()


@contextmanager
def unpacking(name: str, number: int) -> Iterator[None]:
    """Raise DamagedFileError where a packed file cannot be unpacked after a line."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError) as error:
        raise _damaged(name, number, error) from error
    except OSError as error:
        if error.errno is None and not isinstance(error, io.UnsupportedOperation):  # bz2's
            raise _damaged(name, number, error) from error
        raise


def _damaged(name: str, number: int, error: Exception) -> DamagedFileError:
    kind = {".bz2": "bzip2", ".xz": "xz"}.get(Path(name).suffix.lower(), "gzip")
    return DamagedFileError(
        f"{name} is damaged {kind} after line {number:,} ({error}): copy it again"
    )


def _refuse_others(path: Path, start: bytes) -> None:
    for begins, what in _OTHERS.items():
        if start.startswith(begins):
            raise UnsupportedError(f"expected text in {path}, but it is {what}.")
