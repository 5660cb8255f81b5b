"""Output: the part of each shard, and the output that the parts make together."""

import io
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_origin

from regard.cli.jobs.shards import Shard
from regard.cli.task_command import Pairs, TaskCommand
from regard.engine.result import Float32, shape
from regard.lazy import pyarrow
from regard.lines import beside, json_line

if TYPE_CHECKING:
    import pyarrow

Fields = Mapping[str, Any]
_ARROW = {str: "string", float: "float64", int: "int64", bool: "bool_"}  # functions of pyarrow


@dataclass(frozen=True)
class Part:
    """Result of one shard."""

    number: int  # the shard's
    content: bytes  # of the output
    bad: bytes = b""  # a line of JSON for each line that has no answer
    counts: Counter[str] = field(default_factory=Counter)  # as `TaskCommand.begin` has them
    doubted: Sequence[str] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)
    sentences: Sequence[str] = ()


def encoded(command: TaskCommand, pairs: Pairs, table: "pyarrow.Table | None", first: int) -> bytes:
    """Return the content of a part.

    Text and arrays have a line, or a row, for each line of the shard, an empty one where there is
    no result, so that the lines of input and output correspond. JSON lines and Parquet have the
    records without an error.

    Args:
        table: the rows of Parquet.
        first: the number of the first of them.
    """
    if command.format in ("text", "npy"):
        return command.encoded(pairs)
    good = [(line, result) for line, result in pairs if line.error is None]
    if command.format == "jsonl":
        return command.encoded(good)
    if table is not None:
        table = table.take([line.number - first for line, _ in good])
    else:
        table = _table([line.fields for line, _ in good])
    answers = [command.answered(result) for _, result in good]
    types = {
        name: hint
        for name, hint in shape(command.result_class).items()  # type: ignore[arg-type]
        if type(None) not in get_args(hint)
        or name in command.chosen
        or any(name in answer for answer in answers)
    }
    command.beside(table.column_names, types)
    return _parquet(_with_answers(table, answers, types))


def bad_lines(shard: Shard, pairs: Pairs) -> bytes:
    """Return a line of JSON for each line with an error: where it is, and why."""
    rows = (
        json_line({"file": shard.file, "line": line.number, "reason": line.reason})
        for line, _ in pairs
        if line.error is not None
    )
    return "".join(f"{row}\n" for row in rows).encode()


def join(parts: Callable[[], Iterator[bytes]], output: Path, command: TaskCommand) -> None:
    """Write the output from its parts, in order.

    Args:
        parts: gives the content of each.
    """
    if command.format == "parquet":
        _join_parquet(parts, output)
        return
    with output.open("wb") as file, command.framed(file):
        file.writelines(parts())


def _join_parquet(parts: Callable[[], Iterator[bytes]], output: Path) -> None:
    schema = _schema([pyarrow.parquet.read_schema(io.BytesIO(part)) for part in parts()])
    with pyarrow.parquet.ParquetWriter(output, schema) as writer:
        for part in parts():
            writer.write_table(_cast(pyarrow.parquet.read_table(io.BytesIO(part)), schema))


def arrow_type(hint: object) -> "pyarrow.DataType":
    """Return the type of Arrow for a part of a result: see `tasks.result.shape`."""
    if hint == Float32:
        return pyarrow.float32()
    inner = [part for part in get_args(hint) if part is not type(None)]
    if get_origin(hint) is list:
        return pyarrow.list_(arrow_type(inner[0]))
    if inner:
        return arrow_type(inner[0])
    if hint in _ARROW:
        return getattr(pyarrow, _ARROW[hint])()
    members = {name: kind for name, kind in shape(hint).items() if type(None) not in get_args(kind)}
    return pyarrow.struct([(name, arrow_type(kind)) for name, kind in members.items()])


def _table(rows: Sequence[Fields]) -> "pyarrow.Table":
    """Record of JSON as a table; a column whose values are of several types holds strings."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = []
    for name in names:
        values = [row.get(name) for row in rows]
        try:
            columns.append(pyarrow.array(values))
        except (pyarrow.ArrowException, OverflowError):
            columns.append(_strings(values))
    if not names:  # of a shard that is all bad
        return pyarrow.table({})
    return pyarrow.table(columns, names=names)


def _with_answers(
    table: "pyarrow.Table", answers: Sequence[Fields], types: Mapping[str, Any]
) -> "pyarrow.Table":
    table = table.rename_columns(beside(table.column_names, types))
    columns = {name: table.column(name) for name in table.column_names}
    for name, kind in types.items():
        columns[name] = pyarrow.array([answer.get(name) for answer in answers], arrow_type(kind))
    return pyarrow.table(columns)


def _parquet(table: "pyarrow.Table") -> bytes:
    file = io.BytesIO()
    pyarrow.parquet.write_table(table, file)
    return file.getvalue()


def _schema(schemas: Sequence[Any]) -> "pyarrow.Schema":
    """Return the columns of all parts, in the order in which they first occur."""
    kinds: dict[str, list[Any]] = {}
    for schema in schemas:
        for column in schema:
            types = kinds.setdefault(column.name, [])
            if column.type not in types:
                types.append(column.type)
    return pyarrow.schema([(name, _common(types)) for name, types in kinds.items()])


def _common(kinds: Sequence[Any]) -> "pyarrow.DataType":
    with suppress(pyarrow.ArrowException):
        single = [pyarrow.schema([("column", kind)]) for kind in kinds]
        return pyarrow.unify_schemas(single, promote_options="permissive").field(0).type
    return pyarrow.string()


def _cast(table: "pyarrow.Table", schema: "pyarrow.Schema") -> "pyarrow.Table":
    columns = []
    for name, kind in zip(schema.names, schema.types, strict=True):
        if name not in table.column_names:
            columns.append(pyarrow.nulls(table.num_rows, kind))
            continue
        column = table.column(name)
        if column.type != kind:
            try:
                column = _cast_column(column, kind)
            except pyarrow.ArrowException:
                column = pyarrow.array(column.to_pylist(), kind)
        columns.append(column)
    return pyarrow.table(columns, schema=schema)


def _cast_column(
    column: "pyarrow.ChunkedArray", kind: "pyarrow.DataType"
) -> "pyarrow.Array | pyarrow.ChunkedArray":
    if kind == pyarrow.string() and not pyarrow.types.is_null(column.type):
        return _strings(column.to_pylist())
    return column.cast(kind)


def _strings(values: Sequence[Any]) -> "pyarrow.Array":
    return pyarrow.array(list(_texts(values)), pyarrow.string())


def _texts(values: Sequence[Any]) -> Iterator[str | None]:
    for value in values:
        other = None if value is None else json.dumps(value, ensure_ascii=False)
        yield value if isinstance(value, str) else other
