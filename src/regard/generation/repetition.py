"""Runaway repetition: the same few tokens over and over, which a search would follow to its end."""

from collections.abc import Sequence

TIMES = 4  # in a row, at least
TOKENS = 16  # that these are together, at least: "no, no, no, no" is a text
LONGEST = 16  # tokens that are repeated
EVERY = 8  # tokens, a search looks for it


def repeats(tokens: Sequence[int]) -> int:
    """Return how many tokens at the end repeat what stands before them; 0 if they may.

    >>> repeats([7, 8, 9] * 6), repeats([7, 8, 9] * 3), repeats([4] * 15)
    (15, 0, 0)
    """
    for period in range(1, min(LONGEST, len(tokens) // TIMES) + 1):
        again = 0
        while again + period < len(tokens) and tokens[-1 - again] == tokens[-1 - again - period]:
            again += 1
        if again + period >= max(TOKENS, TIMES * period):
            return again
    return 0


def is_runaway(tokens: Sequence[int]) -> bool:
    """Return True if the last of some tokens repeat what stands before them."""
    return repeats(tokens) > 0
