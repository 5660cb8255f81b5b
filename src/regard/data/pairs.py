"""A sentence pair with the line it came from, and what a line is called that holds none."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from regard.errors import DamagedFileError


class Pair(NamedTuple):
    """A source sentence, its translation, and the line (from 1) or row of the file.

    >>> Pair("the old dog runs", "der alte Hund läuft", line=1).target
    'der alte Hund läuft'
    """

    source: str
    target: str
    line: int


class BadLine(NamedTuple):
    """A line that is no sentence pair: in a word for counting, in a sentence for reading.

    >>> from pathlib import Path
    >>> _ = Path("bad.tsv").write_text("the dog\\n")
    >>> bad = []
    >>> from regard.data import read_pairs
    >>> list(read_pairs("bad.tsv", on_bad_line=bad.append)), bad[0].line
    ([], 1)
    """

    line: int
    reason: str
    message: str


OnBadLine = Callable[[BadLine], None]


def refuse(bad: BadLine) -> None:
    """The default for a bad line: stop, and name it."""
    raise DamagedFileError(bad.message)
