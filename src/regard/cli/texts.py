"""Where a command's texts come from, and where what it makes of them goes."""

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, TextIO, TypeVar

from regard.cli.lines import Line, count_lines, open_input, read_lines, read_text
from regard.cli.progress import is_watched, progress_bar
from regard.cli.streams import open_stdin, say
from regard.errors import BadArgumentError, DamagedFileError, RegardError

T = TypeVar("T")

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def text_groups(
    texts: list[str] | None, input: Path | None, json_lines: bool, *, what: str
) -> Iterable[list[Line]]:
    """Lines in groups as they come: of the arguments, a file, or stdin.

    A file is read once, so that it may be a pipe.

    Args:
        json_lines: a line may be a JSON object with a "text".
        what: one of them, for the messages: "a sentence".

    Raises:
        DamagedFileError: an empty file.
        BadArgumentError: nothing where something was expected.
    """
    if texts and input:
        raise BadArgumentError(f"give either {what} or --input; got both.")
    if texts:
        return [[Line(number, text) for number, text in enumerate(texts, start=1)]]
    if input:
        groups = _file_groups(input, json_lines)
        first = next(groups, None)  # before a model is loaded
        if first is None:
            raise DamagedFileError(
                f"{input} is empty; {what} on each line was expected. Check that it is the right"
                " file."
            )
        return chain([first], groups)
    stdin = open_stdin(f"nothing to read: give {what} in quotes, --input FILE, or lines on stdin.")
    return read_lines(stdin, name="stdin", json_lines=json_lines)


def whole_text(nothing: str, file: Path | None = None) -> str:
    """The whole of a file, or of stdin, as one text.

    Raises:
        BadArgumentError(nothing): stdin is a terminal or closed.
        DamagedFileError: see `read_text`.
    """
    if file is None:
        return read_text(open_stdin(nothing), name="stdin")
    with open_input(file) as opened:
        return read_text(opened, name=str(file))


@contextmanager
def lines_bar(input: Path | None, what: str) -> Iterator[Callable[[int], None]]:
    """A progress bar over the lines of a file; none for arguments and stdin."""
    # Counting reads the file once more: only for a bar that is seen.
    total = count_lines(input) if input and is_watched() else None
    with progress_bar(total, what, shown=bool(input)) as advance:
        yield advance


@contextmanager
def line_named(lines: Sequence[Line]) -> Iterator[None]:
    """Puts the line's number before the message if one of the lines' texts is refused."""
    try:
        yield
    except RegardError as error:
        if error.index is None:
            raise
        raise type(error)(f"line {lines[error.index].number}: {error}") from error


def answer_lines(
    groups: Iterable[list[Line]],
    answer: Callable[[list[Line], Callable[[int], None]], Sequence[T]],
    shown: Callable[[Line, T | None], str],
    *,
    input: Path | None,
    output: Path | None,
    doing: str,
) -> None:
    """Writes what is to be shown for each line, a group of them as soon as it is answered.

    Args:
        answer: the answers to those lines that are not empty; also gets a function, to be called
            with the number of lines just answered.
        shown: what to print of a line and its answer, None for an empty line.
        doing: what is being done, in a word, for the bar over the lines of `input`.
    """
    with destination(output) as file, lines_bar(input, doing) as progress:
        for group in groups:
            lines = [line for line in group if line.text.strip()]
            progress(len(group) - len(lines))
            with line_named(lines):
                answers = iter(answer(lines, progress) if lines else ())
            for line in group:
                print(shown(line, next(answers) if line.text.strip() else None), file=file)
            file.flush()


def json_line(line: Line, **found: Any) -> str:
    """A line of JSON: the fields that came in, or the text, and what was found."""
    return json.dumps((line.fields or {"text": line.text}) | found, ensure_ascii=False)


def one_line(text: str) -> str:
    """A text that a file or a model made, as it may be printed: on one line, in one column.

    Line breaks and tabs become spaces, because the reader of line n counts on line n; any other
    control character is written as its escape, because a terminal would obey it.
    """
    return _CONTROL.sub(_shown, " ".join(text.splitlines()))


def say_not_followed(name: str, settings: Iterable[str]) -> None:
    """Says on stderr which settings of a model's files have no effect here."""
    if listed := ", ".join(settings):
        say(f"{name} asks for {listed}; regard ignores that.")


@contextmanager
def destination(output: Path | None) -> Iterator[TextIO]:
    """Stdout, or a file that is written whole or not at all."""
    if output is None:
        yield sys.stdout
        return
    from regard.files import whole_file

    with whole_file(output) as path, path.open("w", encoding="utf-8") as file:
        yield file


def _shown(control: re.Match[str]) -> str:
    return " " if control[0].isspace() else f"\\x{ord(control[0]):02x}"


def _file_groups(path: Path, json_lines: bool) -> Iterator[list[Line]]:
    with open_input(path) as file:
        yield from read_lines(file, name=str(path), json_lines=json_lines)
