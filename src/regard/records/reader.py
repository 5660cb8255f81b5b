"""Records of files: the cells, the fields or the text of each line, or what is wrong with it."""

import csv
import gzip
import shutil
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, time
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, TypeVar, cast, get_args

from regard.errors import DamagedFileError, RegardError, check_choice
from regard.lines import json_object
from regard.packages import optional_package
from regard.records.lines import (
    BadLine,
    Decoder,
    OnBadLine,
    Say,
    check_file,
    empty_file,
    open_bytes,
    read_lines,
    refuse,
    unpacking,
    warn,
)
from regard.records.roles import Role, columns_of, fields_of, inner

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
_DELIMITERS = ",;\t|"
_SAMPLE = 20  # lines that show what stands between the cells of CSV
_AT_ONCE = 8192  # rows of Parquet
NOT_UTF8 = "the row has text that is not UTF-8"

T = TypeVar("T")

# A line's number from 1 (of CSV the last of its row, of Parquet the row) and what stands there: the
# text of a text file, the cells of a table, an object of names and values, or what is wrong with
# it; None for an empty line.
Record = tuple[int, str | list[str] | Mapping[str, Any] | BadLine | None]


class Row(NamedTuple):
    """A value for each role, None for one that the file does not have, and where they stand.

    >>> Row(("a good film", "positive"), line=2).values[1]
    'positive'
    """

    values: tuple[Any, ...]
    line: int


def suffix_of(path: Path) -> str:
    """The ending of a file's name in lower case, before .gz; "" if it has none."""
    endings = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    return endings[-1] if endings else ""


def format_of(path: Path, other: Format = "tsv") -> Format:
    """The format that a file's name says; `other` where it says nothing, as .txt does."""
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
) -> Iterator[list[Record]]:
    """The records of a stream, in groups, each as soon as its bytes are there.

    Args:
        name: of the file, for messages.
        delimiter: between the cells of CSV; None: as the first lines look.
        strict: whether JSON may hold nothing but JSON, no NaN; see `json_object`.
        decode, first, size: as `read_lines`.

    Raises:
        DamagedFileError: the file is not of this format, or damaged.
    """
    if format == "parquet":
        yield from _parquet(stream, name)
        return
    groups = read_lines(stream, decode or Decoder(name), first=first, size=size)
    number = first
    if format == "csv":
        yield from _csv(groups, name, number, delimiter)
        return
    for group in groups:
        content: list[Any] = group
        if format == "tsv":
            content = [
                (line.split("\t") if line.strip() else None) if line.__class__ is str else line
                for line in content
            ]
        elif format == "jsonl":
            if number == 1:
                _refuse_array(group, name)
            content = [_fields(line, name, n, strict) for n, line in enumerate(group, number)]
        yield list(enumerate(content, number))
        number += len(group)


def _fields(line: str | BadLine, name: str, number: int, strict: bool) -> Any:
    if isinstance(line, BadLine) or not line.strip():
        return line or None
    try:
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
    """The rows of TSV, CSV, JSON lines or Parquet, each also with .gz, one at a time.

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
) -> Iterator[T]:
    """Examples that a task makes of the rows of a file.

    Args:
        convert: gets a value for each role, and the line's number; it raises BadCellError where it
            can make nothing of them.
        format: of the file; None: as its name says, tabs where it says nothing.
        delimiter: between the cells of CSV; None: as the first lines look.
        on_bad_line: called with each line that cannot be used; by default the first is the end.
        say: called with a sentence where a file is not UTF-8.

    Raises:
        BadArgumentError: a column that is missing or cannot be identified; the message names
            those that are.
        DamagedFileError: a file that cannot be read, or of which no line can be used.
        NotFoundError: no such file.
    """
    path = Path(path)
    check_file(path)
    kind = format_of(path) if format is None else format
    check_choice("format", kind, get_args(Format)[:-1])  # text has no columns

    def examples() -> Iterator[T]:
        bad = BadLines(on_bad_line)
        columns = Columns(str(path), roles, exact=kind == "csv")
        with open_bytes(path) as stream:
            decode = Decoder(str(path), say)
            groups = read_groups(stream, str(path), kind, delimiter=delimiter, decode=decode)
            for group in not_empty(groups, path):
                for line, values in columns.rows(group):
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


class Columns:
    """Reduce the records of one file to the columns of some roles, which the first record tells.

    Args:
        exact: whether every row must be as wide as the first, for a comma may be unquoted.
    """

    header: list[str] | None = None  # the names of a table's columns, if its first row has them
    _places: list[Any] | None = None
    _width = 0
    _take: Callable[[list[str]], tuple[Any, ...]]  # the roles' cells of a row

    def __init__(self, name: str, roles: Sequence[Role], *, exact: bool = False):
        self.name, self.roles = name, roles
        self._exact = exact or not all(role.language for role in roles)
        self._texts = [k for k, role in enumerate(roles) if role.text]

    def rows(self, group: Iterable[Record]) -> Iterator[tuple[int, tuple[Any, ...] | BadLine]]:
        """A value for each role, or what is wrong, of the records but empty lines and a header.

        Raises:
            BadArgumentError: a column that is missing or cannot be identified.
        """
        exact = self._exact
        for line, record in group:
            if isinstance(record, list):
                if self._places is None and self._is_header(record):
                    continue
                count = len(record)
                if count < self._width or (exact and count > self._width):
                    yield line, self._wrong_width(line, count)
                else:
                    yield line, self._take(record)
            elif isinstance(record, BadLine):
                yield line, record
            elif record is not None:
                yield line, self._of_object(line, inner(cast(Mapping[str, Any], record)))

    def _of_object(self, line: int, record: Mapping[str, Any]) -> tuple[Any, ...] | BadLine:
        if self._places is None:
            self._places = fields_of(self.name, record, self.roles)
        values = tuple([None if k is None else record.get(k) for k in self._places])
        for k in self._texts:
            if not isinstance(values[k], str | None):
                role, kind = self.roles[k], type(values[k]).__name__
                problem = f"expected a text in {self._places[k]!r}; got {kind}."
                problem += f" Name the column of the {role.name} with `{role.option}`."
                return BadLine(self.name, line, "wrong cell", problem)
        return values

    def _is_header(self, first: list[str]) -> bool:
        places, header = columns_of(self.name, first, self.roles)
        self._places = places
        needed = 1 + max((place for place in places if place is not None), default=0)
        self._width = max(needed, len(first)) if self._exact else needed
        self.header = first if header else None
        if len(places) > 1 and None not in places:
            self._take = cast(
                Callable[[list[str]], tuple[Any, ...]], itemgetter(*cast(Any, places))
            )
        else:
            self._take = lambda cells: tuple([None if k is None else cells[k] for k in places])
        return header

    def _wrong_width(self, line: int, count: int) -> BadLine:
        reason = "wrong columns"
        if self._exact:
            problem = f"expected {self._width} columns like the first row; got {count}"
        elif count == 1:
            problem = "expected a sentence, a tab and its translation, but there is no tab"
            reason = "no tab"
        else:
            problem = f"expected at least {self._width} columns between tabs; got {count}"
        return BadLine(self.name, line, reason, problem)


def not_empty(groups: Iterable[T], name: object) -> Iterator[T]:
    """Yield the groups; raise DamagedFileError if the file is empty."""
    groups = iter(groups)
    first = next(groups, None)
    if first is None:
        raise empty_file(name)
    yield first
    yield from groups


def _csv(
    groups: Iterator[list[str | BadLine]], name: str, number: int, delimiter: str | None
) -> Iterator[list[Record]]:
    """The rows of CSV, most of which are a line each."""
    for group in groups:
        if delimiter is None:
            delimiter = _delimiter([line for line in group if isinstance(line, str)])
        rows: list[list[str]] = []
        with suppress(csv.Error):
            rows = list(csv.reader(cast(list[str], group), delimiter=delimiter, strict=True))
        if len(rows) == len(group):
            join = "".join
            content = [cells if join(cells).strip() else None for cells in rows]
            yield list(enumerate(content, number))
            number += len(group)
        else:
            number = yield from _csv_of_lines(chain([group], groups), name, number, delimiter)


def _csv_of_lines(
    groups: Iterator[list[str | BadLine]], name: str, number: int, delimiter: str
) -> Generator[list[Record], None, int]:
    """The rows of groups until one of them ends with a row; returns the number of the next line.

    After a row that is not CSV, reading resumes at its second line.
    """

    def numbered() -> Iterator[Iterable[tuple[int, str | BadLine]]]:
        nonlocal number
        for group in groups:
            start, number = number, number + len(group)
            yield enumerate(group, start)

    def text() -> Iterator[str]:
        for place in lines:
            row.append(place)
            if isinstance(line := place[1], str):
                yield line + "\n"

    lines: Iterator[tuple[int, str | BadLine]] = chain.from_iterable(numbered())
    row: list[tuple[int, str | BadLine]] = []  # the lines of the current row
    records: list[Record] = []
    while True:
        try:
            for cells in csv.reader(text(), delimiter=delimiter, strict=True):
                records += [(k, line) for k, line in row if isinstance(line, BadLine)]
                last = row[-1][0]
                row.clear()
                records.append((last, cells if "".join(cells).strip() else None))
                if last + 1 == number:
                    yield records
                    return number
            break
        except csv.Error as error:
            problem = (
                f'expected CSV, but {error}: write a quotation mark inside a cell as "" and put'
                " the cell in quotation marks"
            )
            start = next(k for k, (_, line) in enumerate(row) if isinstance(line, str))
            bad = row[start][0]
            records += [*row[:start], (bad, BadLine(name, bad, "not CSV", problem))]
            lines = chain(row[start + 1 :], lines)
            row = []
    records += row  # bad lines at the end
    if records:
        yield records
    return number


def delimiter_of(file: Path) -> str:
    """Return the sign that divides the first lines of CSV into cells."""
    with open_bytes(file) as opened:
        lines = next(read_lines(opened, Decoder(str(file), lambda sentence: None)), [])
    return _delimiter([line for line in lines if isinstance(line, str)])


def _delimiter(lines: Sequence[str]) -> str:
    """Return the sign that divides the first lines into equally many cells.

    Spreadsheets where the comma is the decimal sign put semicolons between columns.
    """

    def same(delimiter: str) -> int:
        widths = [len(row) for row in csv.reader(lines[:_SAMPLE], delimiter=delimiter) if row]
        return widths.count(widths[0]) if widths and widths[0] > 1 else 0

    with suppress(csv.Error):
        return max(_DELIMITERS, key=same)
    return ","


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
            for batch in pyarrow.parquet.ParquetFile(file).iter_batches(batch_size=_AT_ONCE):
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


def table_rows(table: Any) -> list[dict[str, Any] | None]:
    """The rows of an Arrow table; None for one with text that is not UTF-8."""
    try:
        rows: list[dict[str, Any] | None] = table.to_pylist()
        return rows
    except UnicodeDecodeError:
        if table.num_rows == 1:
            return [None]
        half = table.num_rows // 2
        return table_rows(table.slice(0, half)) + table_rows(table.slice(half))


def plain(value: Any) -> Any:
    """A value of Parquet as JSON has it: dates in ISO 8601; bytes in hexadecimal."""
    if isinstance(value, dict):
        return {str(name): plain(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [plain(member) for member in value]
    if isinstance(value, float):
        return value if value - value == 0 else None  # JSON has neither infinity nor NaN
    if value is None or isinstance(value, str | int | bool):
        return value
    if isinstance(value, date | time):
        return value.isoformat()
    return value.hex() if isinstance(value, bytes) else str(value)


def _seekable(stream: BinaryIO, name: str) -> BinaryIO:
    """Parquet is read from its end; what comes from a gzip or a pipe goes to disk first."""
    if stream.seekable() and not isinstance(stream, gzip.GzipFile):
        return stream
    unpacked = tempfile.TemporaryFile()  # noqa: SIM115, closed by the reader
    with unpacking(name, 0):
        shutil.copyfileobj(stream, unpacked)
    unpacked.seek(0)
    return cast(BinaryIO, unpacked)
