"""Word vectors by counting which words stand together: what is best where text is short.

Levy, Goldberg and Dagan 2015, Improving Distributional Similarity: positive pointwise mutual
information, factorized. Skip-gram factorizes the same matrix (Levy and Goldberg 2014).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from regard.errors import BadArgumentError, optional_package
from regard.words.segmentation import check_sizes, read_sentences
from regard.words.vectors import WordVectors

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_SMOOTHING = 0.75  # exponent of the contexts' frequencies; without it rare contexts count too much
# The scale is free. At this length, about that of trained vectors, a softmax over dot products of
# 40 to 300 dimensions divided by √dim is neither flat nor all on one word.
_MEAN_LENGTH = 4.0


def factorize_vectors(
    texts: Iterable[str], *, dim: int = 100, window: int = 5, min_count: int = 5
) -> WordVectors:
    """Word vectors of the words that a text has often enough, the most frequent first.

    The rows of U √S, where U S Vᵀ are the `dim` largest singular values of the positive pointwise
    mutual information of words and neighbors; one at distance d counts 1/d.

    Args:
        texts: sentences or paragraphs; no word is seen together with those of another text.
        window: words on either side that are neighbors.
        min_count: a word that occurs less often gets no vector.
    """
    check_sizes(dim=dim, window=window, min_count=min_count)
    sentences = read_sentences(texts, min_count)
    counts = Counter(chain.from_iterable(sentences))
    words = [word for word, count in counts.most_common() if count >= min_count]
    # One at distance d counts 1/d.
    information = _positive_information(count_neighbors(sentences, words, window, lambda d: 1 / d))
    if information.nnz == 0 or dim >= min(information.shape):
        raise BadArgumentError(
            f"{len(words):,} words occur {min_count} times or more, too few for vectors of {dim}"
            " numbers: give more text or a smaller dim."
        )
    from scipy.sparse.linalg import svds

    left, values, _ = svds(information, k=dim, random_state=0)
    order = np.argsort(-values)
    rows = left[:, order] * np.sqrt(values[order])
    rows *= np.sign(rows[np.abs(rows).argmax(0), np.arange(dim)])  # a sign says nothing
    rows *= _MEAN_LENGTH / np.linalg.norm(rows, axis=1).mean()
    return WordVectors(words, rows.astype(np.float32))


def count_neighbors(
    sentences: list[list[str]], words: list[str], window: int, weight: Callable[[int], float]
) -> csr_array:
    """Counts of each word's neighbors, (words, words).

    Args:
        words: those that are counted; the others in the sentences only take up room.

    Raises UnavailableError: scikit-learn is not installed.
    """
    sparse = _require_sparse()
    places = {word: place for place, word in enumerate(words)}
    ids = np.fromiter((places.get(w, -1) for w in chain.from_iterable(sentences)), np.int64)
    numbers = np.repeat(np.arange(len(sentences)), [len(sentence) for sentence in sentences])
    total = sparse((len(words), len(words)), dtype=np.float64)
    for distance in range(1, window + 1):
        first, second = ids[:-distance], ids[distance:]
        near = (numbers[:-distance] == numbers[distance:]) & (first >= 0) & (second >= 0)
        weights = np.full(int(near.sum()), weight(distance))
        # The constructor adds up what it is given for one place.
        total = total + sparse((weights, (first[near], second[near])), shape=total.shape)
    return (total + total.T).tocsr()


def _positive_information(counts: csr_array) -> csr_array:
    """max(0, log p(word, neighbor) / (p(word) p(neighbor)))."""
    pairs = counts.tocoo()
    words: NDArray[np.float64] = np.asarray(counts.sum(1)).ravel()
    contexts = words**_SMOOTHING
    rows, columns = pairs.coords
    expected = words[rows] * contexts[columns] / contexts.sum()
    information = np.log(pairs.data / expected)
    positive = information > 0
    sparse = _require_sparse()
    return sparse((information[positive], (rows[positive], columns[positive])), shape=counts.shape)


def _require_sparse() -> type[csr_array]:
    with optional_package("scipy", "counting neighbors needs"):
        from scipy.sparse import csr_array
    return csr_array
