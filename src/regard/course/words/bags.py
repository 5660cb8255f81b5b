"""Words as counts: one-hot vectors, bags of words and TF-IDF, by scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from regard.course.words.segmentation import split_words
from regard.errors import BadArgumentError
from regard.packages import optional_package

if TYPE_CHECKING:
    from scipy.sparse import csr_array

WAYS = ("one-hot", "bag", "tfidf")


@dataclass(frozen=True, eq=False)
class Bags:
    """A row of numbers for each text or word; a column for each word of the vocabulary."""

    names: list[str]  # what each row stands for
    words: list[str]  # of the columns, in alphabetical order
    values: csr_array  # (names, words)


def represent(texts: Sequence[str], way: str) -> Bags:
    """Count the words of texts.

    "one-hot": a row for each word, in the order of reading, with a 1 in the word's own column.
    "bag": a row for each text with words, the sum of its words' one-hot vectors.
    "tfidf": the bag with each count times ln((1 + texts) / (1 + texts with the word)) + 1, then
    each row at length one (scikit-learn's definition; Spärck Jones 1972).
    """
    if way not in WAYS:
        raise BadArgumentError(f"words are represented as {', '.join(WAYS)}; got {way!r}.")
    with optional_package("scikit-learn", "counting words needs"):
        from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
    split = {text: words for text in texts if (words := split_words(text))}
    names = [text for text in texts if text in split]
    if not names:
        raise BadArgumentError("counting words needs text; got none with a word in it.")
    if way == "one-hot":  # a bag with one word in it
        names = [word for name in names for word in split[name]]
        split = {word: [word] for word in names}
    counter = (TfidfVectorizer if way == "tfidf" else CountVectorizer)(analyzer=split.__getitem__)
    values = counter.fit_transform(names)
    return Bags(names, counter.get_feature_names_out().tolist(), values)
