"""Lines of text as a command is given them: arguments, a file, or stdin."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, BinaryIO

from regard.cli.streams import say
from regard.data.columns import Columns, Record
from regard.data.inputs import TEXT
from regard.data.lines import BadLine, Decoder, Say, refuse
from regard.data.reader import Format, plain, read_groups
from regard.data.roles import Role, missing_column
from regard.errors import BadArgumentError, DamagedFileError, RegardError
from regard.lines import json_object


@dataclass(frozen=True)
class Line:
    """One line of input."""

    number: int  # counted from 1
    text: str
    fields: dict[str, Any] = field(default_factory=dict)  # of a record; passed through
    error: RegardError | None = None  # why it has no answer
    reason: str = ""  # the same without the line's place
    others: tuple[str | None, ...] = ()  # the record's other inputs


class LineReader:
    """Make lines of the records of one file, whose first group tells the columns.

    Args:
        name: of the file, for messages.
        roles: the columns of a record; the first is the text.
        id: the column that alone is passed through; None: all.
        json_lines: a line of text that begins with "{" is a JSON object with the text.
        say: called with a sentence where the cells choose the columns.
    """

    def __init__(
        self,
        name: str,
        format: Format,
        roles: Sequence[Role],
        *,
        id: str | None = None,
        json_lines: bool = False,
        say: Say = say,
    ):
        self.name, self.roles, self.id, self.json_lines = name, roles, id, json_lines
        self.columns = Columns(name, roles, exact=True, say=say)
        # Whether it has columns; TSV without names of them is text.
        self.table: bool | None = {"text": False, "tsv": None}.get(format, True)
        self._chosen = any(role.column is not None for role in roles)
        if format == "text" and (self._chosen or id is not None) and not json_lines:
            raise BadArgumentError(
                f"{name} is text, a line each, and has no columns. Leave the columns out, or give"
                " CSV, JSON lines or Parquet."
            )
        self._objects = format in ("jsonl", "parquet")
        self._named = False  # whether the columns' names are known

    def begin(self, group: Sequence[Record]) -> None:
        """Find the columns by the first records."""
        if self.table is None:
            first = next((content for _, content in group if content is not None), None)
            if first is None:
                return
            cells = {cell.strip().lower() for cell in first} if isinstance(first, list) else {""}
            self.table = self._chosen or not cells.isdisjoint(self.roles[0].known)
        if self.table and not self._named:
            self.columns.begin(group)
            objects = (content for _, content in group if isinstance(content, Mapping))
            names = dict.fromkeys(self.columns.header or chain.from_iterable(objects))
            self._named = bool(names)
            if self.id is not None and names and self.id not in names:
                raise missing_column(self.name, self.id, [*names])

    def lines(self, group: Sequence[Record]) -> Iterator[Line | BadLine]:
        """Yield the lines of a group of records; empty ones of a table are left out, of JSON
        bad."""
        self.begin(group)
        for number, content in group:
            if not self.table:
                if self.table is None:
                    continue  # before its first line
                text = "\t".join(content) if isinstance(content, list) else content or ""
                yield content if isinstance(content, BadLine) else self._text(number, str(text))
            elif content is not None:
                line = content if isinstance(content, BadLine) else self._row(number, content)
                if line is not None:
                    yield line
            elif self._objects:
                yield BadLine(self.name, number, "bad record", "the line is empty.")

    def _text(self, number: int, text: str) -> Line | BadLine:
        """Return a line of text, or the text in a JSON object that stands there."""
        if not (self.json_lines and text.startswith("{")):
            return Line(number, text)
        try:
            fields = json_object(text)
        except DamagedFileError as error:
            return BadLine(self.name, number, "bad record", str(error))
        name, *others = (role.name for role in self.roles)
        if not isinstance(fields.get(name), str):
            listed = ", ".join(map(repr, fields)) or "nothing"
            problem = f'expected a string under "{name}"; the object has {listed}.'
            return BadLine(self.name, number, "wrong cell", problem)
        texts = tuple(map(fields.get, others))
        return self._passed(Line(number, fields[name], fields, others=texts))

    def _row(
        self, number: int, content: str | list[str] | Mapping[str, Any]
    ) -> Line | BadLine | None:
        """Return the text in a row; None for a header."""
        for _, values in self.columns.rows([(number, content)]):
            if isinstance(values, BadLine):
                return values
            text, *others = values
            role = self.roles[0]
            if text is None:
                problem = f"expected a {role.name}; got nothing."
                return BadLine(self.name, number, "wrong cell", problem)
            fields = plain(content)
            if isinstance(content, list):
                fields = dict(zip(self.columns.header or (), content, strict=False))
            return self._passed(Line(number, text, fields or {role.name: text}, others=(*others,)))
        return None

    def _passed(self, line: Line) -> Line | BadLine:
        """Return the line, with the fields that are passed through."""
        if self.id is None:
            return line
        if line.fields.get(self.id) is None:
            problem = f"there is no {self.id!r}, which `id` names."
            return BadLine(self.name, line.number, "wrong cell", problem)
        fields = {self.id: line.fields[self.id]}
        return Line(line.number, line.text, fields, others=line.others)


def kept(bad: BadLine) -> Line:
    """Return an empty line in the place of one that cannot be read."""
    return Line(bad.line, "", error=DamagedFileError(bad.message), reason=bad.problem)


def read_lines(
    stream: BinaryIO,
    *,
    name: str,
    json_lines: bool = False,
    keep_bad: bool = False,
    format: Format = "text",
    roles: Sequence[Role] = (TEXT,),
    delimiter: str | None = None,
    id: str | None = None,
) -> Iterator[list[Line]]:
    """Yield the lines of a stream in groups, each as soon as its bytes are there: a pipe's reader
    can answer a line before the next one comes.

    Args:
        stream: has `read1`, as files opened for bytes do. It is read once, from where it stands.
        keep_bad: a line that cannot be used is an empty line with the error.
        format: of the stream.
        delimiter: between the cells of CSV; None: as the first lines look.
        name, json_lines, roles, id: as `LineReader`.

    Raises:
        DamagedFileError: a line that cannot be used, with its number.
    """
    reader = LineReader(name, format, roles, id=id, json_lines=json_lines)
    decode = Decoder(name, say)
    groups = read_groups(stream, name, format, strict=True, decode=decode, delimiter=delimiter)
    for group in groups:
        lines = []
        for line in reader.lines(group):
            if isinstance(line, BadLine):
                if not keep_bad:
                    refuse(line)
                line = kept(line)
            lines.append(line)
        yield lines
