"""Sentence pairs from records with named fields: JSON lines and Parquet."""

from __future__ import annotations

import gzip
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from regard.data.columns import Wanted, fields_of, find_fields
from regard.data.lines import open_bytes, read_lines
from regard.data.pairs import BadLine, OnBadLine, Pair
from regard.errors import DamagedFileError, RegardError, optional_package
from regard.text.normalize import check_unicode

Record = Mapping[str, Any]


def read_json_lines(path: Path, wanted: Wanted, on_bad_line: OnBadLine) -> Iterator[Pair]:
    """One JSON object a line; a missing or null field is an empty sentence."""
    return _pairs(path, json_records(path, on_bad_line), wanted, on_bad_line)


def read_parquet(path: Path, wanted: Wanted, on_bad_line: OnBadLine) -> Iterator[Pair]:
    """The rows of a Parquet file, a batch at a time; numbers are those of the rows, from 1."""
    return _pairs(path, parquet_records(path), wanted, on_bad_line)


def json_records(path: Path, on_bad_line: OnBadLine) -> Iterator[tuple[int, Record | None]]:
    """The object of each line with the line's number; None for an empty line."""
    first = True
    for number, line in read_lines(path, on_bad_line):
        if not line.strip():
            yield number, None
            continue
        if first and line.lstrip().startswith("["):
            raise DamagedFileError(
                f"{path} must be JSON lines, one object a line, but it is one array: "
                f"convert it with jq -c '.[]'"
            )
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            on_bad_line(bad_record(path, number, f"expected a JSON object; {error}"))
            continue
        if not isinstance(record, Mapping):
            message = f"expected a JSON object; got {type(record).__name__}"
            on_bad_line(bad_record(path, number, message))
            continue
        first = False
        yield number, record


def parquet_records(path: Path) -> Iterator[tuple[int, Record]]:
    """The rows of a Parquet file with their numbers from 1, read a few thousand at a time."""
    with optional_package("pyarrow", "reading Parquet needs"):
        import pyarrow
        import pyarrow.parquet
    number = 0
    with _seekable(path) as file:
        try:
            for batch in pyarrow.parquet.ParquetFile(file).iter_batches(batch_size=8192):
                for row in batch.to_pylist():
                    number += 1
                    yield number, row
        except (pyarrow.ArrowException, OSError, ValueError) as error:  # or text that is not UTF-8
            raise DamagedFileError(
                f"{path} cannot be read as Parquet ({error}): copy it again"
            ) from error
    if number == 0:
        raise DamagedFileError(
            f"expected rows in {path}, but it is empty. Check that it is the right file."
        )


def _pairs(
    path: Path,
    records: Iterator[tuple[int, Record | None]] | Iterator[tuple[int, Record]],
    wanted: Wanted,
    on_bad_line: OnBadLine,
) -> Iterator[Pair]:
    fields: tuple[str, str] | None = None
    for number, record in records:
        if record is None:
            yield Pair("", "", number)
            continue
        record = fields_of(record)
        if fields is None:
            fields = find_fields(path, record, wanted)
        yield from _pair(path, number, record, fields, on_bad_line)


def _pair(
    path: Path,
    number: int,
    record: Mapping[str, Any],
    fields: tuple[str, str],
    on_bad_line: OnBadLine,
) -> Iterator[Pair]:
    texts = [record.get(name) for name in fields]
    for name, text in zip(fields, texts, strict=True):
        if text is not None and not isinstance(text, str):
            message = f"expected text in {name!r}; got {type(text).__name__}"
            on_bad_line(bad_record(path, number, message))
            return
        try:
            check_unicode(text or "", f"the text in {name!r}")
        except RegardError as error:
            on_bad_line(bad_record(path, number, str(error)))
            return
    yield Pair(texts[0] or "", texts[1] or "", number)


def bad_record(path: Path, number: int, message: str) -> BadLine:
    return BadLine(number, "bad record", f"{path}, line {number:,}: {message}")


def _seekable(path: Path) -> IO[bytes]:
    """Parquet is read from its end; what comes from a gzip or a pipe goes to disk first."""
    file = open_bytes(path)
    if file.seekable() and not isinstance(file, gzip.GzipFile):
        return file
    unpacked = tempfile.TemporaryFile()  # noqa: SIM115, closed by the reader
    try:
        with file:
            shutil.copyfileobj(file, unpacked)
    except (EOFError, OSError) as error:
        raise DamagedFileError(f"{path} is damaged gzip ({error}): copy it again") from error
    unpacked.seek(0)
    return unpacked
