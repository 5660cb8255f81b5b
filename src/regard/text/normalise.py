"""The one definition of tidy text, shared by cleaning, training and translating."""

from __future__ import annotations

import re
import unicodedata

# Marks of encoding or layout that carry no sound or meaning: zero-width space, soft hyphen, word
# joiner, byte-order mark. U+200C and U+200D stay: Devanagari and Persian spelling need them.
_INVISIBLE = re.compile("[\u200b\u00ad\u2060\ufeff]")
_SPACES = re.compile(r"\s+")


def normalise(text: str) -> str:
    """NFC, single plain spaces, none at the ends, no invisible marks.

    No letter is ever separated from its marks: in `कि` the vowel sign stays with its letter.
    """
    return _SPACES.sub(" ", _INVISIBLE.sub("", unicodedata.normalize("NFC", text))).strip()
