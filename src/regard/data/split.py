"""Set dev and test sentences apart by a hash of the source, so that none of them is trained on."""

from __future__ import annotations

import unicodedata
from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from regard.data.pairs import Pair
from regard.data.seen import Hashes, hash_text
from regard.errors import BadArgumentError

Part = Literal["train", "dev", "test"]


def part_size(examples: int, share: float = 0.02) -> int:
    """Examples that are split off for dev, and again for test, where none are given: a share, at
    most 2,000; of small files 50, or 15 % if that is less, since fewer measure next to nothing.

    >>> [part_size(examples) for examples in (20, 200, 1000, 10_000, 10**6)]
    [3, 30, 50, 200, 2000]
    """
    return min(2000, max(1, round(share * examples), min(50, round(0.15 * examples))))


@dataclass(frozen=True)
class Split:
    """Tells for any pair, in any order, which part it belongs to. `plan_split` makes one.

    >>> pairs = [Pair(f"sentence {n}", f"Satz {n}", n) for n in range(100)]
    >>> plan_split(pairs, dev=100 // 4).part(Pair("new", "neu", 1)) in ("train", "dev")
    True
    """

    seed: int
    dev_below: int  # sources whose hash is under this are dev …
    test_below: int  # … and from there to under this, test
    held_targets: frozenset[int]  # hashes of the targets of dev and test

    def part(self, pair: Pair) -> Part | None:
        """Return the part of a pair; None for one of train whose target dev or test holds as
        well."""
        source = _key(pair.source, self.seed)
        if source < self.dev_below:
            return "dev"
        if source < self.test_below:
            return "test"
        return None if _key(pair.target, self.seed) in self.held_targets else "train"


def plan_split(
    pairs: Iterable[Pair],
    *,
    dev: int | float | None = None,
    test: int | float = 0,
    seed: int = 0,
    targets_leak: bool = True,
) -> Split:
    """Read all pairs once and draw the line between train, dev and test.

    `dev` and `test` are numbers of pairs or fractions under 1; None is `part_size`. All
    translations of a source go to one part, so a part may come out a little larger. Sources that
    differ only in case, punctuation or white space count as one. The same pairs and seed give the
    same split, in whatever order they come. Memory: 16 bytes a pair.

    A pair whose target dev or test holds is not for training, unless `targets_leak` is False: a
    label is the target of many texts.

    >>> pairs = [Pair(f"sentence {n}", f"Satz {n}", n) for n in range(100)]
    >>> split = plan_split(pairs, dev=10)
    >>> [split.part(pair) for pair in pairs].count("dev")
    10

    Raises:
        BadArgumentError: nothing would be left to train on.
    """
    keys = array("Q")
    for pair in pairs:
        keys.append(_key(pair.source, seed))
        keys.append(_key(pair.target, seed))
    table: Hashes = (
        np.frombuffer(keys, np.uint64).reshape(-1, 2) if keys else np.empty((0, 2), "u8")
    )
    sources = np.sort(table[:, 0])
    if dev is None:
        dev = part_size(len(sources))
    dev_below = _end_of_group(sources, _count("dev", dev, len(sources)))
    in_dev = int(np.searchsorted(sources, np.uint64(dev_below)))
    test_count = _count("test", test, len(sources))
    test_below = _end_of_group(sources, in_dev + test_count) if test_count else dev_below
    held = table[table[:, 0] < test_below]
    held_targets = frozenset(held[:, 1].tolist() if targets_leak else ())
    if len(held) == len(table):
        raise BadArgumentError(
            f"dev ({dev}) and test ({test}) would take all {len(table):,} examples and leave none"
            " to train on. Give more data, or a dev file of its own."
        )
    return Split(seed, dev_below, test_below, held_targets)


@dataclass(frozen=True)
class Folds:
    """Parts of about the same size, each held out once. `plan_folds` makes them."""

    seed: int
    sizes: tuple[int, ...]  # examples in each
    numbers: Mapping[int, int]  # by the hash of a text

    def __str__(self) -> str:
        low, high = min(self.sizes), max(self.sizes)
        size = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        return f"{len(self.sizes)} folds of {size}"

    def number(self, text: str) -> int:
        """Return the fold of a text, from 1."""
        return self.numbers[_key(text, self.seed)]

    def part(self, held_out: int, pair: Pair) -> Part:
        """Return the part of a pair where this fold is the dev set; 0: none is."""
        return "dev" if self.number(pair.source) == held_out else "train"


def plan_folds(examples: Iterable[tuple[str, str]], count: int, *, seed: int = 0) -> Folds:
    """Deal the examples, each a text and its label, out to `count` folds.

    Examples of one text go to one fold, as in `plan_split`, and those of one label to all in turn.
    The same examples and seed give the same folds, in whatever order they come.

    >>> folds = plan_folds([(f"sentence {n}", "ab"[n % 2]) for n in range(7)], 3)
    >>> print(folds)
    3 folds of 2 to 3

    Raises:
        BadArgumentError: there are fewer texts than folds.
    """
    labels: defaultdict[int, list[str]] = defaultdict(list)
    for text, label in examples:
        labels[_key(text, seed)].append(label)
    if count > len(labels):
        raise BadArgumentError(
            f"folds must be at most {len(labels):,}, the examples or groups of examples that can be"
            f" held out one by one; got {count:,}. Give fewer, or more data."
        )
    sizes, numbers = [0] * count, {}
    for key in sorted(labels, key=lambda key: (-len(labels[key]), min(labels[key]), key)):
        smallest = sizes.index(min(sizes))
        sizes[smallest] += len(labels[key])
        numbers[key] = smallest + 1
    return Folds(seed, tuple(sizes), numbers)


def _count(name: str, size: int | float, total: int) -> int:
    if size < 0 or (isinstance(size, float) and size >= 1):
        raise BadArgumentError(
            f"{name} must be a number of pairs or a fraction from 0 to 1; got {size}"
        )
    return round(size * total) if isinstance(size, float) else size


def _end_of_group(sources: Hashes, count: int) -> int:
    """Return the bound under which lie the first `count` hashes and all that equal the last of
    them."""
    if count == 0 or not len(sources):
        return 0
    return int(sources[min(count, len(sources)) - 1]) + 1


def _key(text: str, seed: int) -> int:
    """Return the hash of a text's letters, marks and digits, without case."""
    return hash_text(bare(text), seed)


def bare(text: str) -> str:
    """Return the letters, marks and digits of a text, without case; a text of none as it is.

    >>> bare("That's it!"), bare("?!")
    ('thatsit', '?!')
    """
    return unicodedata.normalize("NFC", text).casefold().translate(_BARE) or text


class _Bare(dict[int, int | None]):
    """A table for `str.translate` that drops all but letters, marks and digits; filled by use."""

    def __missing__(self, code: int) -> int | None:
        self[code] = code if unicodedata.category(chr(code))[0] in "LMN" else None
        return self[code]


_BARE = _Bare()
