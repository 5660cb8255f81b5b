"""Phrases that a text must have, each in one of its variants: a glossary's translations."""

from collections.abc import Sequence

Ids = tuple[int, ...]
Phrase = tuple[Ids, ...]  # variants


def reached(tokens: Ids, past: Sequence[int]) -> int:
    """Return how many of the tokens the past ends with, from the first on."""
    most = min(len(tokens), len(past))
    return next(n for n in range(most, -1, -1) if (*past[len(past) - n :],) == tokens[:n])


def is_there(phrase: Phrase, past: Sequence[int]) -> bool:
    """Return True if the past has one variant."""
    ends = range(1, len(past) + 1)
    return any(reached(tokens, past[:end]) == len(tokens) for end in ends for tokens in phrase)
