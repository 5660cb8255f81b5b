"""Columns that a task does not read, and that may say no to what it reads."""

import re
from collections import Counter
from collections.abc import Sequence

from regard.data import evidence
from regard.data.languages import LANGUAGES
from regard.errors import shortened

_FEW, _WORDS = 5, 3  # different values of a column that answers, and words in each of them
_LARGEST = 100  # number in a column that may be a score, where all are different
# Names, or their last words, of what is about a row, and says nothing on how its texts belong.
_ABOUT = frozenset(
    """
    id ids idx index key guid uuid hash unnamed row no nr number line split splits partition subset
    fold lang langs language languages locale country date time timestamp datetime year month day
    created updated url uri link href file filename path source origin dataset corpus genre domain
    author user username annotator worker assignee version license
    """.split()  # noqa: SIM905
)
_SPLITS = frozenset(("train", "training", "dev", "valid", "val", "validation", "eval", "test"))


def doubtful(name: str, values: Sequence[object]) -> str | None:
    """Describe a column that may answer whether texts belong together: of few words, which repeat,
    or of numbers; None for any other.

    >>> doubtful("verdict", ["match", "no match", "match"])
    "2 values, 'match' and 'no match'"
    >>> doubtful("distance", [0.3, 0.25, 0.7])
    'numbers, from 0.25 to 0.7'
    """
    if is_about(name) or not all(
        one is None or isinstance(one, str | int | float) for one in values
    ):
        return None
    cells = ["" if one is None else str(one).strip() for one in values]
    filled = [cell for cell in cells if cell]
    kind, counts = evidence.kind_of(cells), Counter(cells)
    if len(counts) < 2 or kind in ("link", "date"):
        return None
    if all(map(evidence.is_number, filled)):
        numbers = [float(cell) for cell in filled]
        counted = kind == "id" and (max(numbers) > _LARGEST or numbers == sorted(numbers))
        return None if counted else f"numbers, from {min(numbers):g} to {max(numbers):g}"
    codes = {cell.lower() for cell in filled}
    if (
        len(counts) > _FEW
        or len(counts) == len(cells)
        or any(len(cell.split()) > _WORDS for cell in counts)
        or codes <= _SPLITS
        or (codes <= LANGUAGES and "no" not in codes)
    ):
        return None
    *first, last = sorted(repr(shortened(cell, 30)) if cell else "an empty one" for cell in counts)
    return f"{len(counts)} values, {', '.join(first)} and {last}"


def is_about(name: str) -> bool:
    """Return whether a name says that a column is about its rows: "pair_id", "Unnamed: 0", ""."""
    words = re.findall(r"[^\W_]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower())
    return not words or words[-1] in _ABOUT or words[0] == "unnamed" or name.startswith("_")
