"""Lines of text as a command is given them: arguments, a file, or stdin."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from regard.cli.streams import say
from regard.data.columns import Columns
from regard.data.inputs import TEXT
from regard.data.lines import BadLine, Decoder, refuse
from regard.data.reader import Format, plain, read_groups
from regard.data.roles import Role
from regard.errors import DamagedFileError, RegardError
from regard.lines import json_object


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
    columns = Columns(name, roles, exact=True, say=say)
    table: bool | None = {"text": False, "tsv": None}.get(format, True)
    begun = format not in ("csv", "tsv")  # before its names, a table has no line to be answered
    for group in read_groups(stream, name, format, strict=True, decode=Decoder(name, say)):
        lines = []
        for number, content in group:
            begun = begun or content is not None
            if not begun:
                continue
            if isinstance(content, list) and table is None:  # TSV without names is text
                table = any(cell.strip().lower() in roles[0].known for cell in content)
            if table:
                columns.begin(group)
            line: Line | BadLine | None
            if isinstance(content, BadLine):
                line = content
            elif table:
                line = _row(number, content, columns)
            else:
                text = content if isinstance(content, str) else "\t".join(content or ())
                line = _text(name, number, text, roles[0].name, json_lines)
            if isinstance(line, BadLine):
                if not keep_bad:
                    refuse(line)
                line = Line(line.line, "", error=DamagedFileError(line.message))
            if line is not None:
                lines.append(line)
        yield lines


def _text(file: str, number: int, text: str, name: str, json_lines: bool) -> Line | BadLine:
    """A line of text, or the text in a JSON object that stands there."""
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


def _row(number: int, content: Any, columns: Columns) -> Line | BadLine | None:
    """The text in a row; None for a header."""
    if content is None:
        return Line(number, "")
    for _, values in columns.rows([(number, content)]):
        if isinstance(values, BadLine):
            return values
        text, *others = values
        role, *other_roles = columns.roles
        if text is None:
            return BadLine(
                columns.name, number, "wrong cell", f"expected a {role.name}; got nothing."
            )
        fields = plain(content)
        if isinstance(content, list):
            fields = dict(zip(columns.header or (), content, strict=False)) or {role.name: text}
        optional = zip(other_roles, others, strict=True)
        fields |= {other.name: value for other, value in optional if value is not None}
        return Line(number, text, fields)
    return None
