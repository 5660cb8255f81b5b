"""The lines of a shard, and of Parquet its rows."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from regard.cli.jobs.shards import Shard
from regard.cli.lines import Line, LineReader, kept
from regard.cli.task_command import TaskCommand
from regard.data.columns import Record, quiet
from regard.data.lines import BadLine, Decoder
from regard.data.reader import NOT_UTF8, Format, read_groups, table_rows
from regard.data.streams import open_bytes
from regard.lazy import pyarrow


class Reader:
    """Reads the shards of a command's input, one after another; it keeps the file open that it was
    in."""

    def __init__(self, command: TaskCommand):
        self.command = command
        self._name = ""
        self._file: BinaryIO | None = None
        self._group: tuple[str, int] | None = None
        self._rows: Any = None
        self._lines: LineReader

    def read(self, shard: Shard) -> tuple[list[Line], Any]:
        """Return the lines of a shard, in order; of Parquet also the rows, whose kept columns have
        their own types.

        Raises:
            OSError: the file is no longer there.
        """
        if shard.format == "parquet":
            return self._parquet(shard)
        if self._file is None or self._name != shard.file:
            self.close()
            self._open(shard.file, shard.format)
            self._file = open_bytes(Path(shard.file))
            start = self._groups(self._file, shard.file, shard.format, delimiter=shard.delimiter)
            self._lines.begin(next(start, []))
        self._file.seek(shard.start)  # of a gzip, what is between is unpacked and passed over
        decode = Decoder(shard.file, windows=shard.windows)
        span: Any = {"decode": decode, "first": shard.first, "size": shard.size}
        span["delimiter"] = shard.delimiter
        groups = self._groups(self._file, shard.file, shard.format, **span)
        lines = chain.from_iterable(map(self._lines.lines, groups))
        return [self._line(shard, line) for line in lines], None

    def close(self) -> None:
        """Close the file that the last shard was in."""
        if self._file is not None:
            self._file.close()
        self._file = None

    def _open(self, name: str, format: Format) -> None:
        """Begin a file."""
        self._name = name
        options: Any = {"id": self.command.files.id, "json_lines": self.command.json_lines}
        self._lines = LineReader(name, format, self.command.columns, say=quiet, **options)

    def _groups(
        self, file: BinaryIO, name: str, format: Format, **span: Any
    ) -> Iterator[list[Record]]:
        decode = span.pop("decode", None) or Decoder(name, quiet)
        return read_groups(file, name, format, strict=True, decode=decode, **span)

    def _line(self, shard: Shard, line: Line | BadLine) -> Line:
        if isinstance(line, BadLine):
            return kept(line)
        if line.fields:
            return line
        file = {"file": shard.file} if self.command.several_files else {}
        name = self.command.roles[0].name
        return replace(line, fields={**file, "line": line.number, name: line.text})

    def _parquet(self, shard: Shard) -> tuple[list[Line], Any]:
        if self._group != (shard.file, shard.size):
            self._rows = pyarrow.parquet.ParquetFile(shard.file).read_row_group(shard.size)
            self._group = (shard.file, shard.size)
        if self._name != shard.file:
            self._open(shard.file, "parquet")
            self._lines.begin([(1, dict.fromkeys(self._rows.column_names))])
        table, id = self._rows.slice(shard.start, shard.count), self.command.files.id
        columns = table if id is None else table.select([id])
        if self.command.format != "jsonl":  # which alone needs all columns as JSON has them
            names = [*self._lines.columns.names, *([id] if id else [])]
            table = table.select(dict.fromkeys(names))
        rows = enumerate(table_rows(table), shard.first)
        bad = "bad encoding", NOT_UTF8
        group = [(n, BadLine(shard.file, n, *bad) if row is None else row) for n, row in rows]
        return [self._line(shard, line) for line in self._lines.lines(group)], columns
