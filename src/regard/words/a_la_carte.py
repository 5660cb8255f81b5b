"""Vectors of new words beside those of a trained set, from the few sentences that the words are in.

Khodak et al. 2018, A La Carte Embedding: Cheap but Effective Induction of Semantic Feature Vectors,
equations 3 and 4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from regard.errors import BadArgumentError
from regard.words.cooccurrence import count_neighbors
from regard.words.segmentation import check_sizes, read_sentences
from regard.words.vectors import WordVectors


def extend_vectors(
    trained: WordVectors,
    texts: Iterable[str],
    *,
    words: Sequence[str] | None = None,
    window: int = 5,
    min_count: int = 5,
) -> WordVectors:
    """The trained vectors, unchanged, and after them those of the words that only a text has.

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
    """The matrix A (dim, dim) with the least Σ importance ‖vector − A mean‖²."""
    rows, dim = int((importance > 0).sum()), vectors.shape[1]
    if rows < dim:
        raise BadArgumentError(
            f"vectors of {dim} numbers need a text in which {dim:,} words or more have a vector and"
            f" occur twice or more; got {rows:,} such words: give more text."
        )
    roots = np.sqrt(importance)[:, None]
    fitted: NDArray[np.floating] = np.linalg.lstsq(means * roots, vectors * roots, rcond=None)[0]
    return fitted.T
