"""A user's glossary: terms of the source, and the translations that a text with one must have."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from regard.data.lines import BadLine, Decoder, check_file, read_lines, warn
from regard.data.streams import open_bytes
from regard.errors import BadArgumentError
from regard.letters import whole
from regard.text import normalize

BETWEEN = "|"  # translations of one term


@dataclass(frozen=True)
class Glossary:
    """Terms, each with its translations, one of which is to be in the target.

    >>> glossary = Glossary.of({"house": "Haus|Häuser", "house cat": "Hauskatze"})
    >>> glossary.found_in("House cats? The house of a house cat.")
    [('Haus', 'Häuser'), ('Hauskatze',)]
    """

    terms: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, terms: str | os.PathLike[str] | Mapping[str, str]) -> Glossary:
        """Return the glossary in a file, or of terms with their translations.

        Raises:
            BadArgumentError: a side is empty, or a term has two translations; with the line of a
                file.
            NotFoundError: no such file.
        """
        if isinstance(terms, Mapping):
            pairs = enumerate(terms.items(), start=1)
            return cls._made((f"term {k} of the glossary", *pair) for k, pair in pairs)
        path = Path(terms)
        check_file(path)
        with open_bytes(path) as file:
            lines = [line for group in read_lines(file, Decoder(str(path), warn)) for line in group]
        rows = []
        for number, line in enumerate(lines, start=1):
            place = f"line {number} of {path}"
            text = "" if isinstance(line, BadLine) else line
            sides = text.split("\t")
            if text.strip() and len(sides) != 2:
                raise BadArgumentError(
                    f"{place} must be a term, a tab and its translation; got {text[:60]!r}."
                )
            if isinstance(line, BadLine):
                raise BadArgumentError(f"{place} cannot be read: {line.message}")
            rows += [(place, *sides)] if text.strip() else []
        return cls._made((place, source, target) for place, source, target in rows)

    @classmethod
    def _made(cls, rows: Iterable[tuple[str, str, str]]) -> Glossary:
        terms, places = dict[str, tuple[str, ...]](), dict[str, str]()
        for place, source, target in rows:
            term = normalize(source)
            variants = tuple(normalize(each) for each in target.split(BETWEEN))
            if not term or not all(variants):
                raise BadArgumentError(
                    f"{place} must have a term and its translation, {BETWEEN!r} between several;"
                    f" got {source!r} and {target!r}."
                )
            key = term[0].lower() + term[1:]
            if terms.setdefault(key, variants) != variants:
                raise BadArgumentError(
                    f"{place} contradicts {places[key]}: {term!r} has another translation there."
                    f" Write the variants in one, such as"
                    f" {BETWEEN.join((*terms[key], *variants))!r}."
                )
            places.setdefault(key, place)
        if not terms:
            raise BadArgumentError("the glossary must have a term at least; it has none.")
        return cls(terms)

    def found_in(self, text: str) -> list[tuple[str, ...]]:
        """Return the translations of each term in a text, the longest of terms that overlap."""
        keys = (
            match[0][0].lower() + match[0][1:] for match in self._pattern.finditer(normalize(text))
        )
        return [self.terms[key] for key in dict.fromkeys(keys)]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        longest = sorted(self.terms, key=len, reverse=True)
        either = (f"[{re.escape(t[0].upper() + t[0])}]{re.escape(t[1:])}" for t in longest)
        return whole("|".join(either))
