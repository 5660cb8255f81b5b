"""Division of texts into words, for all that gives a vector to each: vectors, bags, senses."""

from __future__ import annotations

from tokenizers import Regex, pre_tokenizers

from regard.text.normalize import check_unicode

# Letters with their marks and digits, an apostrophe inside (don't), or one pictograph with what
# modifies and joins it. Scripts without spaces are one word from one punctuation mark to the next.
_WORD = (
    r"[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}\p{N}]+)*"
    r"|\p{Extended_Pictographic}[\p{M}\x{1F3FB}-\x{1F3FF}]*"
    r"(?:\x{200D}\p{Extended_Pictographic}[\p{M}\x{1F3FB}-\x{1F3FF}]*)*"
)
_SPLIT = pre_tokenizers.Split(Regex(_WORD), behavior="removed", invert=True)


def split_words(text: str) -> list[str]:
    """The words of a text in small letters, with plain apostrophes; no punctuation."""
    return [word.lower() for word, _ in _SPLIT.pre_tokenize_str(_plain(text))]


def word_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each word of `split_words`: `text[start:end]` is what it was."""
    return [span for _, span in _SPLIT.pre_tokenize_str(_plain(text))]


def _plain(text: str) -> str:
    check_unicode(text)
    return text.replace("’", "'")  # as long as it was, so that spans fit
