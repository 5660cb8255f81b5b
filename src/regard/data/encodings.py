"""Encodings that are not Unicode: which lines are certain to be Windows-1252, and which are not."""

import re
from collections import Counter

_LETTERS = rb"\x8a\x8c\x8e\x9a\x9c\x9e\x9f\xc0-\xd6\xd8-\xf6\xf8-\xff"  # of Windows-1252
_IN_WORD = re.compile(
    rb"(?<=[A-Za-z])[%b]|[%b](?=[A-Za-z])|[\x80\x85\x91-\x97]" % (2 * (_LETTERS,))
)
_LETTER = re.compile(rb"[%b]" % _LETTERS)
# Bytes without a character, capitals and signs inside words of small letters: there, Latin-2 has
# letters, and so have Mac Roman and the code pages of DOS.
_ODD = re.compile(
    rb"[\x81\x8d\x8f\x90\x9d]|(?<=[a-z])[\x8a\x8c\x8e\x9f\xc0-\xd6\xd8-\xde]"
    rb"|(?<=[a-z])[\x80\x82-\x89\x8b\x91\x93-\x95\x98\x99\x9b\xa1-\xac\xae-\xb3\xb5\xb6\xb8-\xbf]"
    rb"(?=[a-z])"
)
# A hard space beside a figure, a sign, a capital or another space: elsewhere it may be a letter, as
# á is in the code pages of DOS, but hardly the only one of several.
_HARD_SPACE = re.compile(
    rb"(?<=[\d.,:;!?(\xa0 ])\xa0|^\xa0|\xa0(?=[\d:;!?%A-Z\"(\xa0&-])",
    re.MULTILINE,
)
_MANY = 4
# The small letters of languages that are written in Windows-1252, those of the first together.
_ALPHABETS = tuple(
    set(letters)
    for letters in (
        "àáâäçèéêëíîïñóôöùúûüÿßœ",  # Dutch, English, French, German, Spanish, Catalan without ò
        "àáâãçéêíóôõúü",  # Portuguese
        "àèéìíîòóùú",  # Italian
        "àçèéíïòóúü",  # Catalan
        "æøåéèóôäöü",  # Danish, Norwegian
        "åäöéàüšž",  # Swedish, Finnish
        "áðéíóúýþæö",  # Icelandic
    )
)


def is_windows_1252(block: bytes) -> bool:
    """Return whether lines are words with accents or typographic signs, and none is UTF-8.

    Nearly all accents must be of one language: of those of Czech, Hungarian, Polish and Turkish in
    their own encodings, too many are letters that no Western European language has together.
    """
    lines = [line for line in block.split(b"\n") if not line.isascii()]
    for line in lines:
        try:
            line.decode()
        except UnicodeDecodeError:
            continue
        return False
    whole = b"\n".join(lines)
    if not re.search(rb"[\x80-\x9f\xa1-\xff]", whole):
        count = whole.count(b"\xa0")
        return count > _MANY or len(_HARD_SPACE.findall(whole)) >= 0.9 * count
    letters = _LETTER.findall(whole)
    usual, odd = len(_IN_WORD.findall(whole)), len(_ODD.findall(whole))
    return usual > 10 * odd and 2 * usual > len(letters) and _is_western(letters)


def name_of(line: bytes) -> str:
    """Say what a line that is not UTF-8 looks like, and how it is converted."""
    if not is_windows_1252(line):
        return (
            "its encoding is not known. Convert it with iconv -f NAME -t UTF-8, where NAME is its"
            " encoding, such as WINDOWS-1251, SHIFT-JIS, GBK or MACINTOSH"
        )
    # Latin-1 has no sign at 0x80-0x9f, Windows-1252 has quotes and dashes there.
    codec = "WINDOWS-1252" if any(0x80 <= value <= 0x9F for value in line) else "LATIN1"
    return f"it looks like {codec}, which iconv -f {codec} -t UTF-8 converts"


def _is_western(letters: list[bytes]) -> bool:
    """Return whether one alphabet has all of the letters, but for one in twenty."""
    counts = Counter(b"".join(letters).decode("cp1252", "replace").lower())
    most = max(sum(counts[letter] for letter in alphabet) for alphabet in _ALPHABETS)
    return most >= 0.95 * counts.total()
