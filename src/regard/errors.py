"""The errors that speak to a user: what was expected, what came, what to do."""

import difflib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

from regard.letters import beginning


class RegardError(ValueError):
    """A mistake that the user can mend, in one sentence; always one of the classes below.

    >>> try:
    ...     regard.attend(torch.ones(2, 3), torch.ones(2, 4), torch.ones(2, 4))
    ... except regard.RegardError as error:
    ...     print(error)
    key must have query's head_dim 3 for this score; got 4. Project one of them, or use ...
    """

    index: int | None = None  # of the refused text among several, from 0
    others: Sequence["RegardError"] = ()  # of the texts refused with it, each with its index


class BadArgumentError(RegardError):
    """An argument, option or text that cannot be used: unknown, out of range, of another shape.

    >>> try:
    ...     regard.attend(torch.eye(2), torch.eye(2), torch.eye(2), score="scaled")
    ... except regard.BadArgumentError as error:
    ...     print(error)
    score must be one of dot, scaled_dot, ...; got 'scaled'. Did you mean 'scaled_dot'?
    """


class OtherLanguageError(BadArgumentError):
    """A text in another language or script than the model reads."""

    def forced_by(self, option: str) -> str:
        """Return the sentence with the name that another door than Python has for `force`; ""
        leaves it out."""
        return str(self).replace(", or force=True", f", or {option}" if option else "")


class NotFoundError(RegardError):
    """A model, file, word or token that does not exist.

    >>> try:
    ...     regard.load("en-fe")
    ... except regard.NotFoundError as error:
    ...     print(error)
    there is no folder en-fe; give a model folder, ... Did you mean 'en-de'?
    """


class DamagedFileError(RegardError):
    """A file whose content is not what it should be: cut short, malformed, of another format.

    >>> from regard.inspection import Trace
    >>> torch.save({}, "broken.safetensors")
    >>> try:
    ...     Trace.load("broken.safetensors")
    ... except regard.DamagedFileError as error:
    ...     print(error)
    broken.safetensors is not a complete safetensors file (...); was it cut short? ...
    """


class UnsupportedError(RegardError):
    """A model, setting or combination that is valid, but not implemented or not made for this.

    >>> try:
    ...     regard.load("emotions", task="translation")
    ... except regard.UnsupportedError as error:
    ...     print(error)
    emotions is a classifier of emotions in English comments: ...; to translate, give en-de, ...
    """


class UnavailableError(RegardError):
    """Something outside the program is missing: a package, the network, a port, room on a disk.

    >>> try:
    ...     raise UnavailableError("the port 80 is taken. Name another with --port.")
    ... except regard.RegardError as error:
    ...     print(error)
    the port 80 is taken. Name another with --port.
    """


def unknown(what: str, name: object, known: Iterable[str]) -> BadArgumentError:
    """Return the error for a name that is not among the valid ones: it lists them, and the
    nearest."""
    names = list(known)
    hint = did_you_mean(name, names)
    return BadArgumentError(f"{what} must be one of {', '.join(names)}; got {name!r}.{hint}")


def check_choice(what: str, name: object, known: Collection[str]) -> None:
    """Raise BadArgumentError for a name that is not among the valid ones."""
    if name not in known:
        raise unknown(what, name, known)


def check_length(length: int, max_positions: int | None) -> None:
    """Raise BadArgumentError for a sequence that is too long for the model."""
    if max_positions is not None and length > max_positions:
        raise BadArgumentError(
            f"the model has {max_positions} positions; got a sequence of {length}"
            " tokens. Split the text or use a model with more positions."
        )


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return a question with the nearest of the known names, to end a message; empty if none is
    near."""
    near = nearest(str(name), known)
    return "" if near is None else f" Did you mean {near!r}?"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that this one misspells or abbreviates; None if no name is near.

    >>> [nearest(name, ["weight", "entropy"]) for name in ("wieght", "entro", "center")]
    ['weight', 'entropy', None]
    """
    alike = difflib.get_close_matches(name, list(known), n=5, cutoff=0.6)
    return next((each for each in alike if _is_near(name.lower(), each.lower())), None)


def _is_near(one: str, other: str) -> bool:
    """Return True if one of four characters differs at most, and no digit, or one name is the
    other's beginning and half of it at least."""
    short, long = sorted((one, other), key=len)
    begins = long.startswith(short) and 2 * len(short) >= len(long)
    digits = [[character for character in name if character.isdigit()] for name in (one, other)]
    return begins or (digits[0] == digits[1] and _slips(one, other) <= len(long) // 4)


def _slips(one: str, other: str) -> int:
    """Characters to insert, take out, replace or swap with the next one (Damerau 1964)."""
    before: list[int] = []
    row = [*range(len(other) + 1)]
    for i, mine in enumerate(one):
        above, row = row, [i + 1]
        for j, theirs in enumerate(other):
            fewest = min(above[j] + (mine != theirs), above[j + 1] + 1, row[j] + 1)
            if i and j and (mine, one[i - 1]) == (other[j - 1], theirs):
                fewest = min(fewest, before[j - 1] + 1)
            row.append(fewest)
        before = above
    return row[-1]


def first_line(error: BaseException) -> str:
    """First line of an error's message without its full stop; the name of its class if empty."""
    lines = (line.strip() for line in str(error).splitlines())
    return next((line for line in lines if line), type(error).__name__).rstrip(".")


@contextmanager
def refusing(problem: str) -> Iterator[None]:
    """Turn any exception of code that relies on what a file contains into a DamagedFileError.

    Args:
        problem: the beginning of the sentence, such as "config.json is malformed".
    """
    try:
        yield
    except BadArgumentError as error:  # a value in the file is out of range
        raise DamagedFileError(f"{problem}: {error}") from error
    except (RegardError, OSError):
        raise
    except Exception as error:  # a wrong value can fail in any way, wherever it is first used
        reason = " ".join(str(error).split())  # some libraries write several lines
        raise DamagedFileError(
            f"{problem} ({type(error).__name__}: {reason})."
            " Copy the file again from where it came from."
        ) from error


def shortened(text: str, most: int = 40) -> str:
    """Return the beginning of a text for a message."""
    return text if len(text) <= most else f"{beginning(text, most - 1)}…"


def some(names: Sequence[str]) -> str:
    """Return the first three of a list for a message, and how many more there are."""
    if not names:
        return "none"
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
