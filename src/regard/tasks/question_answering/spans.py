"""The parts of a text that could be an answer, with the probability of each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class TokenPair:
    """A question with its context, token by token."""

    ids: list[int]
    token_type_ids: list[int]
    texts: list[int | None]  # 0 of the question, 1 of the context, None of special tokens
    words: list[tuple[int, int]]  # where the token's word lies in its text, or the token itself

    @classmethod
    def of(cls, encoding: Encoding, *, whole_words: bool = True) -> Self:
        """Take each list of the encoding once: reading one of its properties copies the list."""
        texts, offsets = encoding.sequence_ids, encoding.offsets
        if not whole_words:
            return cls(encoding.ids, encoding.type_ids, texts, offsets)
        numbers = encoding.word_ids
        places: dict[int, tuple[int, int]] = {}  # of the context's words, by their numbers
        for text, number, (start, end) in zip(texts, numbers, offsets, strict=True):
            if text == 1 and number is not None:
                places[number] = (places.get(number, (start, end))[0], end)
        words = [
            places[number] if text == 1 and number is not None else offset
            for text, number, offset in zip(texts, numbers, offsets, strict=True)
        ]
        return cls(encoding.ids, encoding.type_ids, texts, words)


@dataclass(frozen=True)
class Span:
    """A part of the searched text: `text[start:end]`."""

    start: int
    end: int
    score: float
    margin: float = 0.0  # the sum of its two logits above that of "no answer"


def best_spans(
    pair: TokenPair,
    context: str,
    windows: Sequence[Sequence[int]],
    logits: Sequence[NDArray[np.float32]],
    *,
    top_k: int,
    longest: int,
    or_none: bool = False,
    threshold: float | None = None,
) -> list[Span]:
    """Return the `top_k` best spans of all windows, best first.

    Args:
        pair: question and context.
        windows: the positions of each one's tokens in `pair`.
        logits: of each window's tokens to be an answer's first and last, (tokens, 2).
        longest: tokens of a span, at most.
        or_none: the empty span is one of them, as likely as the window finds it that doubts most.
        threshold: the empty span is the best one exactly if the margin of the best other span is
            at most this (Devlin et al. 2019, section 4.3); None ranks it by its probability.
    """
    found: dict[tuple[int, int], tuple[float, float]] = {}  # score, sum of logits
    nothing, doubt = 1.0, np.inf
    for window, both in zip(windows, logits, strict=True):
        inside, first, last, none = probabilities(pair.texts, window, both)
        nothing = min(nothing, none)
        rows = [row for row, position in enumerate(window) if pair.texts[position] == 1]
        # Without a special token in front, the question's first token stands for "no answer".
        doubt = min(doubt, float(both[0].sum()) if pair.texts[window[0]] != 1 else -np.inf)
        mine: dict[tuple[int, int], tuple[float, float]] = {}
        for k, n, score in ranked(first, last, longest):
            start, end = characters(pair.words, context, inside[k], inside[n])
            if start < end:
                mine.setdefault((start, end), (score, float(both[rows[k], 0] + both[rows[n], 1])))
            if len(mine) == top_k:
                break
        for place, scored in mine.items():
            found[place] = max(scored, found.get(place, (0.0, 0.0)))
    spans = [Span(*place, score, logits - doubt) for place, (score, logits) in found.items()]
    spans = sorted(spans, key=lambda span: -span.score)[:top_k]
    if not or_none:
        return spans
    empty = Span(0, 0, nothing)
    if threshold is None:
        return sorted([*spans, empty], key=lambda span: -span.score)[:top_k]
    refused = not spans or spans[0].margin <= threshold
    return [empty, *spans][:top_k] if refused else spans


def probabilities(
    texts: Sequence[int | None], window: Sequence[int], logits: NDArray[np.float32]
) -> tuple[list[int], Numbers, Numbers, float]:
    """Return the context's tokens in a window, how likely each is an answer's first and its last,
    and how likely the first special token is both: that there is no answer."""
    inside = [k for k, position in enumerate(window) if texts[position] == 1]
    special = [0] if texts[window[0]] is None else []
    kept = logits[special + inside].astype(np.float64)
    powers = np.exp(kept - kept.max(0))
    first, last = (powers / powers.sum(0)).T
    none = float(first[0] * last[0]) if special else 0.0
    return [window[k] for k in inside], first[len(special) :], last[len(special) :], none


def ranked(first: Numbers, last: Numbers, longest: int) -> Iterator[tuple[int, int, float]]:
    """Every span of at most `longest` tokens as (its first, its last, first · last), best first."""
    spans = [
        (score, k, k + more)
        for more in range(min(longest, len(first)))
        for k, score in enumerate((first[: len(first) - more] * last[more:]).tolist())
    ]
    for score, start, end in sorted(spans, key=lambda span: -span[0]):
        yield start, end, score


def characters(
    words: Sequence[tuple[int, int]], context: str, first: int, last: int
) -> tuple[int, int]:
    """Place in the context of the words of two tokens, from the one's start to the other's end."""
    start, end = words[first][0], words[last][1]
    while start < end and context[start].isspace():  # some tokens begin with the space before them
        start += 1
    return start, end
