"""Where a command's texts come from, and where what it makes of them goes."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from regard.cli.lines import Line, count_lines, open_input, read_lines
from regard.errors import RegardError


def text_groups(
    texts: list[str] | None, input: Path | None, json_lines: bool, *, what: str
) -> Iterable[list[Line]]:
    """Lines in groups as they come: of the arguments, a file, or stdin.

    Args:
        json_lines: a line may be a JSON object with a "text".
        what: one of them, for the messages: "a sentence".

    Raises:
        RegardError: an empty file, or nothing where something was expected.
    """
    if texts and input:
        raise RegardError(f"give either {what} or --input; got both.")
    if texts:
        return [[Line(number, text) for number, text in enumerate(texts, start=1)]]
    if input:
        if count_lines(input) == 0:
            raise RegardError(f"{input} is empty; {what} on each line was expected.")
        return _file_groups(input, json_lines)
    if sys.stdin.isatty():
        raise RegardError(
            f"nothing to read: give {what} in quotes, --input FILE, or lines on stdin."
        )
    return read_lines(sys.stdin.buffer, name="stdin", json_lines=json_lines)


@contextmanager
def destination(output: Path | None) -> Iterator[TextIO]:
    """Stdout, or a file that is written whole or not at all."""
    if output is None:
        yield sys.stdout
        return
    if output.exists() and not output.is_file():  # a device or a pipe is written to, not replaced
        with output.open("w", encoding="utf-8") as file:
            yield file
        return
    from regard.files import whole_file

    with whole_file(output) as path, path.open("w", encoding="utf-8") as file:
        yield file


def _file_groups(path: Path, json_lines: bool) -> Iterator[list[Line]]:
    with open_input(path) as file:
        yield from read_lines(file, name=str(path), json_lines=json_lines)
