"""Texts of a command, from arguments, files or stdin, and the output that it makes of them."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from glob import has_magic
from itertools import chain
from pathlib import Path
from typing import IO, Any

from regard.cli.lines import Line, read_lines
from regard.cli.streams import open_stdin, say
from regard.data.inputs import TEXT
from regard.data.lines import (
    check_file,
    empty_file,
    read_text,
)
from regard.data.reader import format_of
from regard.data.roles import Role
from regard.data.streams import as_utf8, open_bytes
from regard.errors import BadArgumentError
from regard.files import whole_file


def text_groups(
    texts: list[str] | None,
    input: Path | None,
    json_lines: bool,
    *,
    what: str,
    keep_bad: bool = False,
    roles: Sequence[Role] = (TEXT,),
    **reading: object,
) -> Iterable[list[Line]]:
    """Lines in groups as they come: of the arguments, a file, or stdin.

    A file is read once, so that it may be a pipe.

    Args:
        json_lines: a line of text may be a JSON object with a "text".
        what: one of them, for the messages: "a sentence".
        keep_bad: a line that cannot be read is an empty line with the error.
        roles: the columns of a file with columns, TSV with names in its first row, CSV, JSON lines
            or Parquet; the first of them is the text.
        reading: of files, further arguments of `read_lines`.

    Raises:
        DamagedFileError: an empty file.
        BadArgumentError: nothing where something was expected.
    """
    if texts and input:
        raise BadArgumentError(f"give either {what} or --input; got both.")
    if texts:
        return [[Line(number, text) for number, text in enumerate(texts, start=1)]]
    if input:
        if input.is_dir() or (has_magic(str(input)) and not input.exists()):
            raise BadArgumentError(
                f"{input} stands for several files. Add --output, a file for all their answers, or"
                " name one of them."
            )
        check_file(input)
        groups = _file_groups(input, json_lines, keep_bad, roles, reading)
        first = next(groups, None)  # before a model is loaded
        if first is None:
            raise empty_file(input)
        return chain([first], groups)
    stdin = open_stdin(f"nothing to read: give {what} in quotes, --input FILE, or lines on stdin.")
    return read_lines(
        as_utf8(stdin), name="stdin", json_lines=json_lines, keep_bad=keep_bad, roles=roles
    )


def whole_text(nothing: str, file: Path | None = None) -> str:
    """Return the whole of a file, or of stdin, as one text.

    Raises:
        BadArgumentError(nothing): stdin is a terminal or closed.
        DamagedFileError: see `read_text`.
    """
    if file is None:
        return read_text(as_utf8(open_stdin(nothing)), "stdin", say=say)
    check_file(file)
    with open_bytes(file) as opened:
        return read_text(opened, str(file), say=say)


def is_stream(path: Path) -> bool:
    """Return whether a path is a pipe or a device, which is read and written only once."""
    # On some systems /dev/stdin shares its position with stdin, even if that is a regular file.
    special = path.exists() and not (path.is_file() or path.is_dir())
    return special or path.absolute().parent in (Path("/dev"), Path("/dev/fd"))


def check_output(path: Path | None, overwrite: bool) -> None:
    """Raise BadArgumentError where a file would be overwritten without being asked to."""
    if path is None or is_stream(path):
        return
    if path.is_dir():
        raise BadArgumentError(f"{path} is a folder; name a file in it.")
    if path.exists() and not overwrite:
        raise BadArgumentError(f"{path} exists. Give another output, or add --overwrite.")


@contextmanager
def destination(output: Path | None, mode: str = "w") -> Iterator[IO[Any]]:
    """Stdout, or a file that is written whole or not at all."""
    if output is None:
        yield sys.stdout
        return
    with (
        whole_file(output) as path,
        path.open(mode, encoding=None if "b" in mode else "utf-8") as file,
    ):
        yield file


def _file_groups(
    path: Path, json_lines: bool, keep_bad: bool, roles: Sequence[Role], reading: dict[str, Any]
) -> Iterator[list[Line]]:
    form: Any = {"json_lines": json_lines, "keep_bad": keep_bad, "roles": roles, **reading}
    with open_bytes(path) as file:
        yield from read_lines(file, name=str(path), format=format_of(path, "text"), **form)
