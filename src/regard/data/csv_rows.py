"""Rows of CSV, from lines: cells between commas or other signs, some in quotation marks."""

import csv
import re
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any, cast

from regard.data.lines import BadLine, Decoder, read_lines
from regard.data.streams import open_bytes
from regard.files import LONGEST_LINE

_DELIMITERS = ",;\t|"
_SAMPLE = 20  # lines that show what stands between the cells
# The first line by which Excel is given what stands between the cells.
_TOLD = re.compile(r"\ufeff?\"?sep=(?P<delimiter>[^\s\w]|\t| )\"?[,;|\t ]*", re.IGNORECASE)

# A table's name as Numbers gives it, in any language: "Table 1", "表格 1".
_TABLE = re.compile(r"[^\W\d]{1,20} ?\d{1,3}")
# A cell of TSV in quotation marks or without any; what only such marks allow; the beginning of one.
_TAB_CELL = re.compile(r'(?:"(?:[^"]|"")*+"|[^"\t\n]*+)(?P<end>[\t\n])')
_CERTAIN = re.compile(r'""|[\t\n]')
_UNFINISHED = re.compile(r'"(?:[^"]|"")*+')

# A row, or what is wrong with it, behind the number of its last line; None for an empty row.
CsvRecord = tuple[int, Any]

csv.field_size_limit(max(csv.field_size_limit(), LONGEST_LINE))  # a cell may be a line


def read_csv(
    groups: Iterator[list[str | BadLine]], name: str, number: int, delimiter: str | None
) -> Iterator[list[CsvRecord]]:
    """Yield the rows of CSV, most of which are a line each.

    Args:
        number: that of the first line.
        delimiter: between the cells; None: what the line `sep=` says, else as the first lines look.
    """
    for group in groups:
        if number == 1:
            stated, group = _stated(group)
            delimiter = delimiter or stated
        if delimiter is None:
            delimiter = _delimiter(group)
        if number == 1 and _is_title(group, delimiter):
            group = ["", *group[1:]]
        rows: list[list[str]] = []
        with suppress(csv.Error):
            rows = list(csv.reader(cast(list[str], group), delimiter=delimiter, strict=True))
        if len(rows) == len(group):
            join = "".join
            content = [cells if join(cells).strip() else None for cells in rows]
            yield list(enumerate(content, number))
            number += len(group)
        else:
            number = yield from _of_lines(chain([group], groups), name, number, delimiter)


def delimiter_of(file: Path, *, tabs: bool = False) -> str | None:
    """Return the sign that divides the first lines of CSV into cells.

    Args:
        tabs: the file is TSV, whose sign is a tab if its cells are quoted, else None.
    """
    with open_bytes(file) as opened:
        lines = next(read_lines(opened, Decoder(str(file), lambda sentence: None)), [])
    if tabs:
        return "\t" if is_quoted(lines) else None
    stated, lines = _stated(lines)
    return stated or _delimiter(lines)


def is_quoted(group: Sequence[str | BadLine]) -> bool:
    """Return whether lines of TSV have cells in quotation marks, as Excel and pandas write those
    with such marks, tabs or line ends: all marks are balanced, and some can mean nothing else."""
    lines = [line for line in group if isinstance(line, str)]
    if not any('"' in line for line in lines):
        return False
    rows: list[list[bool]] = [[]]
    place, certain, whole = 0, False, "\n".join(lines) + "\n"
    while place < len(whole):
        cell = _TAB_CELL.match(whole, place)
        if cell is None:
            if not certain or _UNFINISHED.fullmatch(whole, place) is None:
                return False
            break  # the rest of a cell is in the next group
        place = cell.end()
        rows[-1].append(cell[0][:1] == '"')
        certain |= bool(_CERTAIN.search(cell[0][1:-2]))
        if cell["end"] == "\n":
            rows.append([])
    widths = {len(row) for row in rows[1:-1] if len(row) > 1}
    header = len(rows[0]) in (*widths, *(width - 1 for width in widths))  # R names no row numbers
    every = len(rows) > 3 and all(all(row) for row in rows)
    return len(widths) <= 1 and header and (certain or every)


def other_delimiter(file: Path, columns: int) -> str | None:
    """Return the sign that divides each of the first lines of a file, whose name says nothing, into
    so many columns where there is no tab; None if no sign does."""
    if columns < 2 or not file.is_file():
        return None
    with open_bytes(file) as opened:
        lines = next(read_lines(opened, Decoder(str(file), lambda sentence: None)), [])[:_SAMPLE]
    filled = [line for line in lines if isinstance(line, str) and line.strip()]
    if any("\t" in line for line in filled):
        return None
    return next(
        (sign for sign in ";|" if {line.count(sign) for line in filled} == {columns - 1}), None
    )


def _stated(group: list[str | BadLine]) -> tuple[str | None, list[str | BadLine]]:
    """Return the sign that the first line says with `sep=`, and the lines with an empty one for
    that."""
    first = group[0] if group else ""
    match = _TOLD.fullmatch(first) if isinstance(first, str) else None
    return (None, group) if match is None else (match["delimiter"], ["", *group[1:]])


def _is_title(group: Sequence[str | BadLine], delimiter: str) -> bool:
    """Return whether the first line is a table's name, as Numbers writes it: a cell beside empty
    ones, and below an empty row or, where the name is a usual one, a full row."""
    lines = [line for line in group[:3] if isinstance(line, str)]
    if len(lines) < 3:
        return False
    name, *rest = lines[0].split(delimiter)
    if not rest or not name.strip() or "".join(rest).strip():
        return False
    below = [cell.strip('" ') for cell in lines[1].split(delimiter)]
    return not any(below) or (all(below) and bool(_TABLE.fullmatch(name.strip('" '))))


def _delimiter(group: Sequence[str | BadLine]) -> str:
    """Return the sign that divides the first lines into equally many cells.

    Spreadsheets where the comma is the decimal sign put semicolons between columns.
    """
    lines = [line for line in group[:_SAMPLE] if isinstance(line, str)]

    def same(delimiter: str) -> int:
        widths = [len(row) for row in csv.reader(lines, delimiter=delimiter) if row]
        return widths.count(widths[0]) if widths and widths[0] > 1 else 0

    with suppress(csv.Error):
        return max(_DELIMITERS, key=same)
    return ","


def _of_lines(
    groups: Iterator[list[str | BadLine]], name: str, number: int, delimiter: str
) -> Generator[list[CsvRecord], None, int]:
    """Yield the rows of groups until one of them ends with a row; returns the number of the next
    line.

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
    records: list[CsvRecord] = []
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
