"""The process's three streams, whatever the shell and the locale made of them."""

import io
import os
import sys
from typing import BinaryIO

from regard.errors import BadArgumentError, UnavailableError
from regard.lines import one_line


def prepare_streams() -> None:
    """Make output readable everywhere: UTF-8, as input is, unless a terminal wants otherwise.

    COLUMNS=0 means that the width is not known; help of that width would be empty.

    Raises:
        UnavailableError: stdout is closed.
    """
    if sys.stderr is None:  # closed to have silence; print(file=None) would write to stdout
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115, open as long as the process
    if sys.stdout is None:
        raise UnavailableError("stdout is closed. Redirect it to a file or to /dev/null.")
    if not os.environ.get("COLUMNS", "0").strip("0"):
        os.environ.pop("COLUMNS", None)
    if isinstance(sys.stdout, io.TextIOWrapper):
        if sys.stdout.isatty():
            sys.stdout.reconfigure(errors="backslashreplace")
        else:
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")


def say(sentence: str, *, by_all: bool = False) -> None:
    """Say a sentence to the user, on stderr; of several processes the first of each machine says
    it, or all do."""
    if by_all or os.environ.get("LOCAL_RANK", "0") == "0":
        print(f"regard: {one_line(sentence)}", file=sys.stderr)


def is_first_process() -> bool:
    """Return whether this process shows progress: of those that torchrun started, the first."""
    variables = ("WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
    return os.environ.get("RANK", "0") == "0" or any(name not in os.environ for name in variables)


def open_stdin(nothing: str) -> BinaryIO:
    """Return the bytes of stdin. Raises BadArgumentError(nothing) if it is a terminal or closed."""
    if sys.stdin is None or sys.stdin.isatty():
        raise BadArgumentError(nothing)
    return sys.stdin.buffer
