"""Training word vectors on a text: words are similar if they occur among the same words.

Mikolov et al. 2013, Distributed Representations of Words and Phrases: skip-gram with negative
sampling and subsampling of frequent words, by gensim.
"""

from __future__ import annotations

import logging
import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from regard.errors import BadArgumentError, optional_package
from regard.words.segmentation import check_sizes, read_sentences
from regard.words.vectors import WordVectors


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
    word2vec = _require_gensim()
    # gensim tells of small corpora in its log, which would appear among what a command says.
    logging.getLogger("gensim").setLevel(logging.ERROR)
    model = word2vec(
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


def _require_gensim() -> Any:
    with optional_package("gensim", "training word vectors needs"):
        from gensim.models import Word2Vec
    return Word2Vec
