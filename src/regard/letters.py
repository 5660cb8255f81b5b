"""Words and letters of every script, as Unicode parts them: Standard Annex 29.

A mark, such as a vowel sign, belongs to the letter before it and never begins anything. Apostrophes
and points between letters, and points and commas between digits, are inside a word; a hyphen is
not. Scripts without spaces have a word for each letter, as the annex says of those whose words only
a dictionary knows. In two things words differ: a colon ends one, as in ICU, and superscripts and
other digits are parts of one.
"""

import re
import unicodedata
from functools import cache, cached_property
from itertools import accumulate, groupby

# Where Unicode has marks, and controls of a text's form: to look through all of it takes long.
_PLACES = (
    (0xAD, 0xAE), (0x300, 0x1E00), (0x200B, 0x20F1), (0x2CEF, 0x2E00), (0x302A, 0x309B),
    (0xA66F, 0xABEE), (0xFB1E, 0xFFFC), (0x101FD, 0x12000), (0x13430, 0x13456), (0x16AF0, 0x16FF2),
    (0x1BC9D, 0x1BCA4), (0x1CF00, 0x1CF47), (0x1D165, 0x1D245), (0x1DA00, 0x1E950),
    (0xE0001, 0xE01F0),
)  # fmt: skip
_NO_MARKS = (
    "\u200b\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
)
_KATAKANA = "\u3031-\u3035\u309b\u309c\u30a0-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_UNSPACED = (  # ideographs, Hiragana, and the scripts of Southeast Asia, but for their digits
    "\u3006\u3007\u3021-\u3029\u3038-\u303a\u3400-\u9fff\uf900-\ufaff"
    "\U00017000-\U00018d8f\U0001b000-\U0001b2fb\U00020000-\U0003fffd\u3041-\u3096\u309d-\u309f"
    "\u0e01-\u0e4f\u0e81-\u0ecf\u0edc-\u0edf\u1000-\u103f\u1050-\u108f\u109a-\u109f\u1780-\u17dc"
    "\u1950-\u19cf\u1a00-\u1a1f\u1a20-\u1a7f\u1aa7\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaadf"
    "\U00011700-\U0001172f"
)
_HEBREW = "[\u05d0-\u05ea\u05ef-\u05f2]"
# Outside of these no text has a mark, or a letter that is a word alone.
_SIMPLE = re.compile(
    "[\0-\u00ac\u00ae-\u02ff\u2010-\u2029\u2030-\u205f\u2070-\u20cf\u2100-\u25ff]*"
)
_SKINS = [chr(code) for code in range(0x1F3FB, 0x1F400)]  # their colors, of pictures
_POINTS = "'’‘.\u2024\ufe52\uff07\uff0e"  # between letters and between digits
_NONE = "\0"  # stands in a class that is to be empty


def words(
    text: str, begin: int = 0, end: int | None = None, *, compounds: bool = False
) -> list[tuple[int, int]]:
    """Return the places of the words in a text, or in a part of it.

    >>> text = "I don't see कुत्ता, 1,200.50 or 北京."
    >>> [text[begin:end] for begin, end in words(text)]
    ['I', "don't", 'see', 'कुत्ता', '1,200.50', 'or', '北', '京']

    Args:
        compounds: words with nothing but punctuation between them are one, as "e-mail".
    """
    matches = _rules_of(text).word.finditer(text, begin, len(text) if end is None else end)
    places = list[tuple[int, int]]()
    for first, last in (word.span() for word in matches):
        between = text[places[-1][1] : first] if places else ""
        if compounds and between and not any(map(str.isspace, between)):
            places[-1] = (places[-1][0], last)
        else:
            places.append((first, last))
    return places


def words_and_signs(text: str, begin: int, end: int) -> list[tuple[int, int]]:
    """Return the places of the words in a part of a text, and of what is no part of one."""
    matches = _rules_of(text).word_or_sign.finditer(text, begin, end)
    return [word.span() for word in matches]


def spelled(text: str) -> list[str]:
    """Return the words of a text by their letters alone, without digits and points.

    >>> spelled("It's 5 o'clock in Łódź.")
    ["It's", "o'clock", 'in', 'Łódź']
    """
    return _rules_of(text).letters.findall(text)


def signs(text: str) -> list[str]:
    """Return the letters and other signs of a text as a reader counts them, with their marks.

    >>> signs("नमस्ते")
    ['न', 'म', 'स्', 'ते']
    """
    return _rules_of(text).sign.findall(text)


def beginning(text: str, most: int) -> str:
    """Return the beginning of a text, of at most so many characters, which ends behind a sign."""
    if len(text) <= most:
        return text
    ends = accumulate(map(len, signs(text[: most + 1])))
    return text[: max((end for end in ends if end <= most), default=0)]


def edge(text: str, place: int) -> int:
    """Return the first place from this one on with no mark behind it, but for the beginning."""
    while 0 < place < len(text) and text[place] in _marks()[1]:
        place += 1
    return place


def is_whole(text: str, begin: int, end: int) -> bool:
    """Return True for a part of a text that neither begins nor ends inside a word.

    Scripts without spaces have such places between any two letters.
    """
    rules = _rules_of(text)
    return bool(rules.begins.match(text, begin) and rules.ends.match(text, end))


def whole(expression: str) -> re.Pattern[str]:
    """Return a regular expression that matches where `is_whole` is true, and nowhere else."""
    rules = _rules(False)
    return re.compile(f"(?:{rules.begins.pattern})(?:{expression})(?:{rules.ends.pattern})")


def uncompounded() -> re.Pattern[str]:
    """Return the regular expression of a run of letters that no hyphen joins to others."""
    rules = _rules(False)
    return re.compile(rf"(?<![\w{rules.marks}-]){rules.run}(?![\w{rules.marks}-])")


def bare(word: str) -> str:
    """Return a word without the punctuation, symbols and spaces around it."""
    places = words(word)
    return word[places[0][0] : places[-1][1]] if places else ""


class _Rules:
    """Regular expressions, which are long but for a text of Latin letters without marks."""

    def __init__(self, simple: bool) -> None:
        self.marks = _NONE if simple else _marks()[0]
        self.kana, self.unspaced = (_NONE, _NONE) if simple else (_KATAKANA, _UNSPACED)
        self.alone = self.unspaced + self.kana
        self.more = f"[{self.marks}]*+"
        self.letter = rf"[^\W\d_{self.alone}]"
        self.run = rf"(?:{self.letter}++{self.more})++"
        self.other = rf"[{self.kana}](?:[{self.kana}]|[{self.marks}])*+|\w{self.more}"

    @cached_property
    def word(self) -> re.Pattern[str]:
        return re.compile(
            rf"(?:{self.run}(?:(?<={_HEBREW})(?:['\u05f3]|[\"\u05f4](?={_HEBREW}))"
            rf"|[{_POINTS}·\u055f\u2027]{self.more}(?={self.letter}))?"
            rf"|(?:\d{self.more})++(?:[{_POINTS},;\u060c\u066b\u066c\u2044\uff0c]{self.more}(?=\d))?"
            rf"|_{self.more})++|{self.other}"
        )

    @cached_property
    def letters(self) -> re.Pattern[str]:
        """Of a word."""
        return re.compile(rf"{self.run}(?:['’]{self.run})*+|(?!\d|_)(?:{self.other})")

    @cached_property
    def sign(self) -> re.Pattern[str]:
        """A letter with its marks, a flag, a picture that is joined of several."""
        sign = r"(?:[\U0001f1e6-\U0001f1ff]{2}|\r\n|.)"
        return re.compile(rf"{sign}{self.more}(?:(?<=\u200d).{self.more})*", re.DOTALL)

    @cached_property
    def word_or_sign(self) -> re.Pattern[str]:
        return re.compile(rf"{self.word.pattern}|(?!\s){self.sign.pattern}", re.DOTALL)

    @cached_property
    def begins(self) -> re.Pattern[str]:
        """A place where a word may begin."""
        return re.compile(
            rf"(?=[{self.unspaced}])|(?=[{self.kana}])(?<![{self.kana}])"
            rf"|(?![{self.alone}])(?:(?<![\w{self.marks}])|(?<=[{self.alone}]))"
        )

    @cached_property
    def ends(self) -> re.Pattern[str]:
        """A place where one may end."""
        return re.compile(
            rf"(?<=[{self.unspaced}])(?![{self.marks}])"
            rf"|(?<=[{self.kana}])(?![{self.kana}{self.marks}])"
            rf"|(?<![{self.alone}])(?:(?![\w{self.marks}])|(?=[{self.alone}]))"
        )


_rules = cache(_Rules)


def _rules_of(text: str) -> _Rules:
    return _rules(text.isascii() or _SIMPLE.fullmatch(text) is not None)


@cache
def _marks() -> tuple[str, frozenset[str]]:
    """Return the inside of a class of what belongs to the letter before it (the annex's Extend,
    Format and ZWJ), and the same as a set."""
    every = "".join(chr(code) for place in _PLACES for code in range(*place))
    kinds = {"Mn", "Mc", "Me", "Cf"}
    marks = [x for x in every if unicodedata.category(x) in kinds and x not in _NO_MARKS] + _SKINS
    runs = groupby(enumerate(map(ord, marks)), key=lambda place: place[1] - place[0])
    spans = [[code for _, code in run] for _, run in runs]
    return "".join(f"{chr(span[0])}-{chr(span[-1])}" for span in spans), frozenset(marks)
