"""The result of translating a text, put together from those of its sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from regard.tasks.result import Float32, Result, Written, array, asked, inside
from regard.translation.passages import Passage, joined


@dataclass(frozen=True)
class Sentence(Result):
    """A sentence of a text, or a part of a long one, and its translation."""

    source: str
    translation: str
    score: float
    finished: bool
    long: bool = False  # longer than the model was trained for: in parts, or a guess


@dataclass(frozen=True)
class WrittenWord(Result):
    """A word of a translation."""

    text: str
    probability: float  # the model's own: the product of its tokens'
    unsure: bool  # the probability is below the model's `Calibration.unsure_below`


@dataclass(frozen=True)
class Translation(Written):
    """The translation of one text."""

    translation: str
    score: float  # the sum over its sentences
    finished: bool  # False where max_new_tokens cut it off, or it repeated itself
    tokens: list[str] = asked()
    words: list[WrittenWord] = asked()
    sentences: list[Sentence] = asked()
    alternatives: list[Translation] = asked()  # n best, this one first
    source_words: list[str] = asked("alignment")
    target_words: list[str] = asked("alignment")
    # (target words, source words)
    alignment: NDArray[np.float32] | None = array(list[list[Float32]] | None, default=None)
    ids: list[int] = inside(default_factory=list)  # as generated, the end included


def best(n_best: list[Translation]) -> Translation:
    return n_best[0].changed(alternatives=n_best)


def of_passage(passage: Passage, results: Sequence[Translation]) -> Translation:
    """Return a passage's result from those of its units, by the first that lose nothing."""
    ranks = list[Translation]()
    for rank in zip(*(result.alternatives for result in results), strict=False):
        text, used = passage.translated([each.text for each in rank])
        if not ranks:
            results = results[used]
        whole = _together(text, rank[used])
        if passage.stand_ins:
            words = [word.changed(text=passage.restored(word.text)) for word in whole.words]
            whole = whole.changed(words=words)
        ranks.append(whole)
    return _aligned(best(ranks), results, passage.restored)


def of_text(text: str, answered: Sequence[tuple[Passage, Translation]]) -> Translation:
    """Return a text's result from those of its passages.

    Each alternative joins those of its rank: the text's second best the second best of each.
    """
    ranks, results = list[Translation](), [result for _, result in answered]
    for rank in zip(*(result.alternatives for result in results), strict=False):
        sentences = [
            Sentence(each.source, result.text, result.score, result.finished, each.is_long)
            for (each, _), result in zip(answered, rank, strict=True)
        ]
        its = [passage for passage, _ in answered]
        whole = joined(text, zip(its, [each.text for each in rank], strict=True))
        ranks.append(_together(whole, rank).changed(sentences=sentences))
    return _aligned(best(ranks), results, str)


def _aligned(
    whole: Translation, results: Sequence[Translation], word: Callable[[str], str]
) -> Translation:
    """Return the whole with the words of its parts and their alignment, a block for each."""
    blocks = [each.alignment for each in results if each.alignment is not None]
    if not blocks:
        return whole
    return whole.changed(
        source_words=[word(text) for each in results for text in each.source_words],
        target_words=[word(text) for each in results for text in each.target_words],
        alignment=_block_diagonal(blocks),
    )


def _together(text: str, results: Sequence[Translation]) -> Translation:
    if len(results) == 1:
        return results[0].changed(translation=text)
    return Translation(
        text,
        sum(each.score for each in results),
        all(each.finished for each in results),
        tokens=[token for each in results for token in each.tokens],
        words=[word for each in results for word in each.words],
        ids=[id_ for each in results for id_ in each.ids],
    )


def _block_diagonal(blocks: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    whole = np.zeros(np.sum([block.shape for block in blocks], axis=0), dtype=np.float32)
    row = column = 0
    for block in blocks:
        whole[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return whole
