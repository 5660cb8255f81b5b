"""Labels as people write them: spellings of one label, and words for a missing value."""

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping

MISSING = frozenset({"nan", "null", "n/a", "#n/a", "<na>", "na"})  # what tables write for no value


def remarks(spellings: Mapping[str, int]) -> Iterator[str]:
    """A sentence for each group of spellings that may be one label, and for each missing value.

    >>> list(remarks({"good": 230, "Good": 12, "1": 3, "1.0": 2, "nan": 1, "bad": 9}))[0]
    'the labels "good" (230) and "Good" (12) may be one: if so, write them alike'
    """
    alike: dict[str, dict[str, int]] = defaultdict(dict)
    for spelling, count in spellings.items():
        alike[_key(spelling)][spelling] = count
    for group in alike.values():
        if len({spelling.strip() for spelling in group}) > 1:
            yield f"the labels {_listed(group)} may be one: if so, write them alike"
        elif any(spelling != spelling.strip() for spelling in group):
            yield f"spaces around labels do not count: {_listed(group)}"
    for key in alike.keys() & MISSING:
        yield (
            f"the label {_listed(alike[key])} looks like a missing value: if it is one, leave it"
            " empty, and the text is left out"
        )


def _key(spelling: str) -> str:
    """The same for spellings that differ in case, spaces, width or the form of a number."""
    plain = " ".join(unicodedata.normalize("NFKC", spelling).casefold().split())
    try:
        number = float(plain)
    except ValueError:
        return plain
    return plain if number != number else repr(number)


def _listed(group: Mapping[str, int]) -> str:
    """`"good" (230), "Good" (12) and " good " (3)`, the most frequent first."""
    ordered = sorted(group, key=lambda spelling: (-group[spelling], spelling))
    *first, last = [f'"{spelling}" ({group[spelling]:,})' for spelling in ordered]
    return f"{', '.join(first)} and {last}" if first else last
