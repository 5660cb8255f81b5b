"""Records of files: the cells, the fields or the text of each line, or what is wrong with it."""

import csv
import gzip
import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, time
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple, TypeVar, cast, get_args

from regard.errors import DamagedFileError, RegardError, check_choice, optional_package
from regard.lines import json_object
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

T = TypeVar("T")


class Record(NamedTuple):
    """A line of a file.

    Its `fields` are the text of a text file, the cells of a table or an object of names and values;
    None for an empty line, and for one with an `error`.
    """

    file: str
    line: int  # from 1; of CSV the last one of the row, of Parquet the row
    fields: Any
    error: BadLine | None = None


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
        if format == "jsonl" and number == 1:
            _refuse_array(group, name)
        yield [
            Record(name, n, None, line)
            if isinstance(line, BadLine)
            else _record(name, n, line, format, strict)
            for n, line in enumerate(group, number)
        ]
        number += len(group)


def _record(name: str, number: int, line: str, format: Format, strict: bool) -> Record:
    if format == "text":
        return Record(name, number, line)
    if not line.strip():
        return Record(name, number, None)
    if format == "tsv":
        return Record(name, number, line.split("\t"))
    try:
        return Record(name, number, json_object(line, strict=strict))
    except DamagedFileError as error:
        return Record(name, number, None, BadLine(name, number, "bad record", str(error)))


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
    return read_examples(path, roles, lambda row: row, **reading)


def read_examples(
    path: str | Path,
    roles: Sequence[Role],
    convert: Callable[[Row], T],
    *,
    format: Format | None = None,
    delimiter: str | None = None,
    on_bad_line: OnBadLine = refuse,
    say: Say = warn,
) -> Iterator[T]:
    """What a task makes of each row of a file.

    Args:
        convert: a row to an example; it raises BadCellError where it cannot.
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
        with open_bytes(path) as stream:
            decode = Decoder(str(path), say)
            groups = read_groups(stream, str(path), kind, delimiter=delimiter, decode=decode)
            row_of = Columns(path, roles, exact=kind == "csv")
            for record in chain.from_iterable(not_empty(groups, path)):
                row = row_of(record)
                if isinstance(row, BadLine):
                    bad(row)
                elif row is not None:
                    try:
                        example = convert(row)
                    except BadCellError as error:
                        bad(BadLine(str(path), row.line, error.reason, str(error)))
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

    def __init__(self, path: Path, roles: Sequence[Role], *, exact: bool = False):
        self.path, self.roles = path, roles
        self._exact = exact or not all(role.language for role in roles)
        self._texts = [k for k, role in enumerate(roles) if role.text]

    def __call__(self, record: Record) -> Row | BadLine | None:
        """The row of a record, or what is wrong with it; None for an empty line and a header.

        Raises:
            BadArgumentError: a column that is missing or cannot be identified.
        """
        _, line, fields, error = record
        if error is not None or fields is None:
            return error
        if isinstance(fields, list):
            if self._places is None and self._is_header(fields):
                return None
            places = self._places or []
            count = len(fields)
            if count < self._width or (self._exact and count > self._width):
                return self._wrong_width(line, count)
            return Row(tuple([None if k is None else fields[k] for k in places]), line)
        fields = inner(fields)
        if self._places is None:
            self._places = fields_of(self.path, fields, self.roles)
        values = tuple([None if k is None else fields.get(k) for k in self._places])
        for k in self._texts:
            if not isinstance(values[k], str | None):
                return self._no_text(line, k, values[k])
        return Row(values, line)

    def _is_header(self, first: list[str]) -> bool:
        self._places, header = columns_of(self.path, first, self.roles)
        needed = 1 + max((place for place in self._places if place is not None), default=0)
        self._width = max(needed, len(first)) if self._exact else needed
        self.header = first if header else None
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
        return BadLine(str(self.path), line, reason, problem)

    def _no_text(self, line: int, k: int, value: Any) -> BadLine:
        assert self._places is not None
        problem = (
            f"expected a text in {self._places[k]!r}; got {type(value).__name__}. Name the column"
            f" of the {self.roles[k].name} with `{self.roles[k].option}`."
        )
        return BadLine(str(self.path), line, "wrong cell", problem)


def not_empty(groups: Iterable[T], name: object) -> Iterator[T]:
    """The same groups. Raises DamagedFileError where there are none."""
    groups = iter(groups)
    first = next(groups, None)
    if first is None:
        raise empty_file(name)
    yield first
    yield from groups


def _csv(
    groups: Iterator[list[str | BadLine]], name: str, number: int, delimiter: str | None
) -> Iterator[list[Record]]:
    """The rows of CSV; after one that is not CSV, reading resumes at its second line."""
    lines: deque[tuple[int, str | BadLine]] = deque()  # that have come and are not read yet
    row: list[tuple[int, str | BadLine]] = []  # that the current row has

    def fill() -> bool:
        nonlocal number
        group = next(groups, None)
        lines.extend(enumerate(group or (), number))
        number += len(group or ())
        return group is not None

    def text() -> Iterator[str]:
        while lines or fill():
            row.append(lines.popleft())
            if isinstance(row[-1][1], str):
                yield row[-1][1] + "\n"

    fill()
    delimiter = delimiter or _delimiter([line for _, line in lines if isinstance(line, str)])
    found: list[Record] = []
    while True:
        reader = csv.reader(text(), delimiter=delimiter, strict=True)
        try:
            for cells in reader:
                found += [Record(name, k, None, bad) for k, bad in row if isinstance(bad, BadLine)]
                empty = not "".join(cells).strip()
                found.append(Record(name, row[-1][0], None if empty else cells))
                row.clear()
                if not lines:
                    yield found
                    found = []
            break
        except csv.Error as error:
            problem = (
                f'expected CSV, but {error}: write a quotation mark inside a cell as "" and put'
                " the cell in quotation marks"
            )
            first = next(k for k, (_, line) in enumerate(row) if isinstance(line, str))
            found += [Record(name, k, None, bad) for k, bad in row[:first]]  # type: ignore[arg-type]
            found.append(
                Record(name, row[first][0], None, BadLine(name, row[first][0], "not CSV", problem))
            )
            lines.extendleft(reversed(row[first + 1 :]))
            row.clear()
    found += [Record(name, k, None, bad) for k, bad in row if isinstance(bad, BadLine)]
    if found:
        yield found


def _delimiter(lines: Sequence[str]) -> str:
    """What stands between cells: the sign by which the first lines have the same number of them.

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
                    Record(name, n, row, None if row is not None else _not_utf8(name, n))
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


def _not_utf8(name: str, number: int) -> BadLine:
    return BadLine(name, number, "bad encoding", "the row has text that is not UTF-8")


def _seekable(stream: BinaryIO, name: str) -> BinaryIO:
    """Parquet is read from its end; what comes from a gzip or a pipe goes to disk first."""
    if stream.seekable() and not isinstance(stream, gzip.GzipFile):
        return stream
    unpacked = tempfile.TemporaryFile()  # noqa: SIM115, closed by the reader
    with unpacking(name, 0):
        shutil.copyfileobj(stream, unpacked)
    unpacked.seek(0)
    return cast(BinaryIO, unpacked)
