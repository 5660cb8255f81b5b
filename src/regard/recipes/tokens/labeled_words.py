"""Sentences whose words have labels, from CoNLL columns and from records with words or spans."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

from regard.errors import BadArgumentError
from regard.recipes.examples import Example
from regard.records import BadCellError, BadLine, Column, OnBadLine, Role, read_examples, refuse
from regard.records.lines import Decoder, Say, check_file, warn
from regard.records.reader import BadLines, format_of, not_empty, read_groups, suffix_of
from regard.records.roles import is_number
from regard.records.streams import open_bytes
from regard.tasks.token_classification import OUTSIDE

WORDS = ("tokens", "words", "text", "sentence")
LABELS = ("labels", "tags", "ner_tags", "pos_tags", "upos", "spans", "entities", "label")
_WORD = re.compile(r"\w+|[^\w\s]")
# BILOU's names of positions, as BIOES has them.
_POSITIONS = {"L-": "E-", "U-": "S-"}


def of_words(words: Sequence[str], labels: Sequence[str], line: int = 0) -> Example:
    """A sentence of words with a label each; the text is the words with spaces between them."""
    if len(words) != len(labels):
        raise BadArgumentError(
            f"expected a label for each of {len(words)} words; got {len(labels)} labels."
        )
    targets, end = [], -1
    for word, label in zip(words, labels, strict=True):
        start, end = end + 1, end + 1 + len(word)
        targets.append([start, end, _POSITIONS.get(label[:2], label[:2]) + label[2:]])
    return Example(" ".join(words), targets=targets, line=line)


def of_spans(text: str, spans: Sequence[Mapping[str, Any]], line: int = 0) -> Example:
    """A text whose labeled parts have a "start", an "end" and a "label".

    A word is a run of letters and digits, or another character; it ends where a span does.
    """
    parts = sorted((span["start"], span["end"], str(span["label"])) for span in spans)
    for start, end, label in parts:
        if not 0 <= start < end <= len(text):
            raise BadArgumentError(
                f"a span must be inside its text, of {len(text)} characters; got {start} to {end}"
                f" for {label!r}."
            )
    for (_, end, one), (start, _, other) in pairwise(parts):
        if start < end:
            raise BadArgumentError(
                f"spans must not overlap; those of {one!r} and {other!r} do at character {start}."
            )
    edges = sorted({0, len(text), *(edge for start, end, _ in parts for edge in (start, end))})
    label_at = {start: label for start, _, label in parts}
    targets = []
    for start, end in pairwise(edges):
        kind = label_at.get(start)
        for number, word in enumerate(_WORD.finditer(text, start, end)):
            label = OUTSIDE if kind is None else f"{'I' if number else 'B'}-{kind}"
            targets.append([*word.span(), label])
    return Example(text, targets=targets, line=line)


def read_labeled_words(
    path: str, *, word: Column | None = None, label: Column | None = None, **reading: Any
) -> Iterator[Example]:
    """The sentences of a file with their labeled words, one at a time.

    JSON lines and Parquet have a list of words and a list of labels, or a text and a list of spans.
    Any other file is in columns, as CoNLL's: a word and its labels a line, with tabs or spaces
    between, and an empty line between sentences; comments and document marks are left out.

    Args:
        word, label: the columns or fields; in columns numbers from 1, by default the first and the
            last, in CoNLL-U (.conllu) 2 and 4.
    """
    if format_of(Path(path), "text") in ("jsonl", "parquet"):
        roles = (Role("word", WORDS, word), Role("label", LABELS, label))
        return read_examples(path, roles, _of_record, **reading)
    return _of_columns(Path(path), word, label, **reading)


def _of_record(values: tuple[Any, ...], line: int) -> Example:
    words, labels = values
    try:
        if isinstance(words, str) and isinstance(labels, list):
            return of_spans(words, labels, line)
        if isinstance(words, list) and isinstance(labels, list):
            if not all(isinstance(value, str) for value in (*words, *labels)):
                raise BadArgumentError("words and labels must be text, not numbers.")
            return of_words(words, labels, line)
    except BadArgumentError as error:
        raise BadCellError(str(error)) from error
    except (KeyError, TypeError) as error:
        raise BadCellError('a span must have a "start", an "end" and a "label".') from error
    raise BadCellError(
        "expected a list of words and a list of labels, or a text and a list of spans; got"
        f" {type(words).__name__} and {type(labels).__name__}."
    )


def _of_columns(
    path: Path,
    word: Column | None,
    label: Column | None,
    *,
    on_bad_line: OnBadLine = refuse,
    say: Say = warn,
) -> Iterator[Example]:
    check_file(path)
    universal = suffix_of(path) == ".conllu"
    place, label_place = _place(word, 1 if universal else 0), _place(label, 3 if universal else -1)
    bad = BadLines(on_bad_line)
    rows: list[tuple[str, str]] = []
    first, broken = 1, False  # line of the first word, and whether a line cannot be used
    with open_bytes(path) as stream:
        groups = read_groups(stream, str(path), "text", decode=Decoder(str(path), say))
        lines: Iterator[Any] = chain.from_iterable(not_empty(groups, path))
        for number, text in chain(lines, [(0, "")]):
            cells = text.split("\t" if "\t" in text else None) if isinstance(text, str) else []
            if isinstance(text, BadLine):
                bad(text)
                broken = True
            elif not cells:  # the end of a sentence
                if rows and not broken:
                    bad.used = True
                    words, labels = zip(*rows, strict=True)
                    yield of_words(words, labels, first)
                rows, broken = [], False
            elif _is_word(cells, universal):
                if len(cells) <= max(1, place, label_place):
                    problem = f"expected a word and its label; got {cells[0]!r} alone."
                    bad(BadLine(str(path), number, "no label", problem))
                    broken = True
                else:
                    first = first if rows else number
                    rows.append((cells[place], cells[label_place]))
    bad.end()


def _is_word(cells: Sequence[str], universal: bool) -> bool:
    """Return whether a line is a word: no comment, no mark of a document and, in CoNLL-U, neither a
    range of words nor an empty node."""
    if universal:
        return cells[0].isdecimal()
    return cells[0] != "-DOCSTART-" and not (cells[0] == "#" and len(cells) > 2)


def _place(column: Column | None, default: int) -> int:
    """The place of a column from 0."""
    if column is None:
        return default
    if not is_number(column) or int(column) < 1:
        raise BadArgumentError(
            f"a file in columns has numbers for them, from 1; got {column!r}. Give such a number."
        )
    return int(column) - 1
