"""Texts as lists of words, held in memory, for what learns word vectors from them."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable

from regard.errors import BadArgumentError
from regard.words.segmentation import split_words

LARGEST_SIZE = 10**6


def read_sentences(texts: Iterable[str], min_count: int) -> list[list[str]]:
    """The words of each text that has any; a word is one object, however often it occurs.

    Raises BadArgumentError for no words, and where none occurs `min_count` times.
    """
    split = ([sys.intern(word) for word in split_words(text)] for text in texts)
    sentences = [words for words in split if words]
    if not sentences:
        raise BadArgumentError("training word vectors needs text; got none with a word in it.")
    word, most = Counter(word for words in sentences for word in words).most_common(1)[0]
    if most < min_count:
        raise BadArgumentError(
            f"no word occurs {min_count} times in this text ({word!r}, the most frequent, {most}):"
            f" give more text, or a min_count of at most {most}."
        )
    return sentences


def check_sizes(**sizes: int) -> None:
    """Raises BadArgumentError for a size below one, or above any that has a use."""
    for name, size in sizes.items():
        if size < 1:
            raise BadArgumentError(f"{name} must be 1 or more; got {size}.")
        if size > LARGEST_SIZE:
            raise BadArgumentError(f"{name} must be at most {LARGEST_SIZE:,}; got {size:,}.")
