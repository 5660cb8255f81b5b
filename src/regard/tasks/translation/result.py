"""The result of translating a text, put together from those of its sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.engine.result import Float32, Result, Written, array, asked, inside
from regard.tasks.translation.passage import Passage
from regard.tasks.translation.passages import joined


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
    language_doubt: bool = False  # the text seems to be in another language than the model reads
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


def of_passage(passage: Passage, units: Sequence[list[Translation]]) -> list[Translation]:
    """Return the n best of a passage from those of its units, by the first that lose nothing."""
    n_best = list[Translation]()
    for rank in zip(*units, strict=False):
        text, used = passage.translated([each.text for each in rank])
        whole = _together(text, rank[used])
        if passage.units != [passage.source]:
            whole = whole.changed(**_restored(whole, passage))
        n_best.append(whole)
    return n_best


def of_text(text: str, answered: Sequence[tuple[Passage, list[Translation]]]) -> Translation:
    """Return a text's result from the n best of its passages.

    Each alternative joins those of its rank: the text's second best the second best of each.
    """
    n_best, its = list[Translation](), [passage for passage, _ in answered]
    for rank in zip(*(found for _, found in answered), strict=False):
        sentences = [
            Sentence(passage.source, result.text, result.score, result.finished, passage.is_long)
            for passage, result in zip(its, rank, strict=True)
        ]
        whole = joined(text, zip(its, [each.text for each in rank], strict=True))
        n_best.append(_together(whole, rank, sentences=sentences))
    return best(n_best)


def _restored(whole: Translation, passage: Passage) -> dict[str, Any]:
    """Return the words of a passage's result as its text and its translation have them."""
    texts = passage.restored([word.text for word in whole.words], whole.text)
    words = [word.changed(text=text) for word, text in zip(whole.words, texts, strict=True)]
    return {
        "words": words,
        "source_words": passage.restored(whole.source_words, passage.source),
        "target_words": passage.restored(whole.target_words, whole.text),
    }


def _together(text: str, results: Sequence[Translation], **more: Any) -> Translation:
    """Return the result of a text from those of its parts, whose alignments are blocks of its."""
    blocks = [each.alignment for each in results if each.alignment is not None]
    if blocks:
        more["source_words"] = [word for result in results for word in result.source_words]
        more["target_words"] = [word for result in results for word in result.target_words]
        more["alignment"] = _block_diagonal(blocks)
    if len(results) == 1:
        return results[0].changed(translation=text, **more)
    return Translation(
        text,
        sum(each.score for each in results),
        all(each.finished for each in results),
        tokens=[token for each in results for token in each.tokens],
        words=[word for each in results for word in each.words],
        ids=[id_ for each in results for id_ in each.ids],
        **more,
    )


def _block_diagonal(blocks: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    whole = np.zeros(np.sum([block.shape for block in blocks], axis=0), dtype=np.float32)
    row = column = 0
    for block in blocks:
        whole[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return whole
