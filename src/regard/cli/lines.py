"""Lines of text as a command is given them: arguments, a file, or stdin."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from regard.cli.streams import say
from regard.errors import DamagedFileError, RegardError
from regard.lines import json_object
from regard.records.lines import BadLine, Decoder, refuse
from regard.records.reader import Columns, Format, Record, plain, read_groups
from regard.records.roles import Role

TEXT = Role(
    "text", ("text", "sentence", "content", "document", "article", "body", "source"), text=True
)


@dataclass(frozen=True)
class Line:
    """One line of input."""

    number: int  # counted from 1
    text: str
    fields: dict[str, Any] = field(default_factory=dict)  # of a record; passed through
    error: RegardError | None = None  # why it has no answer


def read_lines(
    stream: BinaryIO,
    *,
    name: str,
    json_lines: bool = False,
    keep_bad: bool = False,
    format: Format = "text",
    roles: Sequence[Role] = (TEXT,),
) -> Iterator[list[Line]]:
    """The lines of a stream in groups, each as soon as its bytes are there: a pipe's reader can
    answer a line before the next one comes.

    Args:
        stream: has `read1`, as files opened for bytes do. It is read once, from where it stands.
        name: what to call the stream in messages.
        json_lines: a line of text that begins with "{" is a JSON object with the text.
        keep_bad: a line that cannot be used is an empty line with the error.
        format: of the stream.
        roles: the columns of a record; the first is the text.

    Raises:
        DamagedFileError: a line that cannot be used, with its number.
    """
    columns = Columns(Path(name), roles)
    table: bool | None = {"text": False, "tsv": None}.get(format, True)
    for group in read_groups(stream, name, format, strict=True, decode=Decoder(name, say)):
        lines = []
        for record in group:
            if table is None and record.fields is not None:  # TSV without names is text
                table = any(cell.strip().lower() in roles[0].known for cell in record.fields)
            line = _row(record, columns) if table else _text(record, roles[0].name, json_lines)
            if isinstance(line, BadLine):
                if not keep_bad:
                    refuse(line)
                line = Line(line.line, "", error=DamagedFileError(line.message))
            if line is not None:
                lines.append(line)
        yield lines


def _text(record: Record, name: str, json_lines: bool) -> Line | BadLine:
    """A line of text, or the text in a JSON object that stands there."""
    file, number, text, error = record
    if error is not None:
        return error
    text = text if isinstance(text, str) else "\t".join(text or ())
    if not (json_lines and text.startswith("{")):
        return Line(number, text)
    try:
        fields = json_object(text)
    except DamagedFileError as error:
        return BadLine(file, number, "bad record", str(error))
    if not isinstance(fields.get(name), str):
        listed = ", ".join(map(repr, fields)) or "nothing"
        problem = f'expected a string under "{name}"; the object has {listed}.'
        return BadLine(file, number, "wrong cell", problem)
    return Line(number, fields[name], fields)


def _row(record: Record, columns: Columns) -> Line | BadLine | None:
    """The text in a row; None for a header."""
    row = columns(record)
    if isinstance(row, BadLine):
        return row
    if row is None:
        return Line(record.line, "") if record.fields is None else None
    text, *others = row.values
    if text is None:
        name = columns.roles[0].name
        return BadLine(record.file, row.line, "wrong cell", f"expected a {name}; got nothing.")
    if isinstance(record.fields, list):
        fields = dict(zip(columns.header or (), record.fields, strict=False))
    else:
        fields = plain(record.fields)
    for role, value in zip(columns.roles[1:], others, strict=True):
        if value is not None:
            fields[role.name] = value
    return Line(row.line, text, fields or {columns.roles[0].name: text})
