"""The signs that a model copies, by its own translations of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from regard.tasks.translation.spans import RULES

if TYPE_CHECKING:
    from regard.tasks.translation.task import Translator

FRAMES = 20  # sentences with a sign, half of them between spaces
COPIED = 15  # of them, in which the sign is copied and no word is added
WORDS = (4, 10)  # of such a sentence
_SIGN = re.compile(RULES["sign"])
_WORD = re.compile(r"[^\W\d_]+")


def copied_signs(translator: Translator, sources: Sequence[str]) -> str:
    """Return the signs of the vocabulary that a model copies in most of `FRAMES` sentences.

    Args:
        sources: texts in its language; those of few words and no signs are the frames.
    """
    vocabulary = set("".join(translator.tokenizers.source.backend.get_vocab()))
    signs = sorted(filter(_SIGN.fullmatch, vocabulary - set(RULES["ordinary"])))
    plain = [text for text in sources if re.fullmatch(r"[\w ,]+[.!?।]", text)]
    fitting = [text for text in plain if WORDS[0] <= len(text.split()) <= WORDS[1]]
    sentences = fitting[:: max(1, len(fitting) // FRAMES)][:FRAMES]
    if len(sentences) < FRAMES:
        return ""
    calibration = replace(translator.calibration, copied=None)
    raw = translator.decoding_by(calibration=calibration, whole=True)
    texts = [_with(sign, text, k) for sign in signs for k, text in enumerate(sentences)]
    usual = [_words(text) for text in raw([*sentences], force=True)]
    answers = raw(texts, force=True)
    counts = dict.fromkeys(signs, 0)
    for number, answer in enumerate(answers):
        row, place = divmod(number, FRAMES)
        is_one = answer.count(signs[row]) == 1
        is_bare = _words(answer.replace(signs[row], " ")) <= usual[place] + 1
        counts[signs[row]] += is_one and is_bare
    return "".join(sign for sign, count in counts.items() if count >= COPIED)


def _with(sign: str, text: str, place: int) -> str:
    """Return a sentence with a sign: before, after or between its words, with spaces or without."""
    words = text[:-1].split()
    at = 1 + place % (len(words) - 1)
    before, after = " ".join(words[:at]), " ".join(words[at:])
    between = (f" {sign} ", f" {sign}", f" {sign} ", f"{sign} ")[place % 4]
    return f"{before}{between}{after}{text[-1]}"


def _words(text: str) -> int:
    return len(_WORD.findall(text))
