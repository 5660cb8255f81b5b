"""The places, in a translation, of what stays in a sentence; and the signs that are like others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from regard.translation.spans import RULES, Span, pattern

# A word with its vowel signs, without punctuation around it.
_EDGE = f"(?:(?!{RULES['sign']}|[{re.escape(RULES['ordinary'])}])\\S)"
_WORD = re.compile(rf"{_EDGE}(?:\S*{_EDGE})?")
_B = RULES["boundary"]
_ALIKE = [(sign, others, re.compile(pattern(rule))) for sign, others, rule in RULES["alike"]]
_READ = {other: sign for sign, others, _ in _ALIKE for other in others}


def read_signs(text: str, copied: str) -> str:
    """Return a text with signs that the model copies in place of those like them."""
    if text.isascii():
        return text
    return text.translate({ord(o): s for o, s in _READ.items() if o not in copied})


def written_signs(answer: str, source: str) -> str:
    """Return a translation with the quotation marks and dashes of its source, in their order."""
    if source.isascii():
        return answer
    for sign, _, shape in _ALIKE:
        signs = shape.findall(source)
        if set(signs) - {sign}:
            answer = shape.sub(partial(_next, iter(signs)), answer)
    return answer


def _next(order: Iterator[str], match: re.Match[str]) -> str:
    return next(order, match[0])


@dataclass(frozen=True)
class Edit:
    """A slice of a translation, and what comes in its place."""

    begin: int
    end: int
    text: str
    span: Span


def edited(whole: str, edits: Iterable[Edit]) -> str | None:
    """Return a text with its edits; None where two cross, or nothing is between a mark and
    its partner."""
    text, place, opened = "", 0, list[Edit]()
    edits = sorted(edits, key=lambda edit: edit.begin)
    here = Counter(edit.span.pair for edit in edits if edit.span.pair >= 0)
    for edit in edits:
        span = edit.span
        if edit.begin < place:
            return None
        if span.pair == span.begin:
            opened.append(edit)
        elif span.pair >= 0:
            first = opened.pop() if opened else None
            if (first is None) != (here[span.pair] == 1):
                return None
            if first and (first.span.begin != span.pair or first.begin == edit.begin):
                return None
        text, place = text + whole[place : edit.begin] + edit.text, edit.end
    return text + whole[place:]


def only(words: str, text: str) -> tuple[int, int] | None:
    """Return the place of words that a text has once."""
    if not words:
        return None
    places = [
        match.span()
        for match in re.finditer(rf"(?<![{_B}]){re.escape(words)}(?![{_B}])", text, re.I)
    ]
    return places[0] if len(places) == 1 else None


def words_of(text: str) -> list[str]:
    """Return the words of a text."""
    return _WORD.findall(text)


def word_near(text: str, share: float, least: int) -> tuple[int, int]:
    """Return the place of the word that is about this far in a text, not before another place."""
    words = [match.span() for match in _WORD.finditer(text, least)] or [(len(text), len(text))]
    return min(words, key=lambda word: abs(word[0] - share * len(text)))


def beside(
    span: Span, text: str, neighbors: Sequence[str], whole: str, share: float, least: int
) -> Edit:
    """Return where a mark without a partner comes: beside the word that it is at, if the
    translation has it; else about as far in the sentence as before.

    Args:
        text: that the span is of.
        neighbors: the words before and after it.
    """
    sign = text[span.begin : span.end]
    before, after = text[span.begin - 1 : span.begin], text[span.end : span.end + 1]
    apart = before.isspace() and after.isspace()
    leads = apart or (not before.isalnum() and after.isalnum())
    anchors = [only(neighbor, whole) for neighbor in neighbors]
    if leads:
        at = anchors[1] or word_near(whole, share, least)
        if at == anchors[1] or not anchors[0]:
            return Edit(at[0], at[0], sign + (" " if after.isspace() else ""), span)
        at = anchors[0]
    else:
        at = anchors[0] or word_near(whole, share, least)
    return Edit(at[1], at[1], (" " if before.isspace() else "") + sign, span)
