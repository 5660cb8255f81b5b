"""Names for what heads do, by measurement: which keys a pattern is, and when a head has its name.

A head's score for a pattern is the share of a row's weight that falls on the pattern's keys, on
average over the rows in which the mask allows some but not all of the allowed keys to be of it.
Beside it is chance: what the same rows would have if they looked evenly at the keys they may see.

    previous, next   the token before or after: Clark et al. 2019, section 3.1, and Voita et al.
                     2019, section 5.1
    same             the token itself
    first            the first token, where sinks are: Xiao et al. 2024, section 3.1
    separator        other special tokens, such as [SEP] and </s>: Clark et al. 2019, section 3.2
    punctuation      tokens of punctuation alone: Clark et al. 2019, section 3.2
    induction        what followed the same token earlier in the text: Olsson et al. 2022
    alignment        the word that all cross-attention together looks at most, which is the word
                     alignment of `inspection.alignment` by its mean over layers and heads
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import get_args
from weakref import WeakKeyDictionary

from regard.arrays import Array, arrays_of, pieces, without_gradients
from regard.inspection.answers import AxisInfo, PatternName, PatternScore
from regard.inspection.tap import ROWS_AT_ONCE, Tap
from regard.inspection.trace_data import TraceData
from regard.inspection.views.labels import is_special
from regard.shapes import Bool, Float, Int64

NAMED = 0.3  # Gu et al. 2025 call more than this of the weight on the first token a sink
FEW = 4  # rows, of which no head is named
NAMES: tuple[PatternName, ...] = get_args(PatternName)
_MARKS = re.compile(r"^(##)?[▁Ġ\s]*|</w>$")


def named(scores: Sequence[PatternScore]) -> PatternName | None:
    """Return the name of a head with these scores, by one rule for all patterns: the one whose
    share is the most above chance, (share - chance) / (1 - chance), if that is more than 0.3 and
    more than four rows may show it."""
    enough = [score for score in scores if score.rows > FEW]
    best = max(enough, key=above_chance, default=None)
    return best.name if best is not None and above_chance(best) > NAMED else None


def above_chance(score: PatternScore) -> float:
    """0 for a head that looks evenly at what it may see, 1 for one that looks at nothing else."""
    return (score.share - score.chance) / (1 - score.chance)


@dataclass(frozen=True, eq=False)
class Targets:
    """The keys of each pattern in a layer's map, whatever its heads do."""

    # One key of each row, -1 for a row without one.
    places: dict[PatternName, Int64[Array, " queries"]] = field(default_factory=dict)
    # Keys that are the same in all rows.
    columns: dict[PatternName, Bool[Array, " keys"]] = field(default_factory=dict)
    # A number for each key's token, the same for the same token, if induction is looked for.
    tokens: Int64[Array, " keys"] | None = None
    offset: int = 0  # of a row's position among the keys

    @property
    def names(self) -> list[PatternName]:
        there = {*self.places, *self.columns, *(["induction"] if self.tokens is not None else [])}
        return [name for name in NAMES if name in there]

    def followers(self, rows: Array, columns: Array) -> Bool[Array, "queries keys"]:
        """Return the keys whose token before is the row's own, earlier in the text."""
        assert self.tokens is not None
        here = rows[:, None] + self.offset
        before = columns - 1
        alike = self.tokens[arrays_of(before).library.clip(before, min=0)] == self.tokens[here]
        return alike & (before >= 0) & (before < here)


def targets(trace: TraceData, name: str) -> Targets:
    """Find the keys of each pattern in a tap's map."""
    tap = trace[name]
    keys = trace.axes[tap.keys]
    arrays, like = tap.arrays, tap.query
    places: dict[PatternName, Array] = {}
    rows = tap.positions(tap.rows)
    tokens, offset = None, tap.columns - tap.rows
    if tap.kind == "self":
        for pattern, away in (("previous", -1), ("next", 1), ("same", 0)):
            place = rows + offset + away
            outside = (place < 0) | (place >= tap.columns)
            places[pattern] = arrays.filled(place, outside, -1)  # type: ignore[index]
        numbers = {token: number for number, token in enumerate(dict.fromkeys(keys.tokens))}
        if len(numbers) < len(keys.tokens) and trace.task != "vision":
            tokens = arrays.array([numbers[token] for token in keys.tokens], like=like)
    else:
        places["alignment"] = alignment(trace, tap.queries, tap.keys)
    places["first"] = arrays.library.zeros_like(rows)
    columns: dict[PatternName, list[bool]] = {
        "separator": [i > 0 and is_special(token) for i, token in enumerate(keys.tokens)],
        "punctuation": [is_punctuation(token) for token in keys.tokens],
    }
    there = {name: arrays.array(keep, like=like) for name, keep in columns.items() if any(keep)}
    return Targets(places, there, tokens, offset)


def is_punctuation(token: str) -> bool:
    """Return True for characters, without marks of words, that are all of Unicode's category P."""
    text = _MARKS.sub("", token)
    if not text or is_special(token):
        return False
    return all(unicodedata.category(letter).startswith("P") for letter in text)


_alignments: WeakKeyDictionary[Tap, Array] = WeakKeyDictionary()  # by the first of the layers


@without_gradients
def alignment(trace: TraceData, queries: str, keys: str) -> Int64[Array, " queries"]:
    """Return the key of each row that the mean over all heads of all cross-attention layers is
    largest at, among the keys that are no special tokens; -1 for a row that writes a special
    token."""
    axes = ("cross", queries, keys)
    taps = [tap for tap in trace.values() if (tap.kind, tap.queries, tap.keys) == axes]
    if taps[0] not in _alignments:
        _alignments[taps[0]] = _alignment(taps, trace.axes[queries], trace.axes[keys])
    return _alignments[taps[0]]


def _alignment(taps: list[Tap], queries: AxisInfo, keys: AxisInfo) -> Int64[Array, " queries"]:
    arrays, like = taps[0].arrays, taps[0].query
    words = arrays.array([not is_special(token) for token in keys.tokens], like=like)
    columns = taps[0].positions(taps[0].columns)[words]
    keys_of_rows = arrays.library.full_like(rows := taps[0].positions(taps[0].rows), -1)
    if not len(columns):
        return keys_of_rows
    for strip in pieces(rows, max(ROWS_AT_ONCE // len(columns), 1)):
        total = arrays.zeros(len(strip), len(columns), like=like)
        for tap in taps:
            for head in range(tap.heads):
                total += tap.tile(head, strip, columns)
        nothing = arrays.largest(total) == 0
        keys_of_rows[strip] = arrays.filled(columns[total.argmax(1)], nothing, -1)
    writes = [is_special(token) for token in queries.predicts or queries.tokens]
    return arrays.filled(keys_of_rows, arrays.array(writes, like=like), -1)


class Count:
    """Sums of a head's rows on each pattern, added up tile by tile."""

    def __init__(self, targets: Targets, rows: Array) -> None:
        self.targets, self.rows = targets, rows
        names = targets.names
        shape, device, library = (len(names), len(rows)), rows.device, arrays_of(rows).library
        self.at: dict[str, int] = {name: place for place, name in enumerate(names)}
        self.weight = library.zeros(shape, dtype=library.float64, device=device)
        self.allowed = library.zeros(shape, dtype=library.int64, device=device)
        self.seen = library.zeros(len(rows), dtype=library.int64, device=device)

    def add(
        self,
        strip: slice,
        columns: Array,
        weights: Float[Array, "queries keys"],
        hidden: Bool[Array, "queries keys"],
    ) -> None:
        """Return a tile of some of the rows, with neighboring columns."""
        rows = self.rows[strip]
        self.seen[strip] += len(columns) - hidden.sum(1)
        for name, places in self.targets.places.items():
            place = places[rows] - columns[0]
            there = (place >= 0) & (place < len(columns)) & (places[rows] >= 0)
            inside = arrays_of(there).nonzero(there)[0]
            cells = (inside, place[inside])
            self.weight[self.at[name], inside + strip.start] += weights[cells]
            self.allowed[self.at[name], inside + strip.start] += ~hidden[cells]
        for name, keep in self.targets.columns.items():
            places = arrays_of(keep).nonzero(keep[columns])[0]
            self._add(name, strip, weights[:, places], hidden[:, places])
        if self.targets.tokens is not None:
            other = ~self.targets.followers(rows, columns)
            self._add(
                "induction", strip, arrays_of(weights).filled(weights, other, 0), hidden | other
            )

    def _add(self, name: str, strip: slice, weights: Array, hidden: Array) -> None:
        self.weight[self.at[name], strip] += weights.sum(
            1, dtype=arrays_of(weights).library.float64
        )
        self.allowed[self.at[name], strip] += (~hidden).sum(1)

    def scores(self) -> list[PatternScore]:
        """Scores of the patterns that some row may show."""
        scores = []
        for place, name in enumerate(self.targets.names):
            counts = (self.allowed[place] > 0) & (self.allowed[place] < self.seen)
            rows = int(counts.sum())
            if rows:
                chance = float((self.allowed[place][counts] / self.seen[counts]).sum()) / rows
                share = float(self.weight[place][counts].mean())
                scores.append(PatternScore(name, share, chance, rows))
        return scores
