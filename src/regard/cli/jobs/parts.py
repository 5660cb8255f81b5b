"""Output: the part of each shard, and the output that the parts make together."""

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args, get_origin

from regard.cli.jobs.answering import Fields
from regard.cli.jobs.reader import Lines
from regard.cli.jobs.settings import Settings
from regard.cli.jobs.shards import Shard, parquet
from regard.data.reader import Format
from regard.engine.result import Float32, shape
from regard.errors import DamagedFileError
from regard.lines import beside, json_line
from regard.tasks import catalog

SHOWN = 3  # texts of a doubt
_PIECE = 2**20
_ARROW = {str: "string", float: "float64", int: "int64", bool: "bool_"}  # functions of pyarrow


@dataclass(frozen=True)
class Part:
    """Content of the files of one shard."""

    number: int  # the shard's
    content: bytes  # of the part's file
    bad: bytes = b""  # a line of JSON for each line that has no answer
    doubts: int = 0  # texts that seem to be in another language than the model's
    doubted: tuple[str, ...] = ()  # the first of them


def encoded(settings: Settings, lines: Lines, results: Sequence[Any]) -> bytes:
    """The content of a part.

    Text has a line for each line of the shard, an empty one where there is no result, so that the
    lines of input and output correspond. JSON lines and Parquet have the records without an error.

    Args:
        results: of the task for each record; None for a bad line.
    """
    result_class = catalog.doing(settings.task).result_class()
    both = list(zip(lines.records, results, strict=True))
    if settings.output == "text":
        written = ["" if result is None else result.line() for _, result in both]
        return "".join(f"{line}\n" for line in written).encode()
    good = [(record, result) for record, result in both if record.error is None]
    answers = [
        result_class.nothing() if result is None else result.json(settings.options)
        for _, result in good
    ]
    if settings.output == "jsonl":
        pairs = zip(good, answers, strict=True)
        names = result_class.names(settings.options)
        rows = (json_line(_beside(record.fields, names) | answer) for (record, _), answer in pairs)
        return "".join(f"{row}\n" for row in rows).encode()
    table = lines.table
    if table is not None:
        table = table.take([k for k, (record, _) in enumerate(both) if record.error is None])
    else:
        table = _table([record.fields for record, _ in good])
    types = {
        name: hint
        for name, hint in shape(result_class).items()  # type: ignore[arg-type]
        if type(None) not in get_args(hint) or name in settings.options
    }
    return _parquet(_with_answers(table, answers, types))


def bad_lines(settings: Settings, shard: Shard, lines: Lines) -> bytes:
    """A line of JSON for each record with an error: where it is, and why."""
    rows = (
        json_line({"file": shard.file, "line": record.line, "reason": record.error})
        for record in lines.records
        if record.error is not None
    )
    return "".join(f"{row}\n" for row in rows).encode()


def count(path: Path, format: Format) -> int:
    """Count the lines, records or rows of a part.

    Raises:
        DamagedFileError: it is no longer what was written.
    """
    if format != "parquet":
        lines = 0
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                lines += piece.count(b"\n")
        return lines
    try:
        return int(parquet().read_metadata(path).num_rows)
    except (ValueError, OSError) as error:
        raise DamagedFileError(
            f"{path} is damaged ({error}). Delete it to compute it again."
        ) from (error)


def merge(parts: Sequence[Path], output: Path, format: Format) -> None:
    """Writes the output from its parts, in order."""
    if format != "parquet":
        import shutil

        with output.open("wb") as file:
            for part in parts:
                with part.open("rb") as opened:
                    shutil.copyfileobj(opened, file, _PIECE)
        return
    module = parquet()
    schema = _schema([module.read_schema(part) for part in parts])
    with module.ParquetWriter(output, schema) as writer:
        for part in parts:
            table = module.read_table(part)
            writer.write_table(_cast(table, schema))


def arrow_type(hint: Any) -> Any:
    """The type of Arrow for a part of a result: see `tasks.result.shape`."""
    import pyarrow

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


def _table(rows: Sequence[Fields]) -> Any:
    """Records of JSON as a table; a column whose values are of several types holds strings."""
    import pyarrow

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


def _beside(fields: Fields, names: Sequence[str]) -> Fields:
    return dict(zip(beside(fields, names), fields.values(), strict=True))


def _with_answers(table: Any, answers: Sequence[Fields], types: Mapping[str, Any]) -> Any:
    import pyarrow

    table = table.rename_columns(beside(table.column_names, types))
    columns = {name: table.column(name) for name in table.column_names}
    for name, kind in types.items():
        columns[name] = pyarrow.array([answer.get(name) for answer in answers], arrow_type(kind))
    return pyarrow.table(columns)


def _parquet(table: Any) -> bytes:
    file = io.BytesIO()
    parquet().write_table(table, file)
    return file.getvalue()


def _schema(schemas: Sequence[Any]) -> Any:
    """The columns of all parts, in the order in which they first occur."""
    import pyarrow

    kinds: dict[str, list[Any]] = {}
    for schema in schemas:
        for field in schema:
            types = kinds.setdefault(field.name, [])
            if field.type not in types:
                types.append(field.type)
    return pyarrow.schema([(name, _common(types)) for name, types in kinds.items()])


def _common(kinds: Sequence[Any]) -> Any:
    import pyarrow

    with suppress(pyarrow.ArrowException):
        single = [pyarrow.schema([("column", kind)]) for kind in kinds]
        return pyarrow.unify_schemas(single, promote_options="permissive").field(0).type
    return pyarrow.string()


def _cast(table: Any, schema: Any) -> Any:
    import pyarrow

    columns = []
    for field in schema:
        if field.name not in table.column_names:
            columns.append(pyarrow.nulls(table.num_rows, field.type))
            continue
        column = table.column(field.name)
        if column.type != field.type:
            try:
                column = _cast_column(column, field.type)
            except pyarrow.ArrowException:
                column = pyarrow.array(column.to_pylist(), field.type)
        columns.append(column)
    return pyarrow.table(columns, schema=schema)


def _cast_column(column: Any, kind: Any) -> Any:
    import pyarrow

    if kind == pyarrow.string() and not pyarrow.types.is_null(column.type):
        return _strings(column.to_pylist())
    return column.cast(kind)


def _strings(values: Sequence[Any]) -> Any:
    import pyarrow

    return pyarrow.array(list(_texts(values)), pyarrow.string())


def _texts(values: Sequence[Any]) -> Iterator[str | None]:
    for value in values:
        other = None if value is None else json.dumps(value, ensure_ascii=False)
        yield value if isinstance(value, str) else other
