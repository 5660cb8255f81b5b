"""The places, in a translation, of what stays in a sentence; and the signs that are like others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial

from regard.tasks.translation.spans import RULES, Span, one_of, pattern

# A word with its vowel signs, without punctuation around it.
_EDGE = f"(?:(?!{RULES['sign']}|[{re.escape(RULES['ordinary'])}])\\S)"
_WORD = re.compile(rf"{_EDGE}(?:\S*{_EDGE})?")
_B = RULES["boundary"]
_READ = {other: signs for signs, others, *_ in RULES["alike"] for other in others}
_RUNS = [(signs, re.compile(pattern(run))) for signs, _, _, run in RULES["alike"]]
_SHAPES = [(signs, re.compile(pattern(shape))) for signs, _, shape, _ in RULES["alike"]]
_ANY_RUN = re.compile(r"[!-/:;?@]{2}|&|\s-")
_SPACED = re.compile(pattern(RULES["spaced"]))
_TIGHT = re.compile(pattern(RULES["tight"]))
_WRAPS = re.compile(r"[^\S\n]*\r?\n\s*")
ENDED = re.compile(r"([.!?…।])[^\w\s]*$")


@cache
def _invisible(letters: str) -> re.Pattern[str]:
    return re.compile(pattern(RULES["invisible"], LETTERS=one_of(letters)))


def read_signs(text: str, copied: str, letters: str = "") -> str:
    """Return a text with signs that the model copies in place of those like them, a sign in place
    of its runs, and nothing that is invisible.

    Args:
        letters: of the language beyond ASCII, which may be joined by what is invisible.
    """
    if not (text.isascii() and text.isprintable()):
        text = _invisible(letters).sub("", text)
    if _ANY_RUN.search(text):
        for signs, run in _RUNS:
            if signs[0] in copied + RULES["ordinary"]:
                text = run.sub(partial(_one, signs), text)
    text = _SPACED.sub("", text)
    if text.isascii():
        return text
    text = _TIGHT.sub(r" \g<0> ", text)
    return text.translate({ord(o): s for o, s in _READ.items() if o not in copied})


def written_signs(answer: str, source: str) -> str:
    """Return a translation with the quotation marks, the dashes and the runs of a sign of its
    source, in their order."""
    if source.isascii() and not _ANY_RUN.search(source):
        return answer
    for signs, shape in _SHAPES:
        order = shape.findall(source)
        if set(order) - set(signs):
            answer = shape.sub(partial(_next, iter(order)), answer)
    return answer


def signs_like(text: str, begin: int, end: int) -> re.Pattern[str]:
    """Return the shape of a sign of a text, and of those that a translator writes for it."""
    alike = ((shape, shape.match(text, begin)) for _, shape in _SHAPES)
    literal = re.compile(re.escape(text[begin:end]))
    return next((shape for shape, match in alike if match and match.end() == end), literal)


def _one(signs: str, run: re.Match[str]) -> str:
    return next((sign for sign in signs if sign in run[0]), signs[0])


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
    spots = places(words, text)
    return spots[0] if len(spots) == 1 else None


def places(words: str, text: str) -> list[tuple[int, int]]:
    """Return the places of words in a text."""
    if not words:
        return []
    before, after = rf"(?<![{_B}])", rf"(?![{_B}])"  # a letter; words may begin with a sign
    alone = rf"(?:{before}|{after}){_spaced(words)}(?:{after}|{before})"
    return [match.span() for match in re.finditer(alone, text, re.IGNORECASE)]


def _spaced(words: str) -> str:
    """Return the expression of some words, with or without a space before a percent sign."""
    return re.sub(r"(?:\\ )?%", r"\\s?%", re.escape(words))


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


def alike(source: str, answer: str) -> str:
    """Return the translation of a part of a sentence, which ends as the part does."""
    if ENDED.search(source):
        return answer
    mark = source[-1:] if source[-1:] in (",", ";", ":") else ""
    added = {".", "।", mark, *({"!", "?"} - set(source))}
    return answer.rstrip("".join(added)) + mark


def wrapped(source: str, answer: str) -> str:
    """Return a translation with the line ends of its source, at about their places."""
    for match in _WRAPS.finditer(source):
        near = len(answer) * match.start() // len(source)
        spaces = [place for place, character in enumerate(answer) if character == " "]
        if spaces:
            place = min(spaces, key=lambda place: abs(place - near))
            answer = answer[:place] + match[0] + answer[place + 1 :]
    return answer
