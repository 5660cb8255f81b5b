"""A text as passages, each to be translated by itself: its sentences, without what stays as it is.

A passage is a slice of the text, so what lies between passages stays to the character: white space,
line ends, headings, lists, blocks of code. What stays inside one is a span. A passage with spans is
translated whole, with a name or a number in the place of each, and in fragments between them: where
the whole has lost one, or has it twice, the fragments are taken, which cannot lose any.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from regard.tasks.translation.passage import NOTHING, Passage, Reading, passage_of
from regard.tasks.translation.placing import ENDED
from regard.tasks.translation.runs import cut, ends_of
from regard.tasks.translation.spans import Span, lines, spans

# A text that is one sentence of plain words.
_SENTENCE = re.compile("L+(?:(?:,? |['’-])L+)*[.!?]?".replace("L", "[A-Za-z]"))


def passages(text: str, language: str, reading: Reading = NOTHING) -> Iterator[Passage]:
    """Yield the sentences of a text.

    Args:
        language: its code, such as "en", which says what an abbreviation is.
    """
    if _SENTENCE.fullmatch(text):  # as most are: what follows would take long to find the same
        yield Passage(text, (Span(0, len(text)),), reading=reading)
        return
    for begin, end in lines(text):
        run = list[Span]()
        for span in [
            *spans(text, begin, end, reading.copied, reading.letters),
            Span(end, end, "break"),
        ]:
            if span.kind != "break":
                run.append(span)
                continue
            for part in cut(run, ends_of(text, run, language)):
                if passage := passage_of(text, part, reading):
                    yield passage
            run = []


def joined(text: str, translations: Iterable[tuple[Passage, str]]) -> str:
    """Return a text with the translations of its passages in their places.

    Where one has lost its full stop, another does not follow in the same line without it.
    """
    whole, place, stop = "", 0, ""
    for passage, translation in translations:
        between = text[place : passage.begin]
        whole += (stop if between.isspace() and "\n" not in between else "") + between + translation
        ended, place = ENDED.search(passage.source), passage.end
        stop = ended[1] if ended and translation and not ENDED.search(translation) else ""
    return whole + text[place:]
