"""The lines of the input in shards: what one worker does at once, and writes whole."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from itertools import chain
from pathlib import Path
from typing import Any

from regard.cli.lines import LineReader
from regard.data.columns import quiet
from regard.data.csv_rows import delimiter_of
from regard.data.inputs import TEXT
from regard.data.lines import Decoder, Say, empty_file, read_lines, warn
from regard.data.reader import Format, format_of, read_groups
from regard.data.roles import Role, unique
from regard.data.streams import open_bytes, unpacking
from regard.errors import BadArgumentError, DamagedFileError, NotFoundError, UnsupportedError
from regard.lazy import pyarrow

Span = tuple[int, int, int, int]  # the start, first, count and size of a shard
MOST_BYTES = 16 * 2**20  # of a shard's lines, where these are long
_PIECE = 2**20


@dataclass(frozen=True)
class Shard:
    """Consecutive lines of one file."""

    number: int  # counted from 0 over all files
    file: str
    format: Format
    start: int  # the first line's byte, unpacked; of Parquet, the first row within its row group
    first: int  # the first line's number, counted from 1
    count: int  # lines
    size: int = 0  # their bytes; of Parquet, the number of the row group
    windows: bool = False  # whether what is not UTF-8 is Windows-1252
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
    shards: tuple[Shard, ...]

    @classmethod
    def read(
        cls,
        name: str,
        lines: int,
        roles: Sequence[Role] = (TEXT,),
        say: Say = warn,
        *,
        delimiter: str | None = None,
    ) -> "Input":
        """Return the files that a name stands for, each read for where its lines begin.

        Args:
            name: a file, a folder or a pattern such as "parts/*.jsonl", whose files are taken in
                the order of their names.
            lines: of a shard, at most.
            roles: the columns that are read.
            say: called with a sentence where a file is not UTF-8, or its cells choose the columns.
            delimiter: between the cells of CSV; None: as the first lines of a file look.

        Raises:
            NotFoundError: no such file.
            BadArgumentError: files of different formats, a column that is missing, or a delimiter
                of no CSV.
            DamagedFileError: a file cannot be read, or there is not a single line.
        """
        files = files_of(name)
        formats = {format_of(file, "text") for file in files}
        if len(formats) > 1:
            raise BadArgumentError(
                f"{name} must be files of one format; got {' and '.join(sorted(formats))}."
                " Give those of each by themselves."
            )
        (format,) = formats
        if delimiter is not None and (format != "csv" or len(delimiter) != 1):
            raise BadArgumentError(
                f"`delimiter` is one character between the cells of CSV; got {delimiter!r} for"
                f" {files[0].name}. Leave it out where it is not CSV."
            )
        shards: list[Shard] = []
        for file in files:
            if format == "parquet":
                _check_parquet(file, files[0])
            shards += _shards(file, format, roles, lines, len(shards), say, delimiter)
        if not shards:
            raise empty_file(name)
        return cls(tuple(files), tuple(shards))

    @property
    def lines(self) -> int:
        return sum(shard.count for shard in self.shards)


def files_of(name: str) -> list[Path]:
    """Return the files that a name stands for: one, those of a folder, or those of a pattern.

    Raises:
        NotFoundError: no file has this name.
        UnsupportedError: a file can be read only once.
    """
    if Path(name).is_dir():
        paths = sorted(path for path in Path(name).iterdir() if path.name[:1] != ".")
        paths = [path for path in paths if path.is_file()]
        if not paths:
            raise NotFoundError(f"there is no file in the folder {name}. Check the path.")
    elif has_magic(name) and not Path(name).exists():
        paths = [Path(path) for path in sorted(glob(name, recursive=True))]
        paths = [path for path in paths if path.is_file()]
        if not paths:
            raise NotFoundError(f"there is no file {name}. Check the pattern.")
    else:
        paths = [Path(name)]
    for path in paths:
        if not path.exists():
            raise NotFoundError(
                f"expected a file at {path}, but there is no such file. Check the path."
            )
        if not path.is_file():
            raise UnsupportedError(
                f"{path} is a pipe or a device, which can be read only once. Write it to a file"
                " first."
            )
    return [path.absolute() for path in paths]


def _shards(
    file: Path,
    format: Format,
    roles: Sequence[Role],
    lines: int,
    number: int,
    say: Say,
    delimiter: str | None,
) -> Iterator[Shard]:
    """Yield the shards of a file, the first of which has this number."""
    reader = LineReader(str(file), format, roles, say=say)
    with open_bytes(file) as opened:
        options: Any = {"delimiter": delimiter, "strict": True}
        options["decode"] = Decoder(str(file), quiet)
        reader.begin(next(read_groups(opened, str(file), format, **options), []))
    windows = format != "parquet" and _is_windows_1252(file, say)
    if format == "parquet":
        _check_types(file, reader.columns.names)
        spans = _of_parquet(file, lines)
    elif not reader.table:
        format, spans = "text", _of_lines(file, lines)
    elif format == "jsonl":
        spans = _of_lines(file, lines)
    else:
        delimiter = delimiter or delimiter_of(file, tabs=format == "tsv")
        decode = Decoder(str(file), windows=windows)
        spans = _of_table(file, format, reader.columns.header is not None, lines, decode, delimiter)
    for k, span in enumerate(spans, number):
        yield Shard(k, str(file), format, *span, windows=windows, delimiter=delimiter)


def _of_lines(file: Path, lines: int) -> Iterator[Span]:
    first, count, start, place, ended = 1, 0, 0, 0, True
    with open_bytes(file) as opened, unpacking(str(file), 0):
        while piece := opened.readline(_PIECE):
            if ended and (count == lines or (count and place - start >= MOST_BYTES)):
                yield start, first, count, place - start
                first, count, start = first + count, 0, place
            count += ended
            place += len(piece)
            ended = piece.endswith(b"\n")
    if count:
        yield start, first, count, place - start


def _of_table(
    file: Path, format: Format, header: bool, lines: int, decode: Decoder, delimiter: str | None
) -> Iterator[Span]:
    """Spans that begin with a row behind the one of the names; empty lines are no rows."""
    first, count, start = 1, 0, 0
    place = passed = 0  # bytes and lines
    with open_bytes(file) as opened, open_bytes(file) as raw, unpacking(str(file), 0):
        groups = read_groups(opened, str(file), format, delimiter=delimiter, decode=decode)
        for line, content in chain.from_iterable(groups):
            if content is None:
                continue
            while passed < line:  # a row of CSV may be several lines
                piece = raw.readline(_PIECE)
                place += len(piece)
                passed += piece.endswith(b"\n") or len(piece) < _PIECE
            if header:
                if not isinstance(content, list):
                    raise DamagedFileError(f"{file} must begin with the names of its columns.")
                header, first, start = False, line + 1, place
                continue
            count += 1
            if count == lines or place - start >= MOST_BYTES:
                yield start, first, count, place - start
                first, count, start = line + 1, 0, place
    if count:
        yield start, first, count, place - start


def _is_windows_1252(file: Path, say: Say) -> bool:
    """Return whether lines that are not UTF-8 are read as Windows-1252, as the first of them look.

    Raises:
        DamagedFileError: a file of which every line would be refused.
    """
    decode = Decoder(str(file), say)
    with open_bytes(file) as opened:
        for _ in read_lines(opened, decode):
            if decode.windows is not None:
                return decode.windows
    return False


def _check_parquet(file: Path, like: Path) -> None:
    """Refuse a file that is not Parquet, has two columns of one name, or other ones than another.

    Raises:
        DamagedFileError: it cannot be read.
        BadArgumentError: its columns.
    """
    try:
        schemas = [pyarrow.parquet.read_schema(path) for path in (like, file)]
    except (pyarrow.ArrowException, OSError) as error:
        raise DamagedFileError(f"{file} cannot be read as Parquet ({error}). Copy it again.") from (
            error
        )
    unique(str(file), schemas[1].names)
    if not schemas[0].equals(schemas[1]):
        raise BadArgumentError(
            f"{like} and {file} must have the same columns of the same types. Give them by"
            " themselves."
        )


def _check_types(file: Path, names: Sequence[str]) -> None:
    schema = pyarrow.parquet.read_schema(file)
    for name in names:
        kind = schema.field(name).type
        kind = kind.value_type if pyarrow.types.is_dictionary(kind) else kind
        if not (pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind)):
            raise BadArgumentError(
                f"the column {name!r} of {file} must hold strings; it holds {kind}. Name another."
            )


def _of_parquet(file: Path, lines: int) -> Iterator[Span]:
    about = pyarrow.parquet.read_metadata(file)
    first = 1
    for group in range(about.num_row_groups):
        rows = about.row_group(group).num_rows
        for start in range(0, rows, lines):
            count = min(lines, rows - start)
            yield start, first, count, group
            first += count
