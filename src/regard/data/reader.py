"""Records of files: the cells, the fields or the text of each line, or what is wrong with it."""

import json
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, time
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, NamedTuple, TypeVar, cast, get_args

from regard.data.columns import Columns, Record, quiet
from regard.data.csv_rows import is_quoted, other_delimiter, read_csv
from regard.data.json_values import NO_NAMES, is_whole, read_whole, spacy
from regard.data.lines import (
    BadLine,
    Decoder,
    OnBadLine,
    Say,
    check_file,
    empty_file,
    read_lines,
    refuse,
    refuse_markup,
    warn,
)
from regard.data.roles import Role, unique
from regard.data.streams import PACKED, is_packed, open_bytes, unpacking
from regard.errors import (
    DamagedFileError,
    RegardError,
    check_choice,
)
from regard.json_files import unrepeated
from regard.lines import json_object
from regard.packages import optional_package

if TYPE_CHECKING:
    import pyarrow

Format = Literal["tsv", "csv", "jsonl", "parquet", "text"]

_FORMAT_OF: dict[str, Format] = {
    ".tsv": "tsv",
    ".tab": "tsv",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
}
_AT_ONCE = 8192  # rows of Parquet
_FIRST = 50  # records
NOT_UTF8 = "the row has text that is not UTF-8"

T = TypeVar("T")


class Row(NamedTuple):
    """A value for each role, None for one that the file does not have, and where they stand.

    >>> Row(("a good film", "positive"), line=2).values[1]
    'positive'
    """

    values: tuple[Any, ...]
    line: int


def suffix_of(path: Path) -> str:
    """Return the ending of a file's name in lower case, before that of a packer; "" if it has
    none."""
    endings = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in PACKED]
    return endings[-1] if endings else ""


def format_of(path: Path, other: Format = "tsv") -> Format:
    """Return the format that a file's name says; `other` where it says nothing, as .txt does."""
    return _FORMAT_OF.get(suffix_of(path), other)


def read_groups(
    stream: BinaryIO,
    name: str,
    format: Format,
    *,
    delimiter: str | None = None,
    strict: bool = False,
    decode: Decoder | None = None,
    first: int = 1,
    size: int | None = None,
    arrays: bool = False,
) -> Iterator[list[Record]]:
    """Yield the records of a stream, in groups, each as soon as its bytes are there.

    Args:
        name: of the file, for messages.
        delimiter: between the cells of CSV, or of TSV with quoted cells; None: as the first lines
            look.
        strict: whether JSON may hold nothing but JSON, no NaN; see `json_object`.
        decode, first, size: as `read_lines`.
        arrays: whether JSON may be one array, or an array a line; its records are numbered.

    Raises:
        DamagedFileError: the file is not of this format, or damaged.
    """
    if format == "parquet":
        yield from _parquet(stream, name)
        return
    groups = read_lines(stream, decode or Decoder(name), first=first, size=size)
    number = first
    if format == "csv" or (format == "tsv" and delimiter is not None):
        yield from read_csv(groups, name, number, delimiter)
        return
    for group in groups:
        if format == "tsv" and number == 1 and is_quoted(group):
            yield from read_csv(chain([group], groups), name, number, "\t")
            return
        content: list[Any] = group
        if format == "tsv":
            content = [
                (line.split("\t") if line.strip() else None) if line.__class__ is str else line
                for line in content
            ]
        elif format == "jsonl":
            if number == 1 and arrays and is_whole(group):
                yield list(read_whole(chain([group], groups), name))
                return
            if number == 1 and not arrays:
                _refuse_array(group, name)
            content = [
                _fields(line, name, n, strict, arrays) for n, line in enumerate(group, number)
            ]
        yield list(enumerate(content, number))
        number += len(group)


def _fields(
    line: str | BadLine, name: str, number: int, strict: bool, arrays: bool
) -> dict[str, Any] | str | BadLine | None:
    if isinstance(line, BadLine) or not line.strip():
        return line or None
    try:
        if arrays and line.lstrip().startswith("["):
            with suppress(ValueError):
                value = spacy(json.loads(line, object_pairs_hook=unrepeated))
                if isinstance(value, list):
                    return BadLine(name, number, "bad record", NO_NAMES)
                line = json.dumps(value, ensure_ascii=False)
        return json_object(line, strict=strict)
    except DamagedFileError as error:
        return BadLine(name, number, "bad record", str(error))


class BadCellError(DamagedFileError):
    """A row whose cells are not what its task reads; `reason` in two words, for counting."""

    def __init__(self, problem: str, reason: str = "wrong cell"):
        super().__init__(problem)
        self.reason = reason


@dataclass
class BadLines:
    """Pass bad lines on, and refuse a file of which no line can be used."""

    pass_on: OnBadLine
    used: bool = False
    first: BadLine | None = None

    def __call__(self, bad: BadLine) -> None:
        self.first = self.first or bad
        self.pass_on(bad)

    def end(self) -> None:
        """Raise DamagedFileError with the first bad line if there were no others."""
        if self.first is not None and not self.used:
            refuse(self.first)


def read_rows(path: str | Path, roles: Sequence[Role], **reading: Any) -> Iterator[Row]:
    """Return the rows of TSV, CSV, JSON lines or Parquet, each also with .gz, one at a time.

    A column is the one asked for; else the one with a known name in the header or among the JSON
    fields; else, in a table of exactly as many columns as there are required roles, the columns in
    the roles' order. Cells are strings; JSON and Parquet may hold lists and numbers. Empty lines
    are no rows.

    Args:
        reading: as `read_examples`.

    >>> roles = [Role("text", ("text",)), Role("label", ("label",))]
    >>> next(read_rows("pairs.tsv", roles)).values
    ('the old dog runs', 'der alte Hund läuft')

    Raises:
        RegardError: as `read_examples`.
    """
    return read_examples(path, roles, Row, **reading)


def read_examples(
    path: str | Path,
    roles: Sequence[Role],
    convert: Callable[[tuple[Any, ...], int], T],
    *,
    format: Format | None = None,
    delimiter: str | None = None,
    on_bad_line: OnBadLine = refuse,
    say: Say = warn,
    note: Say = quiet,
    look: Callable[[Sequence[tuple[Any, ...]]], None] = lambda values: None,
) -> Iterator[T]:
    """Examples that a task makes of the rows of a file.

    Args:
        convert: gets a value for each role, and the line's number; it raises BadCellError where it
            can make nothing of them.
        format: of the file; None: as its name says, tabs where it says nothing.
        delimiter: between the cells of CSV; None: as the first lines look.
        on_bad_line: called with each line that cannot be used; by default the first is the end.
        say: called with a sentence where a file is not UTF-8, or its cells choose its columns.
        note: called with a sentence that says which columns are read.
        look: called with the values of the first rows, before any of them is converted.

    Raises:
        BadArgumentError: a column that is missing or cannot be identified; the message names
            those that are.
        DamagedFileError: a file that cannot be read, or of which no line can be used.
        NotFoundError: no such file.
    """
    path = Path(path)
    check_file(path)
    kind = format_of(path) if format is None else format
    check_choice("format", kind, get_args(Format))
    if kind == "tsv":
        refuse_markup(path)
        if suffix_of(path) not in _FORMAT_OF and not all(role.language for role in roles):
            delimiter = delimiter or other_delimiter(path, sum(role.required for role in roles))
            kind = "tsv" if delimiter is None else "csv"

    def examples() -> Iterator[T]:
        bad = BadLines(on_bad_line)
        columns = Columns(str(path), roles, exact=kind == "csv", say=say, note=note)
        looked = False
        with open_bytes(path) as stream:
            decode = Decoder(str(path), say)
            reading: Any = {"delimiter": delimiter, "decode": decode, "arrays": True}
            groups = read_groups(stream, str(path), kind, **reading)
            for group in together(not_empty(groups, path)):
                rows = list(columns.rows(group))
                if not looked:
                    look([values for _, values in rows if not isinstance(values, BadLine)])
                    looked = True
                for line, values in rows:
                    if isinstance(values, BadLine):
                        bad(values)
                        continue
                    try:
                        example = convert(values, line)
                    except BadCellError as error:
                        bad(BadLine(str(path), line, error.reason, str(error)))
                        continue
                    bad.used = True
                    yield example
        bad.end()

    return examples()


def together(groups: Iterator[list[T]]) -> Iterator[list[T]]:
    """Yield the groups, the first of which has enough records to tell what the columns are."""
    first: list[T] = []
    for group in groups:
        first += group
        if len(first) >= _FIRST:
            break
    if first:
        yield first
    yield from groups


def not_empty(groups: Iterable[T], name: object) -> Iterator[T]:
    """Yield the groups; raise DamagedFileError if the file is empty."""
    groups = iter(groups)
    first = next(groups, None)
    if first is None:
        raise empty_file(name)
    yield first
    yield from groups


def _refuse_array(group: Sequence[str | BadLine], name: str) -> None:
    first = next((line for line in group if isinstance(line, str) and line.strip()), "")
    if first.lstrip().startswith("["):
        raise DamagedFileError(
            f"{name} must be JSON lines, one object a line, but it is one array: "
            "convert it with jq -c '.[]'"
        )


def _parquet(stream: BinaryIO, name: str) -> Iterator[list[Record]]:
    with optional_package("pyarrow", "reading Parquet needs"):
        import pyarrow
        import pyarrow.parquet
    number = 1
    with _seekable(stream, name) as file:
        try:
            table = pyarrow.parquet.ParquetFile(file)
            unique(name, table.schema_arrow.names)
            for batch in table.iter_batches(batch_size=_AT_ONCE):
                yield [
                    (n, BadLine(name, n, "bad encoding", NOT_UTF8) if row is None else row)
                    for n, row in enumerate(table_rows(batch), number)
                ]
                number += batch.num_rows
        except (pyarrow.ArrowException, OSError, ValueError) as error:
            if isinstance(error, RegardError):
                raise
            raise DamagedFileError(
                f"{name} cannot be read as Parquet ({error}): copy it again"
            ) from error


def table_rows(table: "pyarrow.Table") -> list[dict[str, Any] | None]:
    """Return the rows of an Arrow table; None for one with text that is not UTF-8."""
    try:
        rows: list[dict[str, Any] | None] = table.to_pylist()
        return rows
    except UnicodeDecodeError:
        if table.num_rows == 1:
            return [None]
        half = table.num_rows // 2
        return table_rows(table.slice(0, half)) + table_rows(table.slice(half))


def plain(value: object) -> Any:
    """Return a value of a table as JSON has it: dates in ISO 8601; bytes in hexadecimal."""
    if hasattr(value, "tolist"):  # an array of numpy or pandas, or one number of it
        value = value.tolist()
    if isinstance(value, dict):
        return {str(name): plain(member) for name, member in value.items()}
    if isinstance(value, set | frozenset):
        value = sorted(value, key=str)  # its own order differs from run to run
    if isinstance(value, list | tuple):
        return [plain(member) for member in value]
    if isinstance(value, float):
        return value if value - value == 0 else None  # JSON has neither infinity nor NaN
    if value is None or isinstance(value, str | int | bool):
        return value
    if type(value).__name__ in ("NaTType", "NAType"):  # what pandas has for None
        return None
    if isinstance(value, date | time):
        return value.isoformat()
    return value.hex() if isinstance(value, bytes) else str(value)


def _seekable(stream: BinaryIO, name: str) -> BinaryIO:
    """Parquet is read from its end; what is packed or comes from a pipe goes to disk first."""
    if stream.seekable() and not is_packed(stream):
        return stream
    unpacked = tempfile.TemporaryFile()  # noqa: SIM115, closed by the reader
    with unpacking(name, 0):
        shutil.copyfileobj(stream, unpacked)
    unpacked.seek(0)
    return cast(BinaryIO, unpacked)
