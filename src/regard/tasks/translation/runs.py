"""Runs of spans: where sentences end in one, and its parts."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from regard.progress import at_exit
from regard.tasks.translation.spans import RULES, Span

# Abbreviations that end no sentence, and what comes behind them.
_UNENDED = [
    (re.compile(rule, re.IGNORECASE), re.compile(next_)) for rule, next_ in RULES["unended"]
]
_ENDS = ".!?।"
_LINE_ENDS = re.compile(r"[\r\n]")
# A German ordinal, which ends no sentence: "im 19. Jahrhundert", "vom 2. bis 5. Mai".
_ORDINAL = re.compile(
    r"\b(?:d(?:e[rmns]|ie|as)|[ai]m|zu[mr]|vom|beim|(?:früh|spät|[ms]?ein|ihr|unser)e[nrms]?"
    r"|\d{1,2}\.(?:,| und| oder| bis))\s\d{1,2}\.\s*$",
    re.IGNORECASE,
)


def ends_of(text: str, run: Sequence[Span], language: str) -> list[int]:
    """Return the places in the text where its sentences end, within a run of spans."""
    plain, starts, spans_at = "", list[int](), list[Span]()
    for span in run:
        if span.kind != "mark":
            starts.append(len(plain))
            spans_at.append(span)
            length = span.end - span.begin
            fill = {"word": "X" + "x" * (length - 1), "number": "1" * length}
            plain += fill.get(span.kind) or _LINE_ENDS.sub(" ", text[span.begin : span.end])
    marks = {span.end: span.begin for span in run if span.kind == "mark"}
    ends, total = list[int](), 0
    for sentence in _segment(language, plain)[:-1]:
        total += len(sentence)
        before = plain[max(total - 40, 0) : total]
        if language == "de" and _ORDINAL.search(before):
            continue
        if any(rule.search(before) and next_.match(plain, total) for rule, next_ in _UNENDED):
            continue
        number = bisect_right(starts, total) - 1
        end = spans_at[number].begin + total - starts[number]
        while end in marks and text[marks[end] - 1].isspace():
            end = marks[end]  # what opens the next sentence
        ends.append(end)
    return ends


def _segment(language: str, text: str) -> list[str]:
    with at_exit.calling_back():  # where this imports a module written in Rust
        from sentencex import segment
    sentences: list[str] = segment(language, text)
    return sentences


def cut(run: Sequence[Span], places: Sequence[int]) -> Iterator[list[Span]]:
    """Yield the spans between places; text alone is cut within a span."""
    part, number = list[Span](), 0
    for span in run:
        while number < len(places) and places[number] < span.end:
            if span.kind == "text" and span.begin < places[number]:
                part.append(replace(span, end=places[number]))
                span = replace(span, begin=places[number])
            yield part
            part, number = [], number + 1
        part.append(span)
    yield part


def core(text: str, run: Sequence[Span]) -> tuple[Span, ...]:
    """Return a run without what can stay around it."""
    spans, first, last = list(run), 0, len(run) - 1
    pairs = dict[int, list[int]]()  # the places of marks that belong together
    for number, span in enumerate(run):
        if span.pair >= 0:
            pairs.setdefault(span.pair, []).append(number)
    while first <= last:
        for number in (first, last):
            sides = ("ZC" if number == first else "", "ZC" if number == last else "")
            spans[number] = trimmed(text, spans[number], *sides)
        begins, ends = spans[first], spans[last]
        partners = [[n for n in pairs.get(each.pair, ()) if first <= n <= last]
                    for each in (begins, ends)]  # fmt: skip
        if begins.begin == begins.end or _can_stay(text, begins, len(partners[0]), ""):
            first += 1
        elif ends.begin == ends.end or _can_stay(text, ends, len(partners[1]), _ENDS):
            last -= 1
        elif begins.kind == "mark" and partners[0] == [first, last]:
            first, last = first + 1, last - 1
        else:
            break
    return tuple(spans[first : last + 1])


def _can_stay(text: str, span: Span, partners: int, read: str) -> bool:
    """Return True for a mark without a partner, and for a sign by itself that is not to be read."""
    if span.kind == "sign":
        around = text[max(span.begin - 1, 0) : span.begin] + text[span.end : span.end + 1]
        return not around.strip() and text[span.begin : span.end] not in read
    return span.kind == "mark" and partners < 2


def trimmed(text: str, span: Span, before: str, after: str) -> Span:
    """Return a span of text without characters of these categories at its beginning and end."""
    begin, end = span.begin, span.end
    if span.kind == "text":
        while begin < end and unicodedata.category(text[begin])[0] in before:
            begin += 1
        while begin < end and unicodedata.category(text[end - 1])[0] in after:
            end -= 1
    return span if (begin, end) == (span.begin, span.end) else replace(span, begin=begin, end=end)
