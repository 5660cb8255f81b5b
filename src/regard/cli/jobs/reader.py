"""The lines of a shard as records: the texts that a task reads, and the columns that are kept."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Any, BinaryIO

from regard.cli.jobs.settings import Settings
from regard.cli.jobs.shards import Input, Shard, parquet
from regard.data import reader as records
from regard.data.inputs import name_of
from regard.data.lines import BadLine, Decoder
from regard.data.streams import open_bytes
from regard.errors import BadArgumentError, DamagedFileError, RegardError, did_you_mean

Fields = dict[str, Any]


@dataclass(frozen=True)
class Record:
    """One line, or one row."""

    line: int  # counted from 1 in its file
    texts: tuple[str, ...] = ()  # of the task's columns
    fields: Fields = field(default_factory=dict)  # the columns that are kept, as JSON has them
    error: str | None = None  # why it cannot be answered


@dataclass(frozen=True)
class Lines:
    """A shard's records; of Parquet also the rows, whose kept columns have their own types."""

    records: list[Record]
    table: Any = None  # pyarrow.Table


class Reader:
    """Reads shards of one input, one after another; it keeps the file open that it was in."""

    def __init__(self, settings: Settings):
        self.settings = settings
        self._name = ""
        self._file: BinaryIO | None = None
        self._group: tuple[str, int] | None = None
        self._rows: Any = None

    def read(self, shard: Shard) -> Lines:
        """The records of a shard, in order.

        Raises:
            OSError: the file is no longer there.
        """
        if self.settings.input == "parquet":
            return self._parquet(shard)
        table = bool(shard.names)
        return Lines(
            [
                self._record(shard, *record)
                for record in self._lines(shard)
                if not (table and record[1] is None)
            ]
        )

    def _lines(self, shard: Shard) -> Iterator[records.Record]:
        if self._file is None or self._name != shard.file:
            self.close()
            self._name, self._file = shard.file, open_bytes(Path(shard.file))
        self._file.seek(shard.start)  # of a gzip, what is between is unpacked and passed over
        decode = Decoder(shard.file, windows=shard.windows)
        span: Any = {"decode": decode, "first": shard.first, "size": shard.size}
        span["delimiter"] = shard.delimiter
        groups = records.read_groups(
            self._file, shard.file, self.settings.input, strict=True, **span
        )
        return chain.from_iterable(groups)

    def close(self) -> None:
        """Closes the file that the last shard was in."""
        if self._file is not None:
            self._file.close()
        self._file = None

    def _record(self, shard: Shard, number: int, found: Any) -> Record:
        if isinstance(found, BadLine):
            return Record(number, error=found.problem)
        if isinstance(found, str):
            file = {"file": shard.file} if self.settings.several else {}
            return Record(number, (found,), {**file, "line": number, "text": found})
        try:
            if found is None:
                raise DamagedFileError("the line is empty.")
            if isinstance(found, list):
                if len(found) != len(shard.names):
                    raise DamagedFileError(
                        f"expected {len(shard.names)} columns like the first row; got {len(found)}"
                    )
                found = dict(zip(shard.names, found, strict=True))
            texts = tuple(_text(found, name) for name in self.settings.columns)
            if self.settings.id is None:
                return Record(number, texts, found)
            if found.get(self.settings.id) is None:
                raise BadArgumentError(f"there is no {self.settings.id!r}.")
            return Record(number, texts, {self.settings.id: found[self.settings.id]})
        except RegardError as error:
            return Record(number, error=str(error))

    def _parquet(self, shard: Shard) -> Lines:
        if self._group != (shard.file, shard.group):
            self._rows = parquet().ParquetFile(shard.file).read_row_group(shard.group)
            self._group = (shard.file, shard.group)
        table = self._rows.slice(shard.start, shard.count)
        id = self.settings.id
        columns = table if id is None else table.select([id])
        if self.settings.output != "jsonl":  # which alone needs all columns as JSON has them
            table = table.select(dict.fromkeys([*self.settings.columns, *([id] if id else [])]))
        rows = enumerate(records.table_rows(table), shard.first)
        return Lines(
            [
                Record(number, error=records.NOT_UTF8)
                if row is None
                else self._record(shard, number, records.plain(row))
                for number, row in rows
            ],
            columns,
        )


def find_columns(
    needed: Sequence[str], asked: Sequence[str | None], input: Input
) -> tuple[str, ...]:
    """The columns that a task reads: those that are asked for; else those that it needs, by the
    names that the first file has for them."""
    names = [] if input.format == "text" else _names(input)
    pairs = zip_longest(needed, asked)
    columns = (one or (column and name_of(column, names)) for column, one in pairs)
    return tuple(filter(None, columns))


def _names(input: Input) -> Sequence[str]:
    """The names of the columns of the first file."""
    if input.format == "parquet":
        names: list[str] = parquet().read_schema(input.files[0]).names
        return names
    if input.format == "jsonl":
        return list(dict.fromkeys(_first_names(input.files[0])))
    return input.shards[0].names


def check_columns(settings: Settings, input: Input) -> None:
    """Refuses an input that lacks the columns, before a model is loaded.

    Raises:
        BadArgumentError: a table without a column, Parquet files with different ones, or JSON
            lines whose first objects lack it.
    """
    if settings.input == "text":
        return
    files, columns = (
        input.files,
        [*settings.columns, *([] if settings.id is None else [settings.id])],
    )
    if settings.input in ("csv", "tsv"):
        for shard in input.shards:
            for name in columns:
                if name not in shard.names:
                    raise _missing(shard.file, name, list(shard.names))
        return
    if settings.input == "jsonl":
        names = set(_first_names(files[0]))
        missing = [name for name in columns if name not in names]
        if names and missing:
            raise _missing(files[0], missing[0], sorted(names))
        return
    schemas = [parquet().read_schema(file) for file in files]
    import pyarrow

    for file, schema in zip(files, schemas, strict=True):
        if not schema.equals(schemas[0]):
            raise BadArgumentError(
                f"{files[0]} and {file} must have the same columns of the same types."
                " Run a job for each."
            )
    for name in columns:
        if name not in schemas[0].names:
            raise _missing(files[0], name, schemas[0].names)
    for name in settings.columns:
        kind = schemas[0].field(name).type
        kind = kind.value_type if pyarrow.types.is_dictionary(kind) else kind
        if not (pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind)):
            raise BadArgumentError(
                f"the column {name!r} of {files[0]} must hold strings; it holds {kind}."
                " Name another with `text`."
            )


def _missing(file: Any, name: str, names: list[str]) -> BadArgumentError:
    return BadArgumentError(
        f"{file} has no column {name!r}; its columns are {', '.join(names)}. Name one of them."
        f"{did_you_mean(name, names)}"
    )


def _first_names(file: Any, most: int = 100) -> Iterator[str]:
    """The names of the fields of a file's first objects, which may be broken or lack some."""
    with open_bytes(file) as opened:
        groups = records.read_groups(opened, str(file), "jsonl", decode=Decoder(str(file), _silent))
        for _, names in islice(chain.from_iterable(groups), most):
            yield from names if isinstance(names, dict) else ()


def _silent(sentence: str) -> None:
    """Nothing: it was said when the shards were found."""


def _text(fields: Fields, name: str) -> str:
    if name not in fields:
        raise BadArgumentError(f"there is no {name!r}.")
    value = fields[name]
    if not isinstance(value, str):
        kind = "null" if value is None else type(value).__name__
        raise BadArgumentError(f"{name!r} must be a string; it is {kind}.")
    return value
