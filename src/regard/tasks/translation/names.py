"""Sentence pairs in which a name stands on both sides, again with other names in its place.

A translator learns from them to copy a name that it has never seen: Currey et al. 2017, "Copied
Monolingual Data Improves Low-Resource Neural Machine Translation", copy whole sentences for it.

A name is a word that is capitalized on both sides and not found in small letters on either. Between
languages of different scripts names are transliterated, so nothing is found there.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from random import Random

from regard.letters import uncompounded

# Names that training never puts into sentences, so that a test can ask for them; their German form
# is the same.
GIVEN = (
    "Wojciech", "Saoirse", "Ludmila", "Thandiwe", "Rodrigo", "Akiko", "Nadine", "Oluwaseun",
    "Nkechi", "Siobhan", "Benedikta", "Kwame", "Ingeborg", "Tadeusz", "Xiomara", "Yusuf",
    "Leokadia", "Priya", "Zoltan", "Aurelio", "Bronwyn", "Chidi", "Eilidh", "Gwendolyn",
)  # fmt: skip
SURNAMES = (
    "Nakamura", "Kowalczyk", "Okonkwo", "Fitzgerald", "Lindqvist", "Papadopoulos", "Rasmussen",
    "Castellano", "Grabowski", "Abernathy", "Whitlock", "Hosseini", "Mbeki", "Szymborska",
    "Vandermeer", "Thackeray", "Quintero", "Novak", "Ogilvie", "Haverford", "Delacroix",
    "Ramaswamy", "Ulyanov", "Bjornstad",
)  # fmt: skip
COMPANIES = (
    "Apple", "Siemens", "Nokia", "Bosch", "Netflix", "Airbus", "Samsung", "Lufthansa", "Spotify",
    "Ericsson", "Unilever", "Pfizer", "Lego", "Huawei", "Bayer", "Nestle", "Panasonic", "Adobe",
    "Intel", "Philips",
)  # fmt: skip
CITIES = (
    "Nairobi", "Reykjavik", "Montevideo", "Kathmandu", "Tashkent",
    "Ouagadougou", "Saskatoon", "Lubumbashi", "Gdansk", "Chattanooga",
    "Antananarivo", "Malmo", "Ljubljana", "Adelaide", "Marrakesh", "Tromso", "Guadalajara",
    "Kampala", "Ipswich",
)  # fmt: skip

HELD_OUT = frozenset((*GIVEN, *SURNAMES, *COMPANIES, *CITIES))


_WORD = uncompounded()  # what follows an apostrophe is another word
# Capitalized in English, and in German the same or alike: they take other prepositions than names.
_CALENDAR = frozenset((
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december", "monday", "tuesday", "wednesday", "thursday", "friday",
    "saturday", "sunday",
))  # fmt: skip
_SHARE_IN_SMALL = 0.01  # of a word's occurrences, up to which it may be a name
_LETTERS, _END = (3, 11), "$"
_ONSETS = (
    "b", "br", "c", "ch", "d", "dr", "f", "fl", "g", "gr", "h", "j", "k", "kl", "kr", "l",
    "m", "n", "p", "pr", "q", "r", "s", "sch", "sh", "sk", "st", "t", "th", "tr", "v", "w",
    "x", "y", "z",
)  # fmt: skip
_VOWELS = ("a", "e", "i", "o", "u", "y", "ai", "ei", "ia", "io", "oa", "ou", "uu")
_CODAS = (
    "", "", "", "n", "r", "s", "l", "k", "m", "t", "nd", "rt", "ng", "sz", "ck", "th", "ff",
    "x",
)  # fmt: skip


@dataclass
class Names:
    """The names of a training set, and how to put others in their place."""

    found: list[str]  # those that stand on both sides of a pair, sorted
    words: list[str]  # words of the source in small letters, sorted
    known: frozenset[str]  # every word, in small letters
    _after: dict[str, list[str]] = field(default_factory=dict)  # two letters → what follows them

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> "Names":
        """Read the pairs of a training set once."""
        counts: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        candidates: Counter[str] = Counter()
        for source, target in pairs:
            sides = _WORD.findall(source), _WORD.findall(target)
            for counter, words in zip(counts, sides, strict=True):
                counter.update(words)
            candidates.update({w for w in sides[0] if _capitalized(w)} & {*sides[1]})
        small = [word for word in counts[0] if word.islower() and len(word) > 3]
        found = [word for word in candidates if _is_name(word, counts)]
        known = frozenset(word.lower() for side in counts for word in side)
        return cls(sorted({*found} - HELD_OUT), sorted(small), known)

    def __post_init__(self) -> None:
        for name in self.found:
            spelled = f"^^{name.lower()}{_END}"
            for place in range(2, len(spelled)):
                self._after.setdefault(spelled[place - 2 : place], []).append(spelled[place])
        self._is_found = frozenset(self.found)

    def of_pair(self, source: str, target: str) -> list[str]:
        """Return the names that stand equally often on both sides, in the order of the source."""
        words, theirs = Counter(_WORD.findall(source)), Counter(_WORD.findall(target))
        names = [word for word in words if word in self._is_found]
        return [
            w
            for w in names
            if words[w] == theirs[w] + (theirs[f"{w}s"] if f"{w}s" not in words else 0)
        ]

    def variants(
        self, source: str, target: str, count: float, draw: Random
    ) -> Iterator[tuple[str, str]]:
        """Yield the pair with other names, `count` times on average; nothing for a pair without
        names."""
        if names := self.of_pair(source, target):
            for _ in range(int(count) + (draw.random() < count % 1)):
                yield self.replaced(source, target, names, draw)

    def replaced(self, source: str, target: str, names: list[str], draw: Random) -> tuple[str, str]:
        """Return the pair with another name in place of each of `names`."""
        others: dict[str, str] = {}
        for name in names:
            begins = _WORD.search(source)
            first = begins is not None and begins[0] == name
            genitive = f"{name}s" in target  # German writes Hans', not Hanss
            other = name
            while other in (*names, *others.values()) or (genitive and other[-1] in "sxzß"):
                other = self.new(draw, begins_sentence=first)
            others[name] = other
        genitives = {f"{old}s": f"{new}s" for old, new in others.items() if f"{old}s" not in source}
        return put(source, others), put(target, others | genitives)

    def new(self, draw: Random, *, begins_sentence: bool = False) -> str:
        """Return a name: of the training set, made up of its letters, of syllables, or a word that
        is written as a name. At the beginning of a sentence the last would be ambiguous."""
        while True:
            kind = draw.random()
            if kind < 0.25:
                name = draw.choice(self.found)
            elif kind < 0.4 and not begins_sentence and self.words:
                name = draw.choice(self.words).capitalize()
            else:
                name = self._spelled(draw) if kind < 0.7 else _syllables(draw)
                if name.lower() in self.known:
                    continue
            if name not in HELD_OUT and _LETTERS[0] <= len(name) <= _LETTERS[1]:
                return name

    def _spelled(self, draw: Random) -> str:
        letters = "^^"
        while (letter := draw.choice(self._after[letters[-2:]])) != _END:
            letters += letter
        return letters[2:].capitalize()


def put(text: str, others: dict[str, str]) -> str:
    """Return the text with other words in place of some."""
    return _WORD.sub(lambda found: others.get(found[0], found[0]), text)


def _capitalized(word: str) -> bool:
    return len(word) >= _LETTERS[0] and word[0].isupper() and word[1:].islower()


def _is_name(word: str, counts: tuple[Counter[str], Counter[str]]) -> bool:
    small = word.lower()
    often = all(side[small] <= _SHARE_IN_SMALL * side[word] for side in counts)
    return often and small not in _CALENDAR


def _syllables(draw: Random) -> str:
    parts = [
        draw.choice(_ONSETS) + draw.choice(_VOWELS) + draw.choice(_CODAS)
        for _ in range(draw.choice((1, 2, 2, 3)))
    ]
    return "".join(parts).capitalize()
