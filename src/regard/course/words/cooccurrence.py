"""Word vectors by counting which words stand together: what is best where text is short.

Levy, Goldberg and Dagan 2015, Improving Distributional Similarity: positive pointwise mutual
information, factorized. Skip-gram factorizes the same matrix (Levy and Goldberg 2014).
"""

from __future__ import annotations

import logging
import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from regard.course.words.segmentation import check_sizes, read_sentences
from regard.course.words.vectors import WordVectors
from regard.errors import BadArgumentError
from regard.packages import optional_package

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
    """Count of each word's neighbors, (words, words).

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


def train_vectors(
    texts: Iterable[str],
    *,
    dim: int = 100,
    window: int = 5,
    min_count: int = 5,
    epochs: int = 10,
    negatives: int = 5,
    subsample: float = 1e-3,
    learning_rate: float = 0.025,
    seed: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> WordVectors:
    """Word vectors of the words that a text has often enough, the most frequent first.

    One thread computes, so the same texts and seed give the same numbers. The words of all texts
    stay in memory, as references of 8 bytes.

    Args:
        texts: sentences or paragraphs; no word is seen together with those of another text.
        window: words on either side that are predicted, at most.
        min_count: a word that occurs less often gets no vector.
        negatives: words drawn at random for each word that is really there.
        subsample: the t of equation 5: words more frequent than this share are often passed over.
        learning_rate: at the beginning; it falls in a line to nearly nothing.
        progress: called with texts read so far and those to read in all.
    """
    check_sizes(dim=dim, window=window, min_count=min_count, epochs=epochs, negatives=negatives)
    if not 0 <= seed < 2**32:  # what numpy takes
        raise BadArgumentError(f"seed must be from 0 to {2**32 - 1}; got {seed}.")
    for name, number in (("subsample", subsample), ("learning_rate", learning_rate)):
        if not 0 <= number < math.inf:
            raise BadArgumentError(f"{name} must be a number of at least 0; got {number}.")
    sentences = read_sentences(texts, min_count)
    # A file sorted by length or by subject would be learned one after the other.
    random.Random(seed).shuffle(sentences)
    with optional_package("gensim", "training word vectors needs"):
        from gensim.models import Word2Vec
    # gensim tells of small corpora in its log, which would appear among what a command says.
    logging.getLogger("gensim").setLevel(logging.ERROR)
    model = Word2Vec(
        _Read(sentences, progress, (epochs + 1) * len(sentences)),  # once more for the vocabulary
        vector_size=dim,
        window=window,
        min_count=min_count,
        epochs=epochs,
        sg=1,
        negative=negatives,
        sample=subsample,
        alpha=learning_rate,
        seed=seed,
        workers=1,
    )
    return WordVectors(list(model.wv.index_to_key), np.asarray(model.wv.vectors, np.float32))


class _Read:
    """Sentences that may be read again and again, and that tell how far they are read."""

    def __init__(
        self, sentences: Sequence[list[str]], progress: Callable[[int, int], None], total: int
    ) -> None:
        self.sentences, self.progress, self.total, self.done = sentences, progress, total, 0

    def __iter__(self) -> Iterator[list[str]]:
        for sentence in self.sentences:
            self.done += 1
            if self.done % 1000 == 0 or self.done == self.total:
                self.progress(self.done, self.total)
            yield sentence


def extend_vectors(
    trained: WordVectors,
    texts: Iterable[str],
    *,
    words: Sequence[str] | None = None,
    window: int = 5,
    min_count: int = 5,
) -> WordVectors:
    """Return the trained vectors, unchanged, and after them those of the words that only a text
    has.

    With u_w the mean of the vectors of all neighbors of w in the text, and c_w how often w is
    there,

        A = argmin Σ_w log(c_w) ‖v_w − A u_w‖²    over the words w that have a vector v_w  (3)
        v_f = A u_f                                for a new word f                         (4)

    A word of a few sentences gets a vector of its few neighbors: where it is to be relied on, look
    at what lies near it.

    Args:
        texts: sentences or paragraphs; no word is seen together with those of another text.
        words: only these new words; all where it is None.
        window: words on either side that are neighbors.
        min_count: a new word that occurs less often gets no vector.

    Returns:
        The new words in small letters, the most frequent first.
    """
    check_sizes(window=window, min_count=min_count)
    sentences = read_sentences(texts, min_count)
    counts = Counter(chain.from_iterable(sentences))
    shared = [word for word in counts if word in trained]
    new = _new_words(trained, counts, words, min_count)
    neighbors = count_neighbors(sentences, [*shared, *new], window, lambda distance: 1)
    neighbors = neighbors[:, : len(shared)]
    has_any = np.asarray(neighbors.sum(1)).ravel()
    vectors = trained.rows(shared).astype(np.float64)
    means = (neighbors @ vectors) / np.maximum(has_any, 1)[:, None]

    importance = np.log([counts[word] for word in shared]) * (has_any[: len(shared)] > 0)
    matrix = _fit(means[: len(shared)], vectors, importance)
    reached = has_any[len(shared) :] > 0
    if not reached.all() and (words is not None or not reached.any()):
        word = new[int(np.argmin(reached))]
        raise BadArgumentError(
            f"{word!r} stands beside no word that has a vector: give more text, or a wider window."
        )
    induced = (means[len(shared) :][reached] @ matrix.T).astype(np.float32)
    added = [word for word, is_reached in zip(new, reached, strict=True) if is_reached]
    return WordVectors([*trained.words, *added], np.concatenate([trained.vectors, induced]))


def _new_words(
    trained: WordVectors, counts: Counter[str], words: Sequence[str] | None, min_count: int
) -> list[str]:
    """Words that get a vector, the most frequent first."""
    if words is None:
        new = [w for w, count in counts.most_common() if count >= min_count and w not in trained]
        if new:
            return new
        raise BadArgumentError(
            f"every word that occurs {min_count} times or more in this text has a vector already:"
            " give other text, or a smaller min_count."
        )
    chosen = list(dict.fromkeys(word.lower() for word in words))
    for word in chosen:
        if word in trained:
            raise BadArgumentError(f"{word!r} has a vector already: leave it out.")
        if counts[word] < min_count:
            raise BadArgumentError(
                f"a new word must occur {min_count} times or more in the text; {word!r} occurs"
                f" {counts[word]} times: give more text, or a smaller min_count."
            )
    return sorted(chosen, key=lambda word: -counts[word])


def _fit(
    means: NDArray[np.float64], vectors: NDArray[np.float64], importance: NDArray[np.float64]
) -> NDArray[np.floating]:
    """Return the matrix A (dim, dim) with the least Σ importance ‖vector − A mean‖²."""
    rows, dim = int((importance > 0).sum()), vectors.shape[1]
    if rows < dim:
        raise BadArgumentError(
            f"vectors of {dim} numbers need a text in which {dim:,} words or more have a vector and"
            f" occur twice or more; got {rows:,} such words: give more text."
        )
    roots = np.sqrt(importance)[:, None]
    fitted: NDArray[np.floating] = np.linalg.lstsq(means * roots, vectors * roots, rcond=None)[0]
    return fitted.T
