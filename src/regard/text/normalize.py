"""The one definition of tidy text, shared by cleaning, training and translating."""

from __future__ import annotations

import re
import unicodedata

from regard.errors import BadArgumentError

# Marks of encoding or layout that carry no sound or meaning: zero-width space, soft hyphen, word
# joiner, byte-order mark. U+200C and U+200D stay: Devanagari and Persian spelling need them.
_INVISIBLE = re.compile("[\u200b\u00ad\u2060\ufeff]")
_SPACES = re.compile(r"\s+")


def normalize(text: str) -> str:
    """NFC, single plain spaces, none at the ends, no invisible marks.

    No letter is ever separated from its marks: in `कि` the vowel sign stays with its letter.

    >>> normalize("  two   spaces ")
    'two spaces'
    """
    return _SPACES.sub(" ", _INVISIBLE.sub("", unicodedata.normalize("NFC", text))).strip()


def check_unicode(text: str, what: str = "the text") -> None:
    """Refuses a text that cannot be written as UTF-8, which no tokenizer reads."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadArgumentError(
            f"{what} is not valid Unicode: it has the lone surrogate"
            f" U+{ord(text[error.start]):04X}. Give it as UTF-8."
        ) from None
