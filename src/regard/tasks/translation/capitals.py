"""Texts in capitals, and titles: read in the letters of a sentence, and written as they came.

A translator has hardly met them in training, and copies them. The form of a word is that which the
vocabulary has in fewest pieces: "paris" in three pieces is a name, "door" in one is a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal

from regard.tasks.translation.spans import RULES, pattern

Case = Literal["", "upper", "title"]

_CASE = RULES["case"]
_WORD = re.compile(pattern(_CASE["word"]))
_SMALL: Mapping[str, frozenset[str]] = {
    language: frozenset(words.split()) for language, words in _CASE["small"].items()
}
_TYPED = re.compile(rf"(?<![\w'’/.@#-]){_WORD.pattern}(?![\w'’/@-]|\.\w)")
_DIGIT = re.compile(r"\.\s?\d")
_ABBREVIATION = re.compile(r"(?<!\w)([^\W\d_]{1,6})\.(?=\s?\d)")
_MEASURE = re.compile(
    r"(?<=\d)[ \u00a0\u202f]?([a-z](?:[a-z]{1,3}|\.m))(?:(\.\s*$)|\.|(?!\w))", re.IGNORECASE
)
_FEWEST = 3  # words of a title; of one in capitals, letters


def case_of(text: str, language: str) -> Case:
    """Return the case of a sentence that is mostly in capitals, or whose words all begin with one.

    >>> case_of("CLOSE THE DOOR.", "en"), case_of("The Door Is Closed", "en"), case_of("NASA", "en")
    ('upper', 'title', '')
    """
    if text.islower() or text[1:].islower():
        return ""
    words = [word for word in _WORD.findall(text) if word.lower() != word.upper()]
    long = [word for word in words if len(word) > 1]
    capitals = sum(word.isupper() for word in long)
    if 4 * capitals >= 3 * len(long) and sum(map(len, long)) > _FEWEST + (len(long) == 1):
        return "upper"
    small = _SMALL.get(language, frozenset())
    begun = sum(word[0].isupper() and word[1:].islower() for word in words)
    alike = all(word[0].isupper() or word in small for word in words[1:])
    is_title = begun >= _FEWEST and words[0][0].isupper() and alike
    return "title" if is_title and language not in _CASE["nouns"] else ""


@dataclass(frozen=True)
class Capitals:
    """The reading of a sentence in capitals, or of a title, and the writing of its translation.

    Args:
        pieces: the number of pieces of a word in the source's vocabulary, and what parts those of
            as many.
        terms: how words are written whatever their case, such as those of a glossary.
    """

    language: str
    pieces: Callable[[str], float] = len
    terms: Sequence[str] = ()

    def read(self, text: str, case: Case, *, first: bool) -> str:
        """Return a part of a sentence as the model reads it.

        Args:
            first: whether the sentence begins with it.
        """
        if not case:
            return text
        begin = match.start() if first and (match := _WORD.search(text)) else -1
        always = _CASE["always"].get(self.language, "").split()
        name = -1  # the end of a name

        def form(match: re.Match[str]) -> str:
            nonlocal name
            word, after = match[0], text[match.end() : match.end() + 2]
            small, large = word.lower(), word[0] + word[1:].lower()
            if match.start() == begin or (after[:1] == "." and after[1:].strip()):
                return large
            if any(form in (word, re.split("['’]", large)[0]) for form in always):
                return large
            # Of a surname all forms may be of as many pieces; else of an acronym.
            forms = [large, word, small] if match.start() == name + 1 else [word, small, large]
            best = min((x for x in forms if case == "upper" or x in (word, small)), key=self.pieces)
            name = -1 if best == small else match.end()
            return best

        read = _WORD.sub(form, text)
        return self._terms.sub(self._term, read) if self.terms else read

    def spelled(self, text: str) -> str:
        """Return a text with the abbreviations that are before or after a number as words, and what
        people type for others ("dont", "u") as those."""
        words = RULES["spelled"].get(self.language, {})
        if words and _DIGIT.search(text):
            text = _ABBREVIATION.sub(lambda match: words.get(match[1].lower(), match[0]), text)
        if measures := RULES["measured"].get(self.language, {}):
            text = _MEASURE.sub(partial(_measured, measures), text)
        if typed := RULES["typed"].get(self.language, {}):
            text = _TYPED.sub(partial(_written, typed), text)
        return text

    def written(self, answer: str, source: str, case: Case) -> str:
        """Return a translation in the case of its source."""
        if case == "upper":
            return answer.upper()
        if case != "title":
            return answer
        longest = max((len(word) for word in _WORD.findall(source) if word.islower()), default=0)
        begin = match.start() if (match := _WORD.search(answer)) else 0

        def form(match: re.Match[str]) -> str:
            is_small = len(match[0]) <= longest and match.start() != begin
            return match[0] if is_small else match[0][0].upper() + match[0][1:]

        return _WORD.sub(form, answer)

    @cached_property
    def _terms(self) -> re.Pattern[str]:
        longest = sorted(self.terms, key=len, reverse=True)
        return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)", re.IGNORECASE)

    def _term(self, match: re.Match[str]) -> str:
        return next(term for term in self.terms if term.lower() == match[0].lower())


def _measured(measures: Mapping[str, str], match: re.Match[str]) -> str:
    word = measures.get(match[1].lower())
    return f" {word}{match[2] or ''}" if word else match[0]


def _written(typed: Mapping[str, str], match: re.Match[str]) -> str:
    begins, word = match.start() == 0, match[0]
    if begins and word[1:].islower():
        written = typed.get(word.lower(), word)
        return written[0].upper() + written[1:] if word[0].isupper() else written
    return typed.get(word, word)
