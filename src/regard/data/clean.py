"""Leave out the pairs that teach nothing or wrong things, and say how many went and why."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from regard.data.lines import BadLine
from regard.data.pairs import Pair
from regard.data.seen import SeenHashes, hash_texts
from regard.data.split import bare
from regard.errors import BadArgumentError, DamagedFileError
from regard.text import normalize

_PAIRS_AT_ONCE = 8192
_BROKEN = ("Cc", "Cs", "Co")  # control, half a character, private use
_MISREAD = re.compile("[\u00c2-\u00f4][^\x00-\x7f]")  # how every misread letter begins
_SHORT = 10  # characters added to both sides, so that "Hi." may well be "Guten Tag!"


@dataclass(frozen=True)
class CleaningRules:
    """Limits beyond which a pair is left out. None switches a rule off."""

    max_ratio: float | None = 3.0  # longer side over shorter side
    max_characters: int | None = 2000  # of either side
    max_copied_words: int | None = 3  # a source repeated as target is fine up to so many: "Tom!"
    # A source and a target that differ from those of another pair in case, spaces and punctuation
    # at most; another translation is no duplicate.
    duplicates: bool = True

    def __post_init__(self) -> None:
        if self.max_ratio is not None and self.max_ratio < 1:
            raise BadArgumentError(f"max_ratio must be at least 1; got {self.max_ratio}")
        if self.max_characters is not None and self.max_characters < 1:
            raise BadArgumentError(f"max_characters must be at least 1; got {self.max_characters}")


@dataclass
class CleaningReport:
    """Count of the pairs read, of those that stayed, and of those that went for each reason."""

    read: int = 0
    kept: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    first_line: dict[str, int] = field(default_factory=dict)  # where each reason was first met

    def drop(self, reason: str, line: int) -> None:
        self.dropped[reason] = self.dropped.get(reason, 0) + 1
        self.first_line.setdefault(reason, line)

    def __str__(self) -> str:
        """`29,000 read, 28,950 kept; 30 duplicate (first at line 14), 20 empty side (…)`"""
        reasons = sorted(self.dropped, key=lambda reason: -self.dropped[reason])
        why = ", ".join(
            f"{self.dropped[reason]:,} {reason} (first at line {self.first_line[reason]:,})"
            for reason in reasons
        )
        return f"{self.read:,} read, {self.kept:,} kept; {why or 'none left out'}"


class Cleaner:
    """Cleans pairs as they pass, and counts; those that share `seen` leave out each other's pairs.

    Kept text is tidied (`regard.text.normalize`), nothing else is changed; order stays.

    >>> from regard.data import read_pairs
    >>> cleaner = Cleaner()
    >>> pairs = list(cleaner.clean(read_pairs("pairs.tsv", on_bad_line=cleaner.skip)))
    >>> len(pairs), cleaner.report.read
    (9, 9)
    """

    def __init__(
        self, rules: CleaningRules | None = None, *, seen: SeenHashes | None = None
    ) -> None:
        self.rules = rules if rules is not None else CleaningRules()
        self.report = CleaningReport()
        self._seen = SeenHashes() if seen is None else seen

    def skip(self, bad: BadLine) -> None:
        """Count a line that the reader could not make into a pair."""
        self.report.read += 1
        self.report.drop(bad.reason, bad.line)

    def clean(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Yield the pairs that stay.

        Raises:
            DamagedFileError: at the end, if there were none, not even another file's.
        """
        pairs = iter(pairs)
        while chunk := list(islice(pairs, _PAIRS_AT_ONCE)):
            self.report.read += len(chunk)
            for pair in self._without_duplicates(list(self._accepted(chunk))):
                self.report.kept += 1
                yield pair
        if not self.report.kept and not self.report.dropped.get("duplicate"):
            raise DamagedFileError(
                f"no sentence pair is left after cleaning ({self.report}): "
                "check that the file and its columns are the right ones"
            )

    def _accepted(self, pairs: list[Pair]) -> Iterator[Pair]:
        for pair in pairs:
            tidy = Pair(normalize(pair.source), normalize(pair.target), pair.line)
            reason = fault(tidy.source, tidy.target, self.rules)
            if reason is None:
                yield tidy
            else:
                self.report.drop(reason, pair.line)

    def _without_duplicates(self, pairs: list[Pair]) -> Iterator[Pair]:
        if not self.rules.duplicates:
            yield from pairs
            return
        texts = (f"{bare(pair.source)}\t{bare(pair.target)}" for pair in pairs)
        new = self._seen.add(hash_texts(texts))
        for pair, is_new in zip(pairs, new, strict=True):
            if is_new:
                yield pair
            else:
                self.report.drop("duplicate", pair.line)


def fault(source: str, target: str, rules: CleaningRules) -> str | None:
    """Why a tidy pair should go, in two words; None if it may stay."""
    if not source or not target:
        return "empty side"
    if is_garbled(source) or is_garbled(target):
        return "bad encoding"
    if rules.max_characters is not None and max(len(source), len(target)) > rules.max_characters:
        return "too long"
    if rules.max_ratio is not None and length_ratio(source, target) > rules.max_ratio:
        return "length ratio"
    if (
        rules.max_copied_words is not None
        and source == target
        and len(source.split()) > rules.max_copied_words
    ):
        return "copied source"
    return None


def length_ratio(source: str, target: str) -> float:
    """Longer over shorter, in characters or in UTF-8 bytes, whichever is nearer to one.

    Bytes do right by Chinese, where a character says as much as three Latin letters; characters
    do right by Devanagari, whose letters take three bytes each.
    """
    sizes = [(len(source), len(target)), (len(source.encode()), len(target.encode()))]
    return min((max(pair) + _SHORT) / (min(pair) + _SHORT) for pair in sizes)


def is_garbled(text: str) -> bool:
    """Return whether text has a broken encoding: `�`, control characters, or UTF-8 as Latin-1."""
    # Joiners and rare spaces are not printable either, and are no fault: look closer only then.
    if not text.isprintable() and any(unicodedata.category(sign) in _BROKEN for sign in text):
        return True
    if "\ufffd" in text:
        return True
    codecs = ("cp1252", "latin-1") if _MISREAD.search(text) else ()
    return any(_reads_as_utf8(text, codec) for codec in codecs)


def _reads_as_utf8(text: str, codec: str) -> bool:
    """`MÃ¼nchen` does: its bytes in the old codec are UTF-8 for `München`."""
    try:
        text.encode(codec).decode("utf-8")
    except UnicodeError:
        return False
    return True
