"""Sentences in columns, as CoNLL's: a word and its labels a line, and an empty line at the end."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from regard.data import BadLine, Column, OnBadLine, refuse
from regard.data.columns import Record, quiet
from regard.data.lines import Decoder, Say, check_file, warn
from regard.data.reader import BadLines, not_empty, read_groups, suffix_of, together
from regard.data.roles import is_number
from regard.data.streams import open_bytes
from regard.errors import BadArgumentError
from regard.tasks.token_classification.examples import LABEL_COLUMNS, WORD_COLUMNS, of_words
from regard.training.examples import Example

_TAG = re.compile(r"O|[BIESLU]-\S+")
_SPACES = re.compile(" +")
_FIELD = re.compile(r"#\s*\S+\s*=")  # a comment of CoNLL-U
_DOCUMENT = "-DOCSTART-"


@dataclass(frozen=True)
class _Layout:
    """Columns of the words and their labels, by the first lines of a file."""

    width: int  # columns of most lines
    word: int
    label: int  # -1: the last
    universal: bool  # CoNLL-U: ranges of words and empty nodes are left out
    header: list[str] | None  # the first line, if it names the columns
    labels: frozenset[str]  # those that the first lines have
    why: str = ""

    @classmethod
    def of(cls, lines: Sequence[str], conllu: bool) -> "_Layout":
        rows = [_cells(line) for line in lines if line.strip(" \t")]
        rows = [row for row in rows if row[0][:1] != "#" and row[0] != _DOCUMENT]
        rows = rows or [[""]]
        width = Counter(map(len, rows)).most_common(1)[0][0]
        rows = [row for row in rows if len(row) == width] or rows
        header = [cell.lower() for cell in rows[0]]
        word, label = (
            next((header.index(name) for name in names if name in header), None)
            for names in (WORD_COLUMNS, LABEL_COLUMNS)
        )
        if word is not None and label is not None:
            return cls(width, word, label, False, rows[0], _labels(rows[1:], label))
        columns = list(zip(*rows, strict=True))
        tags = [all(map(_TAG.fullmatch, column)) for column in columns]
        counted = all(re.fullmatch(r"\d+(?:[-.]\d+)?", cell) for cell in columns[0])
        word, label, why = 0, -1, ""
        if conllu or (counted and width == 10):
            word, label = 1, 3
            why = "" if conllu else "the ten columns of CoNLL-U"
        elif counted and width > 2:
            word, why = 1, "the first column counts the words"
            if width == 4 and tags[2] and tags[3]:
                label = 2
        elif width == 2 and tags[0] and not tags[1]:
            word, label, why = 1, 0, "the first column has labels only"
        universal = conllu or width == 10
        return cls(width, word, label, universal, None, _labels(rows, label), why)

    def said(self) -> str:
        label = self.label if self.label >= 0 else self.width - 1
        why = f" ({self.why})" if self.why else ""
        return f"the word is column {self.word + 1}; the label is column {label + 1}{why}"

    def is_word(self, text: str, cells: Sequence[str]) -> bool:
        """Return whether a line is a word: no mark of a document, no comment, which is as wide as
        the others by chance at most, and neither a range of words nor an empty node."""
        if self.universal:
            return cells[0].isdecimal()
        if cells == self.header or cells[0] == _DOCUMENT:
            return False
        if not text.startswith("#"):
            return True
        last = cells[self.label] if len(cells) == self.width else ""
        return not _FIELD.match(text) and (last in self.labels or bool(_TAG.fullmatch(last)))


def read_columns(
    path: Path,
    word: Column | None,
    label: Column | None,
    *,
    on_bad_line: OnBadLine = refuse,
    say: Say = warn,
    note: Say = quiet,
) -> Iterator[Example]:
    """Yield the sentences of a file in columns, one at a time; see `read_labeled_words`."""
    check_file(path)
    bad = BadLines(on_bad_line)
    rows: list[tuple[str, str]] = []
    first, broken = 1, False  # line of the first word, and whether a line cannot be used
    chosen = _place(word), _place(label)
    layout: _Layout | None = None
    with open_bytes(path) as stream:
        groups = read_groups(stream, str(path), "text", decode=Decoder(str(path), say))
        end: list[Record] = [(0, "")]
        for group in chain(together(not_empty(groups, path)), [end]):
            if layout is None:
                lines = [text for _, text in group if isinstance(text, str)]
                layout = _Layout.of(lines, suffix_of(path) == ".conllu")
                places = [
                    theirs if ours is None else ours
                    for ours, theirs in zip(chosen, (layout.word, layout.label), strict=True)
                ]
                tell = say if layout.why and chosen == (None, None) else note
                tell(f"{path}: {layout.said()}")
            for number, text in group:
                cells = _cells(text) if isinstance(text, str) else []
                if isinstance(text, BadLine):
                    bad(text)
                    broken = True
                elif not cells:  # the end of a sentence
                    if rows and not broken:
                        bad.used = True
                        words, labels = zip(*rows, strict=True)
                        yield of_words(words, labels, first)
                    rows, broken = [], False
                elif layout.is_word(str(text), cells):
                    problem = _problem(cells, layout.width, places)
                    broken |= problem is not None
                    if problem is not None:
                        bad(BadLine(str(path), number, "no label", problem))
                    else:
                        first = first if rows else number
                        rows.append((cells[places[0]], cells[places[1]]))
    bad.end()


def _cells(line: str) -> list[str]:
    """Return the columns of a line, between tabs or else spaces; another space is part of a
    word."""
    line = line.strip(" ") if "\t" not in line else line.rstrip(" \t")
    return (line.split("\t") if "\t" in line else _SPACES.split(line)) if line else []


def _labels(rows: Sequence[Sequence[str]], label: int) -> frozenset[str]:
    return frozenset(row[label] for row in rows if -len(row) <= label < len(row))


def _problem(cells: Sequence[str], width: int, places: Sequence[int]) -> str | None:
    """Describe what is wrong with the line of a word; None: nothing."""
    if len(cells) <= max(1, *places):
        return f"expected a word and its label; got {cells[0]!r} alone."
    if len(cells) != width:
        return f"expected {width} columns like most lines; got {len(cells)}."
    if not all(cells[place].strip() for place in places):
        return "expected a word and its label; got an empty column."
    return None


def _place(column: Column | None) -> int | None:
    """Return the place of a column from 0."""
    if column is None:
        return None
    if not is_number(column) or int(column) < 1:
        raise BadArgumentError(
            f"a file in columns has numbers for them, from 1; got {column!r}. Give such a number."
        )
    return int(column) - 1
