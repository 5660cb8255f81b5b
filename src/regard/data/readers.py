"""Sentence pairs from a file of any common form, one at a time: the corpus may exceed memory."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Literal, get_args

from regard.data.columns import Column, Wanted, find_columns, looks_like_header
from regard.data.lines import check_file, decode_lines, read_lines
from regard.data.pairs import BadLine, OnBadLine, Pair, refuse
from regard.data.records import read_json_lines, read_parquet
from regard.errors import BadArgumentError, DamagedFileError, unknown

Format = Literal["tsv", "csv", "jsonl", "parquet"]

_FORMAT_OF: dict[str, Format] = {
    ".tsv": "tsv",
    ".tab": "tsv",
    ".txt": "tsv",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
}


def read_pairs(
    path: str | Path | tuple[str | Path, str | Path],
    *,
    source_column: Column | None = None,
    target_column: Column | None = None,
    format: Format | None = None,
    on_bad_line: OnBadLine = refuse,
) -> Iterator[Pair]:
    """The sentence pairs of a file, or of two files whose lines correspond.

    The form follows from the name (.tsv .txt .csv .jsonl .parquet, each also with .gz; tabs where
    the name says nothing) or from `format`. Columns are named, or numbered from 1 as `cut` does;
    by default the first two, or those that a header or JSON fields call source and target, src
    and tgt, en and de, or Hugging Face's {"translation": {"en": …, "de": …}}.

    A line that holds no pair (no tab, not UTF-8, not JSON) goes to `on_bad_line`, which by
    default raises RegardError with its number. RegardError is also raised for a missing or empty
    file, a missing column (the message lists those there) and two files of unequal length.

    >>> pairs = read_pairs("pairs.tsv")
    >>> next(pairs)
    Pair(source='the old dog runs', target='der alte Hund läuft', line=1)
    """
    if isinstance(path, tuple):
        if source_column is not None or target_column is not None or format is not None:
            raise BadArgumentError(
                "two parallel files are read whole, line by line: leave out the columns and the "
                "format, or give one file"
            )
        source, target = Path(path[0]), Path(path[1])
        check_file(source)
        check_file(target)
        return _read_parallel(source, target, on_bad_line)
    path = Path(path)
    check_file(path)
    columns = (source_column, target_column)
    if (source_column is None) != (target_column is None):
        raise BadArgumentError(
            "name both source_column and target_column, or neither; got one of them"
        )
    kind = format if format is not None else format_of(path)
    if kind == "tsv":
        return _read_table(path, tab_rows(path, on_bad_line), columns, on_bad_line, exact=False)
    if kind == "csv":
        return _read_table(path, csv_rows(path, on_bad_line), columns, on_bad_line, exact=True)
    if kind == "jsonl":
        return read_json_lines(path, columns, on_bad_line)
    if kind == "parquet":
        return read_parquet(path, columns, on_bad_line)
    raise unknown("format", kind, get_args(Format))


def format_of(path: Path) -> Format:
    """The form that a file's name says it has; tabs where it says nothing."""
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    return _FORMAT_OF.get(suffixes[-1], "tsv") if suffixes else "tsv"


Rows = Iterator[tuple[int, list[str]]]


def tab_rows(path: Path, on_bad_line: OnBadLine) -> Rows:
    """The cells of each line between tabs, with the line's number."""
    for number, line in read_lines(path, on_bad_line):
        yield number, line.split("\t")


def csv_rows(path: Path, on_bad_line: OnBadLine) -> Rows:
    """The cells of each row, with the number of its last line."""
    lines = read_lines(path, on_bad_line)
    number, first = next(lines, (0, ""))
    # Spreadsheets where the comma is the decimal sign put semicolons between columns.
    delimiter = next((sign for sign in ",;\t" if sign in first), ",")

    def counted() -> Iterator[str]:
        nonlocal number
        yield first + "\n"
        for line_number, line in lines:
            number = line_number
            yield line + "\n"

    try:
        for row in csv.reader(counted(), delimiter=delimiter, strict=True):
            yield number, row
    except csv.Error as error:
        raise DamagedFileError(
            f"{path}, line {number:,}: expected CSV, but {error}: write a quotation mark inside a"
            ' cell as "" and put the cell in quotation marks'
        ) from error


def _read_table(
    path: Path, rows: Rows, wanted: Wanted, on_bad_line: OnBadLine, *, exact: bool
) -> Iterator[Pair]:
    """Pairs from rows of cells; `exact`: all as wide as the first, for a comma may be unquoted."""
    columns: tuple[int, int] | None = None
    width = 0
    for number, row in rows:
        if not "".join(row).strip():
            yield Pair("", "", number)
            continue
        if columns is None:
            columns = find_columns(path, row, wanted)
            width = max(2, len(row)) if exact else max(columns) + 1
            if width <= len(row) and looks_like_header(row, columns, wanted):
                continue
        if len(row) < width or (exact and len(row) > width):
            on_bad_line(_wrong_width(path, number, len(row), width, exact=exact))
            continue
        yield Pair(row[columns[0]], row[columns[1]], number)


def _wrong_width(path: Path, number: int, count: int, width: int, *, exact: bool) -> BadLine:
    place = f"{path}, line {number:,}"
    if exact:
        message = f"{place}: expected {width} columns like the first row; got {count}"
        return BadLine(number, "wrong columns", f"{message}: put cells with commas in quotes")
    if count == 1:
        message = f"{place}: expected a sentence, a tab and its translation, but there is no tab"
        return BadLine(number, "no tab", message)
    message = f"{place}: expected at least {width} columns between tabs; got {count}"
    return BadLine(number, "wrong columns", message)


def _read_parallel(source: Path, target: Path, on_bad_line: OnBadLine) -> Iterator[Pair]:
    counts = [0, 0]
    lines = zip_longest(decode_lines(source), decode_lines(target))
    for number, texts in enumerate(lines, start=1):
        for side, text in enumerate(texts):
            counts[side] += text is not None
        if counts[0] != counts[1]:
            continue  # one file has ended: only count on, for the message
        first, second = texts
        if isinstance(first, BadLine):
            on_bad_line(first)
        elif isinstance(second, BadLine):
            on_bad_line(second)
        else:
            yield Pair(first, second, number)
    if counts[0] != counts[1]:
        raise DamagedFileError(
            f"two parallel files must have the same number of lines; {source} has"
            f" {counts[0]:,} and {target} has {counts[1]:,}: find the line where they diverge"
        )
