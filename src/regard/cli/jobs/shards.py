"""The lines of the input in shards: what one worker does at once, and writes whole."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from glob import glob, has_magic
from itertools import chain
from pathlib import Path
from typing import Any

from regard.data.csv_rows import delimiter_of
from regard.data.lines import Decoder, Say, empty_file, warn
from regard.data.reader import Format, format_of, read_groups
from regard.data.roles import unique
from regard.data.streams import open_bytes, unpacking
from regard.errors import BadArgumentError, DamagedFileError, NotFoundError, UnsupportedError
from regard.files import sha256
from regard.packages import optional_package

MOST_BYTES = 16 * 2**20  # of a shard's lines, where these are long
_PIECE = 2**20


@dataclass(frozen=True)
class Shard:
    """Consecutive lines of one file."""

    number: int  # counted from 0 over all files
    file: str
    start: int  # the first line's byte, unpacked; of Parquet, the first row within its row group
    first: int  # the first line's number, counted from 1
    count: int  # lines
    size: int = 0  # their bytes
    windows: bool = False  # whether what is not UTF-8 is Windows-1252
    group: int = 0  # the row group of Parquet
    names: Sequence[str] = ()  # of a table's columns, in its first row
    delimiter: str | None = None  # between the cells of CSV

    @property
    def lines(self) -> str:
        """The lines as a message names them."""
        if self.count == 1:
            return f"line {self.first:,} of {self.file}"
        return f"lines {self.first:,} to {self.first + self.count - 1:,} of {self.file}"


@dataclass(frozen=True)
class Input:
    """Files of one format, in order, in shards."""

    files: tuple[Path, ...]
    format: Format
    shards: tuple[Shard, ...]

    @classmethod
    def read(
        cls, name: str, lines: int, say: Say = warn, *, delimiter: str | None = None
    ) -> "Input":
        """The files that a name stands for, each read once for where its lines begin.

        Args:
            name: a file, or a pattern such as "parts/*.jsonl", whose files are taken in the order
                of their names.
            lines: of a shard, at most.
            say: called with a sentence where a file is not UTF-8.
            delimiter: between the cells of CSV; None: as the first lines of a file look.

        Raises:
            NotFoundError: no such file.
            BadArgumentError: a folder, files of different formats, or a delimiter of none of them.
            DamagedFileError: a file cannot be read, or there is not a single line.
        """
        files = _files(name)
        formats = {format_of(file, "text") for file in files}
        if len(formats) > 1:
            raise BadArgumentError(
                f"{name} must be files of one format; got {' and '.join(sorted(formats))}."
                " Run a job for each."
            )
        (format,) = formats
        if delimiter is not None and (format != "csv" or len(delimiter) != 1):
            raise BadArgumentError(
                f"`delimiter` is one character between the cells of CSV; got {delimiter!r} for"
                f" {files[0].name}. Leave it out where it is not CSV."
            )
        shards: list[Shard] = []
        for file in files:
            if format in ("csv", "tsv"):
                shards += _table(file, lines, len(shards), say, format, delimiter)
            else:
                shards += (_parquet if format == "parquet" else _lines)(
                    file, lines, len(shards), say
                )
        if not shards:
            raise empty_file(name)
        return cls(tuple(files), format, tuple(shards))

    @property
    def lines(self) -> int:
        return sum(shard.count for shard in self.shards)

    def recorded(self) -> list[list[str]]:
        """The files' names and what is in them, so that another content is noticed."""
        return [[str(file), sha256(file)] for file in self.files]


def parquet() -> Any:
    """The module pyarrow.parquet.

    Raises:
        UnavailableError: the package is not installed.
    """
    with optional_package("pyarrow", "reading and writing Parquet needs"):
        import pyarrow.parquet
    return pyarrow.parquet


def _files(name: str) -> list[Path]:
    if has_magic(name) and not Path(name).exists():
        paths = [Path(path) for path in sorted(glob(name, recursive=True))]
        paths = [path for path in paths if path.is_file()]
        if not paths:
            raise NotFoundError(f"there is no file {name}. Check the pattern.")
    else:
        paths = [Path(name)]
    for path in paths:
        if path.is_dir():
            raise BadArgumentError(
                f"{path} is a folder; give its files as a pattern in quotes, such as"
                f" '{path}/*.jsonl'."
            )
        if not path.exists():
            raise NotFoundError(f"there is no file {path}. Check the path.")
        if not path.is_file():
            raise UnsupportedError(
                f"{path} is a pipe or a device, which can be read only once. Write it to a file"
                " first."
            )
    return [path.absolute() for path in paths]


def _lines(file: Path, lines: int, number: int, say: Say) -> Iterator[Shard]:
    first, count, start, place, ended = 1, 0, 0, 0, True
    windows = _is_windows_1252(file, say)
    with open_bytes(file) as opened, unpacking(str(file), 0):
        while piece := opened.readline(_PIECE):
            if ended and (count == lines or (count and place - start >= MOST_BYTES)):
                yield Shard(number, str(file), start, first, count, place - start, windows)
                number, first, count, start = number + 1, first + count, 0, place
            count += ended
            place += len(piece)
            ended = piece.endswith(b"\n")
    if count:
        yield Shard(number, str(file), start, first, count, place - start, windows)


def _table(
    file: Path, lines: int, number: int, say: Say, format: Format, delimiter: str | None
) -> Iterator[Shard]:
    """Shards that begin with a row, each with the names in the first; empty lines are no rows."""
    windows = _is_windows_1252(file, say)
    if delimiter is None:
        delimiter = delimiter_of(file, tabs=format == "tsv")
    shard: Shard | None = None  # the one that rows are added to
    place = passed = 0  # bytes and lines
    with open_bytes(file) as opened, open_bytes(file) as raw, unpacking(str(file), 0):
        decode = Decoder(str(file), windows=windows)
        groups = read_groups(opened, str(file), format, delimiter=delimiter, decode=decode)
        for line, content in chain.from_iterable(groups):
            if content is None:
                continue
            while passed < line:  # a row of CSV may be several lines
                piece = raw.readline(_PIECE)
                place += len(piece)
                passed += piece.endswith(b"\n") or len(piece) < _PIECE
            if shard is None:
                if not isinstance(content, list):
                    raise DamagedFileError(f"{file} must begin with the names of its columns.")
                content = unique(str(file), content)
                shard = Shard(
                    number, str(file), place, line + 1, 0, 0, windows, 0, content, delimiter
                )
                continue
            shard = replace(shard, count=shard.count + 1, size=place - shard.start)
            if shard.count == lines or shard.size >= MOST_BYTES:
                yield shard
                number = shard.number + 1
                shard = replace(shard, number=number, start=place, first=line + 1, count=0)
    if shard is not None and shard.count:
        yield shard


def _is_windows_1252(file: Path, say: Say) -> bool:
    """Return whether lines that are not UTF-8 are read as Windows-1252, as the first of them look.

    Raises:
        DamagedFileError: a file of which every line would be refused.
    """
    decode = Decoder(str(file), say)
    with open_bytes(file) as opened:
        for _ in read_groups(opened, str(file), format_of(file, "text"), decode=decode):
            if decode.windows is not None:
                return decode.windows
    return False


def _parquet(file: Path, lines: int, number: int, say: Say) -> Iterator[Shard]:
    module = parquet()
    import pyarrow

    try:
        about = module.read_metadata(file)
        unique(str(file), module.read_schema(file).names)
    except (pyarrow.ArrowException, OSError) as error:
        raise DamagedFileError(f"{file} cannot be read as Parquet ({error}). Copy it again.") from (
            error
        )
    first = 1
    for group in range(about.num_row_groups):
        rows = about.row_group(group).num_rows
        for start in range(0, rows, lines):
            count = min(lines, rows - start)
            yield Shard(number, str(file), start, first, count, group=group)
            number, first = number + 1, first + count
