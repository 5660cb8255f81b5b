"""Bounds and a precision that were measured of a model on a dev set, in a file beside its weights.

A word is unsure where the model gave it too little probability. A text is in another language where
its words are rare in the model's own: rarity is the mean logarithm of their ranks, since a word's
frequency falls with its rank (Zipf 1949). An unknown word says more than a rare one. Short texts
of rare words are like those of another language, so function words of another are asked for as
well, and only long texts are refused.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from unicodedata import category

from regard.errors import DamagedFileError, refusing
from regard.files import write_json
from regard.json_files import JsonFiles
from regard.letters import spelled

FILE = "calibration.json"
FEWEST = 4  # words of a text whose language is judged
# Lines without function words, such as products and headlines, are of rare words in any language.
# A short word that is rare here is a function word elsewhere. Two of them raise a doubt, and in a
# long text one, or a margin.
SHORT, NEAR = 3, 1.5  # letters of such a word, and how far below the bound its rarity may be
LONG_LETTERS, MARGIN = 40, 2.0
# Of a text that is certainly in another language: of 210,000 English lines, menus, titles and
# abstracts among them, none is beyond both.
CERTAIN_LETTERS, CERTAIN_MARGIN = 100, 5.0
MOST_WORDS, UNKNOWN = 20_000, 64  # a word that is not among those has so many times the last rank

LETTER_WORDS = 4_000  # of them, of which at least one has a letter of the language


@dataclass(frozen=True)
class Calibration:
    """Bounds of one model; without any, no word is unsure and every text is in its language. And
    the precision of the native engine: "int8" where it was measured to give what fp32 gives.

    >>> bounds = Calibration(words="the of and to a in is", rarest=4.0)
    >>> bounds.doubts("the end of the story"), bounds.doubts("das Ende der Geschichte")
    (False, True)
    """

    unsure_below: float = 0.0  # probability of a word
    precision: str = "fp32"
    rarest: float | None = None  # rarity of a text in the model's language; None: any
    words: str = ""  # the most frequent of its language, in that order, with spaces between
    copied: str | None = None  # signs that the model copies; None: not measured

    @classmethod
    def of(cls, files: JsonFiles) -> Calibration:
        """Return the calibration in a model's folder, or the one without bounds.

        Raises:
            DamagedFileError: the file has other keys, or values of another kind.
        """
        content = files.get(FILE, {})
        with refusing(f"{files.folder / FILE} is malformed"):
            found = cls(**content)
        kinds = (
            (found.unsure_below, int | float),
            (found.rarest, int | float | None),
            (found.words, str),
            (found.precision, str),
            (found.copied, str | None),
        )
        if not all(isinstance(value, kind) for value, kind in kinds):
            raise DamagedFileError(
                f"{files.folder / FILE} must have two numbers and three texts. Measure them again,"
                " or delete it."
            )
        return found

    def save(self, folder: Path) -> None:
        """Write the file, unless there is nothing to write."""
        if self != UNCALIBRATED:
            write_json(folder / FILE, asdict(self))

    def doubts(self, text: str) -> bool:
        """Return True for a text of `FEWEST` words or more that are rare in the language, with
        signs of another."""
        if self.rarest is None or (rarity := self.rarity(text)) <= self.rarest:
            return False
        words, unknown = spelled(text), self._rarities[""]
        functional = sum(
            self._rarities.get(word.lower(), unknown) > self.rarest - NEAR
            for k, word in enumerate(words)
            if len(word) <= SHORT and word.isalpha() and (k == 0 or not word[0].isupper())
        )
        is_long = sum(map(len, words)) >= LONG_LETTERS
        return functional >= 2 or (is_long and (functional > 0 or rarity > self.rarest + MARGIN))

    def is_foreign(self, text: str) -> bool:
        """Return True for a text that is certainly in another language."""
        if self.rarest is None or len(text) < CERTAIN_LETTERS:
            return False
        letters = sum(map(len, spelled(text)))
        return letters >= CERTAIN_LETTERS and self.rarity(text) > self.rarest + CERTAIN_MARGIN

    def rarity(self, text: str) -> float:
        """Return the mean binary logarithm of the ranks of a text's words; 0 of too few words.

        Names are left out where enough other words remain: what is capitalized within the text.
        """
        words = spelled(text)
        small = [word for k, word in enumerate(words) if k == 0 or not word[0].isupper()]
        words = small if len(small) >= FEWEST else words
        if len(words) < FEWEST:
            return 0.0
        known = self._rarities
        return sum([known.get(word.lower(), known[""]) for word in words]) / len(words)

    def coverage(self, text: str) -> float:
        """Return the share of a text's words that are among `words`; 0 of a text without any.

        >>> Calibration(words="the of and").coverage("The end of the story")
        0.6
        """
        words, ranks = spelled(text), self._rarities
        return sum(word.lower() in ranks for word in words) / max(len(words), 1)

    def is_frequent(self, word: str) -> bool:
        """Return True if a word is among `words`, or if `words` is empty."""
        return not self.words or word.lower() in self._rarities

    @cached_property
    def letters(self) -> str | None:
        """Return the letters and marks beyond ASCII that the language is written in, as far as its
        words show; None: no words are known.

        Few texts suffice to bring a foreign letter into a vocabulary, and teach a model nothing of
        it, so that a letter of the language is in several words.
        """
        if not (words := self.words):
            return None
        counts = Counter(re.findall(r"[^\x00-\x7f]", words))
        least = max(2, words.count(" ") / LETTER_WORDS)
        letters = [x for x, n in counts.items() if n >= least and category(x)[0] in "LM"]
        return "".join(sorted({*letters, *(x.upper() for x in letters if len(x.upper()) == 1)}))

    @cached_property
    def _rarities(self) -> dict[str, float]:
        """The logarithm of each word's rank, and that of the others."""
        words = self.words.split()
        ranks = {word: math.log2(rank) for rank, word in enumerate(words, start=1)}
        return ranks | {"": math.log2(UNKNOWN * max(len(words), 1))}


UNCALIBRATED = Calibration()


def frequent_words(texts: Iterable[str]) -> str:
    """Return the most frequent words of some texts as `Calibration.words` has them.

    >>> frequent_words(["The dog sees the cat.", "A cat sees a dog.", "the dog"])
    'the dog sees cat a'
    """
    counts = Counter(word.lower() for text in texts for word in spelled(text))
    return " ".join(word for word, count in counts.most_common(MOST_WORDS) if count > 1)
