"""Rows of a file of any common form, reduced to the columns that a task asks for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from regard.data.columns import Column, column_position, is_number, listed, missing_column
from regard.data.lines import check_file
from regard.data.pairs import BadLine, OnBadLine, refuse
from regard.data.readers import csv_rows, format_of, tab_rows
from regard.data.records import json_records, parquet_records
from regard.errors import BadArgumentError


@dataclass(frozen=True)
class Role:
    """A column that a task reads.

    >>> Role("label", ("label", "category"), required=False).known
    ('label', 'category')
    """

    name: str  # what the task, and its option, call it
    known: tuple[str, ...]  # names that a file may have for it, in lower case
    column: Column | None = None  # the one that was asked for: a name, or a number from 1
    required: bool = True


class Row(NamedTuple):
    """A value for each role, None for one that the file does not have, and where they stand.

    >>> Row(("a good film", "positive"), line=2).values[1]
    'positive'
    """

    values: tuple[Any, ...]
    line: int


def read_rows(
    path: str | Path, roles: Sequence[Role], *, on_bad_line: OnBadLine = refuse
) -> Iterator[Row]:
    """The rows of TSV, CSV, JSON lines or Parquet, each also with .gz, one at a time.

    A column is the one asked for; else the one with a known name in the header or among the JSON
    fields; else, in a table of exactly as many columns as there are required roles, the columns in
    the roles' order. Cells are strings; JSON and Parquet may hold lists and numbers.

    >>> roles = [Role("text", ("text",)), Role("label", ("label",))]
    >>> next(read_rows("pairs.tsv", roles)).values
    ('the old dog runs', 'der alte Hund läuft')

    Raises:
        BadArgumentError: a column that is missing or cannot be identified; the message names
            those that are.
        DamagedFileError: a file that cannot be read.
        NotFoundError: no such file.
    """
    path = Path(path)
    check_file(path)
    kind = format_of(path)
    if kind == "jsonl":
        yield from _from_records(path, json_records(path, on_bad_line), roles)
    elif kind == "parquet":
        yield from _from_records(path, parquet_records(path), roles)
    else:
        rows = (csv_rows if kind == "csv" else tab_rows)(path, on_bad_line)
        yield from _from_table(path, rows, roles, on_bad_line)


def _from_table(
    path: Path,
    rows: Iterator[tuple[int, list[str]]],
    roles: Sequence[Role],
    on_bad_line: OnBadLine,
) -> Iterator[Row]:
    positions: list[int | None] | None = None
    width = 0
    for number, row in rows:
        if not "".join(row).strip():
            continue
        if positions is None:
            width = len(row)
            positions, header = _positions(path, row, roles)
            if header:
                continue
        if len(row) != width:
            message = f"{path}, line {number:,}: expected {width} columns; got {len(row)}"
            on_bad_line(BadLine(number, "wrong columns", message))
            continue
        yield Row(tuple(None if k is None else row[k] for k in positions), number)


def _positions(
    path: Path, first: Sequence[str], roles: Sequence[Role]
) -> tuple[list[int | None], bool]:
    """Where each role stands in a row, and whether the first row is a header."""
    names = [cell.strip().lower() for cell in first]
    found = [_named(path, first, names, role) for role in roles]
    header = any(
        place is not None and not is_number(role.column)
        for role, place in zip(roles, found, strict=True)
    )
    missing = [k for k, role in enumerate(roles) if role.required and found[k] is None]
    if not missing:
        return found, header
    required = [k for k, role in enumerate(roles) if role.required]
    if not header and len(first) == len(required) == len(missing):
        for column, k in enumerate(required):
            found[k] = column
        return found, False
    raise _unknown(path, roles[missing[0]], first)


def _named(path: Path, first: Sequence[str], names: Sequence[str], role: Role) -> int | None:
    if role.column is not None:
        return column_position(path, first, role.column)
    return next((names.index(name) for name in role.known if name in names), None)


def _from_records(
    path: Path,
    records: Iterator[tuple[int, Any]],
    roles: Sequence[Role],
) -> Iterator[Row]:
    fields: list[str | None] | None = None
    for number, record in records:
        if record is None:
            continue
        if fields is None:
            fields = [_field(path, record, role) for role in roles]
        yield Row(tuple(None if name is None else record.get(name) for name in fields), number)


def _field(path: Path, record: Mapping[str, Any], role: Role) -> str | None:
    if role.column is not None:
        if str(role.column) not in record:
            raise missing_column(path, role.column, list(record))
        return str(role.column)
    spelled = {name.lower(): name for name in reversed(list(record))}
    name = next((spelled[known] for known in role.known if known in spelled), None)
    if name is None and role.required:
        raise _unknown(path, role, list(record))
    return name


def _unknown(path: Path, role: Role, names: Sequence[str]) -> BadArgumentError:
    return BadArgumentError(
        f"{path} has no column that is known to be the {role.name}; its columns are"
        f" {listed(names)}. Name one with `{role.name}`, or by its number from 1."
    )
