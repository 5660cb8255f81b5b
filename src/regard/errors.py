"""The errors that speak to a user: what was expected, what came, what to do."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager


class RegardError(ValueError):
    """A mistake the user can mend: one sentence, which commands print before they exit with 2."""

    index: int | None = None  # of the refused text among several, from 0


@contextmanager
def refusing(problem: str) -> Iterator[None]:
    """Turns any exception of code that relies on what a file contains into a RegardError.

    Args:
        problem: the beginning of the sentence, such as "config.json is malformed".
    """
    try:
        yield
    except (RegardError, OSError):
        raise
    except Exception as error:  # a wrong value can fail in any way, wherever it is first used
        reason = " ".join(str(error).split())  # some libraries write several lines
        raise RegardError(
            f"{problem} ({type(error).__name__}: {reason})."
            " Copy the file again from where it came from."
        ) from error


@contextmanager
def optional_package(requirement: str, what: str) -> Iterator[None]:
    """The import of a package that regard can do without; what needs it says how to install it.

    Args:
        requirement: as pip takes it, such as "matplotlib".
        what: the beginning of the sentence, such as "figures need".

    Raises:
        RegardError: the package is not installed.
    """
    try:
        yield
    except ImportError as error:
        raise RegardError(
            f"{what} the package {requirement}: pip install {shlex.quote(requirement)}."
        ) from error


def some(names: Sequence[str]) -> str:
    """The first three of a list for a message, and how many more there are."""
    if not names:
        return "none"
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
