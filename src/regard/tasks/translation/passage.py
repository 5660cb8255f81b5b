"""A passage: a sentence of a text, as a model reads it and as its translation is put together."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import unescape

from regard.tasks.translation.capitals import Capitals, Case, case_of
from regard.tasks.translation.placing import (
    Edit,
    alike,
    beside,
    edited,
    only,
    places,
    read_signs,
    signs_like,
    word_near,
    words_of,
    wrapped,
    written_signs,
)
from regard.tasks.translation.runs import core, cut, trimmed
from regard.tasks.translation.spans import RULES, Span

# Words that translators copy, in place of spans: `benchmarks/paragraphs.py` counts the copies.
STAND_INS: dict[str, list[str]] = RULES["stand_ins"]
_CLOSING = tuple(".,;:!?…)")
_INSTEAD: dict[str, dict[str, str]] = RULES["instead"]
_UNIT = re.compile(RULES["kept_unit"])
_GENITIVE = re.compile(r"['’]s\b")
_ENTITY = re.compile(r"&#?\w+;")
# Where a sentence can be parted, the best places first; and where it has no clauses.
_CLAUSES = [
    re.compile(r"(?<=[;:।])\s+|\s+(?=[–—]\s)"),
    re.compile(r"(?<=,)\s+(?=(?:and|but|or|so|because|which|who|while|und|aber|oder|denn|weil|dass|"
               r"और|लेकिन|कि)\b)"),
    re.compile(r"(?<=,)\s+"),
]  # fmt: skip
_ANYWHERE = [
    re.compile(r"\s+(?=(?:and|but|or|that|which|who|und|aber|oder|और|कि)\b)"),
    re.compile(r"\s+"),
]


@dataclass(frozen=True)
class Reading:
    """The ways in which a model reads and writes what it has not learned.

    Args:
        capitals: how capitals are read; None: as they are.
        copied: the signs that it copies; None: it is not known, and all are left to it.
        letters: of its language beyond ASCII; None: they are not known, and all are left to it.
    """

    capitals: Capitals | None = None
    copied: str | None = None
    letters: str | None = None


NOTHING = Reading()


@dataclass(frozen=True)
class Passage:
    """A sentence of a text, or a part of one that is too long to be translated at once."""

    text: str  # all of it
    spans: tuple[Span, ...]
    is_long: bool = False  # longer than a model was trained for, or a part of such a sentence
    reading: Reading = NOTHING

    @cached_property
    def begin(self) -> int:
        return self.spans[0].begin

    @cached_property
    def end(self) -> int:
        return self.spans[-1].end

    @cached_property
    def source(self) -> str:
        return self.text[self.begin : self.end]

    @cached_property
    def case(self) -> Case:
        """Return the case of the sentence, of what is translated of it."""
        if (capitals := self.reading.capitals) is None:
            return ""
        texts = (self._of(span) for span in self.spans if span.kind == "text")
        return case_of(" ".join(texts), capitals.language)

    @cached_property
    def stand_ins(self) -> dict[Span, str]:
        """Return the word that the model reads for each span to be kept; a mark is left out."""
        others, source = [s for s in self.spans if s.kind not in ("text", "sign")], self.source
        if not others:
            return {}
        free = {
            kind: iter([each for each in words if each not in source])
            for kind, words in STAND_INS.items()
        }
        stand_ins = dict[Span, str]()
        for span in others:
            own = self._of(span)
            unit = _UNIT.search(own) if span.kind == "number" else None
            stand_ins[span] = (
                unescape(own)
                if _ENTITY.fullmatch(own)
                else next(free.get(span.kind, iter(())), self._instead(own))
                + (unit[0] if unit else "")
            )
        return stand_ins

    def _instead(self, own: str) -> str:
        """Return the word of the language that a mark is read as, if there is one."""
        words, capitals = _INSTEAD.get(own, {}), self.reading.capitals
        return words.get(capitals.language if capitals else "", "")

    @cached_property
    def fragments(self) -> list[Span]:
        """Return the parts to translate between the others, without punctuation around them."""
        inside = [
            trimmed(
                self.text, self._bare(span), "PSZCM", "ZC" if span is self.spans[-1] else "PSZC"
            )
            for span in self.spans
            if span.kind == "text"
        ]
        return [span for span in inside if any(map(str.isalpha, self._of(span)))]

    def _bare(self, span: Span) -> Span:
        """Return a span without the genitive's 's of what stays before it."""
        if span is self.spans[0] or not (genitive := _GENITIVE.match(self.text, span.begin)):
            return span
        return replace(span, begin=genitive.end())

    @cached_property
    def units(self) -> list[str]:
        """Texts that a model translates for it: the whole, and fragments if anything stays."""
        whole, part = "", "a"
        for number, span in enumerate(self.spans):
            is_apart = not part
            part = self.stand_ins.get(span, self._cased(span, first=not number))
            is_apart &= part.startswith(_CLOSING)  # from its word, by what was left out
            whole = (whole.rstrip() if is_apart else whole) + part
        whole = self._signed(whole)
        whole = self.reading.capitals.spelled(whole) if self.reading.capitals else whole
        if not self.stand_ins:
            return [whole]
        parts = (self._cased(part, first=not k) for k, part in enumerate(self.fragments))
        return [whole, *map(self._signed, parts)]

    def translated(self, answers: Sequence[str]) -> tuple[str, slice]:
        """Return the translation, and which of the units' answers it is made of."""
        answers = [self.written(answer) for answer in answers]
        text = self._of_whole(answers[0], answers[1:])
        used = slice(0, 1)
        if text is None:
            return self._of_fragments(answers[1:], self._of), slice(1, None)
        return wrapped(self.source, alike(self.source, text)), used

    def stood_for(self, answers: Sequence[str]) -> str:
        """Return the translation as the model would have written it, with its stand-ins."""
        _, used = self.translated(answers)
        if used.start == 0:
            return answers[0]
        return self._of_fragments(
            answers[1:], lambda span: self.stand_ins.get(span, self._of(span))
        )

    @property
    def restorations(self) -> dict[str, str]:
        """Return what stands in the text, by the word in its place."""
        standing = {word: self._of(span) for span, word in self.stand_ins.items() if word}
        return {word: text for word, text in standing.items() if text not in _INSTEAD}

    def restored(self, words: Sequence[str], text: str) -> list[str]:
        """Return the words of the whole, or of its translation, as the text with them has them."""
        if len(written := text.split()) == len(words):
            return written
        return list(map(self._restored, words))

    def _restored(self, word: str) -> str:
        before = word
        for stand_in, span in self.restorations.items():
            word = word.replace(stand_in, span)
        return self.written(word) if word == before else word

    def written(self, answer: str) -> str:
        """Return an answer, or a word of it, in the case and with the signs of the source."""
        capitals, copied = self.reading.capitals, self.reading.copied
        answer = capitals.written(answer, self.source, self.case) if capitals else answer
        return answer if copied is None else written_signs(answer, self.source)

    def _of(self, span: Span) -> str:
        return self.text[span.begin : span.end]

    def _cased(self, span: Span, *, first: bool) -> str:
        """Return a span in the letters that the model reads."""
        text, capitals = self._of(span), self.reading.capitals
        return capitals.read(text, self.case, first=first) if capitals else text

    def _signed(self, text: str) -> str:
        """Return a text with the signs that the model reads."""
        copied = self.reading.copied
        return text if copied is None else read_signs(text, copied, self.reading.letters or "")

    def _of_fragments(self, answers: Sequence[str], text_of: Callable[[Span], str]) -> str:
        """Return the translations of the fragments, with what `of` gives for the other spans."""
        text, translations = "", iter(zip(self.fragments, answers, strict=True))
        fragment, answer = next(translations, (None, ""))
        for span in self.spans:
            if not fragment or not (span.begin <= fragment.begin and fragment.end <= span.end):
                text += text_of(span)
                continue
            source = self._of(fragment)
            text += self.text[span.begin : fragment.begin]
            text += wrapped(source, alike(source, answer)) + self.text[fragment.end : span.end]
            fragment, answer = next(translations, (None, ""))
        return text

    def _of_whole(self, whole: str, answers: Sequence[str]) -> str | None:
        """Return the translation of the whole with all that stays; None where a word is lost.

        What is marked is where its own translation is, else about as far in the sentence as before.
        """
        edits = list[Edit]()
        translations = dict(zip(self.fragments, answers, strict=False))
        at = opened = 0  # how far the spans so far go in the unit; where the last mark was put
        for number, span in enumerate(self.spans):
            stand_in = self.stand_ins.get(span, self._of(span))
            share, at = at / len(self.units[0]), at + len(stand_in)
            if span.kind in STAND_INS:
                if not (edit := self._restoration(span, whole)):
                    return None
                edits.append(edit)
            elif span.kind == "mark" and span.pair >= 0:
                begins = span.pair == span.begin
                inward = self.spans[number + 1 :] if begins else self.spans[number - 1 :: -1]
                inside = next((each for each in inward if each.kind != "mark"), span)
                marked = self.stand_ins.get(inside) or next(
                    (
                        alike(self._of(each), translation)
                        for each, translation in translations.items()
                        if inside.begin <= each.begin and each.end <= inside.end
                    ),
                    "",
                )
                near = only(marked, whole) or word_near(whole, share, opened)
                opened = near[0] if begins else near[1]
                edits.append(Edit(opened, opened, self._of(span), span))
            elif span.kind == "mark" or (span.kind == "sign" and self._is_lost(number, whole)):
                edits.append(self._sign(number, whole, share, opened))
        return edited(whole, edits) if edits else whole

    def _restoration(self, span: Span, whole: str) -> Edit | None:
        """Return the place of the word or number that stands for a span; None: it is lost."""
        stand_in, own = self.stand_ins[span], self._of(span)
        if place := only(stand_in, whole):
            begin, end = place
            # Translators write a number as an ordinal, which has a point in German.
            is_point = (
                span.kind == "number" and whole[end : end + 1] == "." != self.text[span.end :][:1]
            )
            return Edit(begin, end + (is_point and bool(whole[end + 1 :].strip())), own, span)
        if _GENITIVE.match(self.text, span.end) and (place := only(f"{stand_in}s", whole)):
            return Edit(*place, own + ("’" if own.endswith(tuple("sxzß")) else "s"), span)
        return None

    def _sign(self, number: int, whole: str, share: float, least: int) -> Edit:
        """Return where a mark without a partner, or a sign that the model left out, comes."""
        span = self.spans[number]
        if stand_in := self.stand_ins.get(span):
            before = "".join(self.stand_ins.get(s, self._of(s)) for s in self.spans[:number])
            rank = len(places(stand_in, before))
            for written in _INSTEAD.get(self._of(span), {"": stand_in}).values():
                if standing := places(written, whole)[: rank + 1]:
                    return Edit(*standing[-1], self._of(span), span)
        sides = self.text[self.begin : span.begin], self.text[span.end : self.end]
        words = words_of(sides[0])[-1:] or [""], words_of(sides[1])[:1] or [""]
        for place, way in ((number - 1, 0), (number + 1, 1)):
            if 0 <= place < len(self.spans) and (word := self.stand_ins.get(self.spans[place])):
                words[way][0] = word
        return beside(span, self.text, [words[0][0], words[1][0]], whole, share, least)

    def _is_lost(self, number: int, whole: str) -> bool:
        """Return True for the last of equal signs of which the translation has fewer; of quotation
        marks and brackets in pairs, a translator may leave out both."""
        sign, paired = self.spans[number], RULES["paired"]
        if self._of(sign) in paired and sum(map(self.source.count, paired)) % 2 == 0:
            return False
        shape = signs_like(self.source, sign.begin - self.begin, sign.end - self.begin)
        read = [span for span in self.spans if span.kind in ("text", "sign")]
        signs = [self.begin + match.start() for match in shape.finditer(self.source)]
        signs = [k for k in signs if any(span.begin <= k < span.end for span in read)]
        after = sum(span.begin in signs for span in self.spans[number:] if span.kind == "sign")
        return len(shape.findall(whole)) <= len(signs) - after

    def halves(self, *, anywhere: bool = False) -> tuple[Passage, Passage] | None:
        """Return the two parts that it can be parted into, at the best place; None: nowhere.

        Args:
            anywhere: also between two words that belong together.
        """
        middle, least = (self.begin + self.end) // 2, (self.end - self.begin) // 8
        for clause in [*_CLAUSES, *(_ANYWHERE if anywhere else ())]:
            places = [
                match.end()
                for span in self.spans
                if span.kind == "text"
                for match in clause.finditer(self.text, span.begin, span.end)
                if self.begin + least <= match.end() <= self.end - least
            ]
            for place in sorted(places, key=lambda place: abs(place - middle)):
                parts = cut(self.spans, [place])
                first, second = (passage_of(self.text, part, self.reading) for part in parts)
                if first and second:
                    return replace(first, is_long=True), replace(second, is_long=True)
        return None


def passage_of(text: str, run: Sequence[Span], reading: Reading) -> Passage | None:
    """Return the passage of a run, without what can stay around it; None: all of it can."""
    passage = Passage(text, core(text, run), reading=reading)
    return passage if passage.spans and passage.fragments else None
