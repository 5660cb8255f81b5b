"""Division of texts into words, for all that gives a vector to each: vectors, bags, senses."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable

from tokenizers import Regex, pre_tokenizers

from regard.errors import BadArgumentError
from regard.text.normalize import check_unicode

LARGEST_SIZE = 10**6

# Letters with their marks and digits, an apostrophe inside (don't), or one pictograph with what
# modifies and joins it. Scripts without spaces are one word from one punctuation mark to the next.
_WORD = (
    r"[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}\p{N}]+)*"
    r"|\p{Extended_Pictographic}[\p{M}\x{1F3FB}-\x{1F3FF}]*"
    r"(?:\x{200D}\p{Extended_Pictographic}[\p{M}\x{1F3FB}-\x{1F3FF}]*)*"
)
_SPLIT = pre_tokenizers.Split(Regex(_WORD), behavior="removed", invert=True)


def split_words(text: str) -> list[str]:
    """Return the words of a text in small letters, with plain apostrophes; no punctuation."""
    return [word.lower() for word, _ in _SPLIT.pre_tokenize_str(_plain(text))]


def word_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each word of `split_words`: `text[start:end]` is what it was."""
    return [span for _, span in _SPLIT.pre_tokenize_str(_plain(text))]


def _plain(text: str) -> str:
    check_unicode(text)
    return text.replace("’", "'")  # as long as it was, so that spans fit


def read_sentences(texts: Iterable[str], min_count: int) -> list[list[str]]:
    """Return the words of each text that has any; a word is one object, however often it occurs.

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
    """Raise BadArgumentError for a size below one, or above any that has a use."""
    for name, size in sizes.items():
        if size < 1:
            raise BadArgumentError(f"{name} must be 1 or more; got {size}.")
        if size > LARGEST_SIZE:
            raise BadArgumentError(f"{name} must be at most {LARGEST_SIZE:,}; got {size:,}.")
