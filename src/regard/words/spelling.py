"""A known word in place of an unknown one, by spelling."""

from difflib import get_close_matches
from functools import lru_cache

from regard.words.vectors import WordVectors

CLOSE = 0.65  # of difflib's ratio: 1 for the same letters in the same order, 0 for no common letter


@lru_cache(maxsize=1024)
def nearest_spelled(word: str, words: WordVectors) -> str | None:
    """The known word whose spelling is most similar, or None if too many letters differ.

    A number is only replaced by a number.
    """
    number = word.isdecimal()
    known = [each for each in words.words if each.isdecimal() == number]
    found = get_close_matches(word.lower(), known, n=1, cutoff=CLOSE)
    return found[0] if found else None
