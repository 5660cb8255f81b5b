"""Parts of a text that no model translates: markup, addresses, code, placeholders, numbers.

A span is a slice of the text, so what stays, stays to the character.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

Kind = Literal["text", "word", "number", "mark", "break"]


@dataclass(frozen=True)
class Span:
    """A slice of a text.

    A word or a number has a place in a sentence, where another word or number can stand for it. A
    mark is at the beginning or the end of what it marks, and a break between two sentences.
    """

    begin: int
    end: int
    kind: Kind = "text"
    pair: int = -1  # of a mark with a partner: the beginning of the first of the two


_FILES = (
    "bat bib bmp c cc cfg conf cpp css csv dll doc docx exe gif go gz h html ini ipynb iso jar java"
    " jpeg jpg js json jsonl log lua md mp3 mp4 odt onnx parquet pdf php png ppt pptx py rb rs rst"
    " safetensors sh sql svg tar tex toml ts tsv tsx txt wav webp whl xls xlsx xml yaml yml zip"
    " com edu gov io net org"
).replace(" ", "|")
_UNITS = (
    r"% ‰ °C °F ° € \$ £ ¥ ₹ EUR USD GBP INR CHF kg mg µg μg km/h m/s km cm mm µm nm mph kWh"
    r" kW MW GW kHz MHz GHz Hz [kKMGT]i?B [kMG]bps mV kV mAh mA ml cl ms µs ns min px pt"
    r" dpi fps"
).replace(" ", "|")
_LAYOUT = re.compile(
    "address|article|aside|blockquote|br|body|button|caption|dd|div|dl|dt|figcaption|figure|footer"
    "|form|h[1-6]|head|header|hr|html|label|legend|li|main|nav|ol|option|p|section|select|summary"
    "|table|tbody|td|tfoot|th|thead|title|tr|ul",
    re.IGNORECASE,
)
_EMOJI = r"[\U0001f000-\U0001faff\u2190-\u21ff\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff]"
_TONE = r"[\U0001f3fb-\U0001f3ff\ufe0e\ufe0f\u20e3]?"
_URL = r"(?:[^\s<>\"`()]|\([^\s<>\"`()]{0,200}\)){0,2000}[^\s<>\"`()\[\]{}.,;:!?'’”“»…।|*]/?"
_PATH = r"[\w.+~@%=-]{1,200}"
_FORMAT = r"(?:\(\w{1,64}\)|\d{1,2}\$)?[-+#0]{0,3}\d{0,3}(?:\.\d{1,3})?l{0,2}"
_MORE = r"[.,:/'’\u00a0\u202f\u2009–-]\d+"

# Every pattern begins where no word goes on, and is bounded: the time grows with the line's length.
_WORDS = [
    r"(`{1,3})(?!`)[^\n]{1,500}?(?<!`)\2(?!`)",  # code
    rf"(?<!\w)(?:(?:https?|ftps?|file|ssh|git)://|www\.|mailto:){_URL}",
    r"<[^\s<>]{1,200}[@:/][^\s<>]{1,200}(?<!/)>",  # an address in angle brackets
    r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,8}",
    r"\$?\{\{[^{}\n]{0,200}\}\}|\{%[^{}\n]{1,200}%\}|\$\{[^{}\n]{1,200}\}|\{[^\s{}]{0,64}\}",
    rf"(?<![\w%])%{_FORMAT}[a-ce-hj-tv-zA-Z@](?!\w)",
    r"(?<![\w%])%[A-Za-z]\w{1,64}%|(?<![\w$])\$[A-Za-z_]\w{0,64}",
    rf"(?<![\w/.~\\<])(?:~|\.{{1,2}})?/{_PATH}(?:/{_PATH}){{0,50}}/?(?<![.=-])",
    r"(?<!\w)[A-Za-z]:\\[^\s<>:\"|?*]{0,200}(?<![.,;!)])",
    r"(?<![\w/.])[\w-]{1,64}(?:/[\w.-]{1,64}){2,20}(?<![.-])",
    rf"(?<![\w./-])[\w-]{{1,64}}(?:\.[\w-]{{1,64}}){{0,4}}\.(?:{_FILES})(?!\w)(?:/{_PATH})*(?<!\.)",
    r"(?<![\w-])--[A-Za-z][\w-]{0,64}(?:=[^\s`]{0,100}[^\s`.,;:!?)])?|(?<!\w)[A-Za-z]\w{0,64}\(\)",
    r"(?<![\w&])[@#][^\W_]\w{0,63}|(?<!\w)_{0,2}[^\W_]{1,64}(?:_[^\W_]{1,64}){1,10}(?!\w)",
    r"(?<![\w&;])[^\W\d_]{1,64}(?:&[A-Za-z]{1,31};[^\W\d_]{1,64}){1,8}",  # AT&amp;T, M&uuml;ller
    r"&lt;[^&\s]{1,200}&gt;",
    r"&(?!nbsp|ensp|emsp|thinsp|shy|zwn?j|#160|#xA0)(?:[A-Za-z][A-Za-z0-9]{1,31}|#\w{1,7});",
]
_NUMBERS = [
    rf"(?<![\w.,:])(?:[€$£¥₹] ?[-+−]?\d+(?:{_MORE})*"
    rf"|[-+−±]?\d+(?:{_MORE})*(?:[ \u00a0\u202f]?(?:{_UNITS})|[ \u00a0\u202f][ghlmsVW])"
    rf"|[-+−±]?\d+(?:{_MORE})+)(?![\w%])",
    rf"(?<![\w%])%{_FORMAT}[diu](?!\w)",
]
_MARKS = [
    r"<!--[^\n]{0,2000}?-->|&(?:nbsp|ensp|emsp|thinsp|shy|zwn?j|#160|#xA0);",
    r"(?<!\\)\\[\\`*_{}\[\]()#+.!|>~-]|\[\^[\w-]{1,64}\]",
    rf"{_EMOJI}{_TONE}(?:\u200d?{_EMOJI}{_TONE}){{0,50}}",
]
_SPANS = re.compile(
    rf"(?P<word>{'|'.join(_WORDS)})|(?P<number>{'|'.join(_NUMBERS)})|(?P<mark>{'|'.join(_MARKS)})"
    r"|(?P<tag></?(?P<name>[A-Za-z][A-Za-z0-9-]{0,32})(?:\s[^<>\n]{0,500})?/?>)"
    r"|(?P<link>!?\[(?=[^\[\]\n]{1,500}\][(\[]))|(?P<target>\](?:\([^()\n]{0,2000}(?:\([^()\n]{0,200}\)"
    r"[^()\n]{0,200})?\)|\[[^\[\]\n]{0,200}\]))"
    r"|(?P<sign>(?<![\w*_~])(?:\*{1,3}|_{1,3}|~~)(?=[^\s*_~])|(?<=[^\s*_~])(?:\*{1,3}|_{1,3}|~~)(?![\w*_~]))"
    r"|(?P<break>\|)"
)
_PLAIN: dict[str, Kind] = {"word": "word", "number": "number", "break": "break"}

WRAPPED = 45  # characters of a line that may go on in the next one

_BEFORE = re.compile(r"(?:>+\s|\s)*(?:(?:[-*+•–—]|\d{1,3}[.)])\s+)?(?:\[[ xX]\]\s+)?(?:#{1,6}\s+)?")
_DEFINITION = re.compile(r"\s*\[[^\]]{1,200}\]:\s")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_HIDDEN = re.compile(r"<(pre|script|style)\b|(?=<!--)(?!<!--.*-->)(<!--)", re.IGNORECASE)
_ENDED = tuple(".!?:;…।|>")


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


def spans(text: str, begin: int, end: int) -> list[Span]:
    """Return the spans of a line in order, and what is text between them."""
    line, opened = list[Span](), list[tuple[str, int]]()  # signs that may close, and their places
    is_row = text[begin:end].lstrip().startswith("|")
    place = begin
    for match in _SPANS.finditer(text, begin, end):
        kind = match.lastgroup or ""
        if (kind == "break" and not is_row) or (kind == "target" and not _is_open("[", opened)):
            continue
        if place < match.start():
            line.append(Span(place, match.start()))
        place = match.end()
        span = Span(match.start(), place, _PLAIN.get(kind, "mark"))
        if kind == "tag" and _LAYOUT.fullmatch(match["name"]):
            span = replace(span, kind="break")
        elif kind in ("tag", "link", "target", "sign"):
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
    sign = (match["name"] or match[0]).lower() if match.lastgroup in ("tag", "sign") else "["
    closes = match[0].startswith(("</", "]")) or match.lastgroup == "sign"
    if closes and _is_open(sign, opened):
        while (last := opened.pop())[0] != sign:
            pass
        first = line[last[1]] = replace(line[last[1]], pair=line[last[1]].begin)
        return replace(span, pair=first.begin)
    if not match[0].startswith("</") and not match[0].endswith("/>"):
        opened.append((sign, len(line)))
    return span


def _is_open(sign: str, opened: list[tuple[str, int]]) -> bool:
    return any(sign == other for other, _ in opened)
