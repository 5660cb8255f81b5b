"""Parts of a text that no model translates: markup, addresses, code, placeholders, numbers, signs.

A span is a slice of the text, so what stays, stays to the character. The patterns are data, in
`rules.json`, which the page reads as well.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

Kind = Literal["text", "word", "number", "mark", "sign", "break"]


@dataclass(frozen=True)
class Span:
    """A slice of a text.

    A word or a number has a place in a sentence, where another word or number can stand for it. A
    mark is at the beginning or the end of what it marks, or between two words, and is not read by
    the model; a sign is read by it. A break is between two sentences.
    """

    begin: int
    end: int
    kind: Kind = "text"
    pair: int = -1  # of a mark with a partner: the beginning of the first of the two


RULES: dict[str, Any] = json.loads(Path(__file__).with_name("rules.json").read_text("utf-8"))
_PART = re.compile(r"\{\{([A-Z]+)\}\}")
_NONE = "(?!)"
_LAYOUT = re.compile(RULES["layout"], re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_KINDS: dict[str, Kind] = {
    "word": "word", "number": "number", "break": "break", "sign": "sign", "joined": "word",
    "amount": "number", "foreign": "word",
}  # fmt: skip

WRAPPED: int = RULES["wrapped"]  # characters of a line that may go on in the next one

_BEFORE = re.compile(RULES["before"])
_DEFINITION = re.compile(RULES["definition"])
_FENCE = re.compile(RULES["fence"])
_HIDDEN = re.compile(RULES["hidden"], re.IGNORECASE)
_ENDED = tuple(RULES["ended"])


def pattern(rule: str | list[str], **parts: str) -> str:
    """Return a rule, or one of several, as a regular expression, with its parts in their places."""
    every = RULES["parts"] | parts
    whole = rule if isinstance(rule, str) else "|".join(rule)
    while _PART.search(whole):
        whole = _PART.sub(lambda part: every[part[1]], whole)
    return whole


@cache
def _spans_pattern(copied: str | None, letters: str | None) -> re.Pattern[str]:
    """Return the spans of a text.

    Args:
        copied: the signs that a model copies; None: it is not known, and no sign is a span.
        letters: those of its language beyond ASCII; None: no word is of others.
    """
    signs = RULES["signs"] if copied is not None else dict.fromkeys(RULES["signs"], _NONE)
    copied = copied or ""
    ordinary, strict = RULES["ordinary"], set(copied) - set(RULES["ordinary"])
    signs_copied = copied + ordinary
    signs_copied += "".join(row[1] for row in RULES["alike"] if row[0][0] in signs_copied)
    parts = {
        "SIGN": f"(?:(?!{{{{MARKUP}}}}|[{re.escape(signs_copied)}]){RULES['sign']})",
        "SIGNS": RULES["sign"],
        "LETTERS": one_of(letters or ""),
        "STRICT": one_of("".join(sorted(strict))),
        "ORDINARY": re.escape(ordinary),
        "INNER": re.escape(RULES["inner"]),
    }
    groups = {
        "word": RULES["words"],
        "joined": signs["word"],
        "amount": signs["number"],
        "number": RULES["numbers"],
        "mark": RULES["marks"],
        "tag": RULES["tag"],
        "link": RULES["link"],
        "target": RULES["target"],
        "emphasis": RULES["emphasis"],
        "break": r"\|",
        "symbol": signs["mark"],
        "foreign": _NONE if letters is None else RULES["foreign"],
        "sign": signs["sign"],
    }
    return re.compile(
        "|".join(f"(?P<{name}>{pattern(rule, **parts)})" for name, rule in groups.items())
    )


def lines(text: str) -> Iterator[tuple[int, int]]:
    """Yield the beginning and the end of each line with a text, behind the signs of a list or a
    heading; of several lines where a sentence goes on in the next."""
    place, begin, closing = 0, -1, ""
    for line, following in pairwise([*text.splitlines(keepends=True), ""]):
        end = place + len(line)
        if closing:
            closing = "" if closing in line.lower() else closing
        elif opening := _FENCE.match(line) or _HIDDEN.search(line):
            closing = _closing(opening)
            closing = "" if closing in line[opening.end() :].lower() else closing
        elif begin < 0 and line.strip() and not _DEFINITION.match(line):
            begin = place + len(_BEFORE.match(line)[0])  # type: ignore[index]
        if begin >= 0 and not _goes_on(line, following):
            yield min(begin, end), end
            begin = -1
        place = end


def _closing(opening: re.Match[str]) -> str:
    """Return the end of a block of code, or of HTML that is not to be read."""
    sign = opening[opening.lastindex or 1].lower()
    return f"</{sign}>" if sign.isalpha() else {"<!--": "-->"}.get(sign, sign)


def _goes_on(line: str, following: str) -> bool:
    """Return True if a sentence is wrapped between the two lines."""
    line, following = line.rstrip(), following.lstrip()
    return (
        len(line) >= WRAPPED
        and not line.endswith(_ENDED)
        and following[:1].islower()
        and not _HIDDEN.search(following)
    )


def one_of(characters: str) -> str:
    """Return the expression of any of some characters."""
    return f"[{re.escape(characters)}]" if characters else _NONE


def spans(
    text: str, begin: int, end: int, copied: str | None = None, letters: str | None = None
) -> list[Span]:
    """Return the spans of a line in order, and what is text between them.

    Args:
        copied: the signs that the model copies, where that is known.
        letters: those of its language beyond ASCII, where they are known: words of others stay.
    """
    line, opened = list[Span](), list[tuple[str, int]]()  # signs that may close, and their places
    is_row = text[begin:end].lstrip().startswith("|")
    place = begin
    letters = None if text.isascii() else letters
    for match in _spans_pattern(copied, letters).finditer(text, begin, end):
        kind = match.lastgroup or ""
        if kind == "break" and not is_row:
            if copied is None or "|" in copied:
                continue
            kind = "symbol"
        if kind == "target" and not _is_open("[", opened):
            continue
        if place < match.start():
            line.append(Span(place, match.start()))
        place = match.end()
        span = Span(match.start(), place, _KINDS.get(kind, "mark"))
        if kind == "tag" and _LAYOUT.fullmatch(_name(match[0])):
            span = replace(span, kind="break")
        elif kind in ("tag", "link", "target", "emphasis"):
            span = _paired(match, span, line, opened)
        line.append(span)
    for sign, number in opened:
        if sign.isidentifier():  # no markup, but something to be filled in
            line[number] = replace(line[number], kind="word")
    return line if place >= end else [*line, Span(place, end)]


def _paired(
    match: re.Match[str], span: Span, line: list[Span], opened: list[tuple[str, int]]
) -> Span:
    """Return the span with its partner, if it closes what is open; else open it."""
    sign = {"tag": _name(match[0]), "emphasis": match[0]}.get(match.lastgroup or "", "[")
    closes = match[0].startswith(("</", "]")) or match.lastgroup == "emphasis"
    if closes and _is_open(sign, opened):
        while (last := opened.pop())[0] != sign:
            pass
        first = line[last[1]] = replace(line[last[1]], pair=line[last[1]].begin)
        return replace(span, pair=first.begin)
    if not match[0].startswith("</") and not match[0].endswith("/>"):
        opened.append((sign, len(line)))
    return span


def _name(tag: str) -> str:
    name = _NAME.search(tag)
    return name[0].lower() if name else ""


def _is_open(sign: str, opened: list[tuple[str, int]]) -> bool:
    return any(sign == other for other, _ in opened)
