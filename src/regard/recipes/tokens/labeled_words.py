"""Sentences whose words have labels, from CoNLL columns and from records with words or spans."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any

from regard.errors import BadArgumentError
from regard.recipes.examples import Example
from regard.tasks.token_classification import OUTSIDE

_WORD = re.compile(r"\w+|[^\w\s]")
# BILOU's names of positions, as BIOES has them.
_POSITIONS = {"L-": "E-", "U-": "S-"}


def of_words(words: Sequence[str], labels: Sequence[str], line: int = 0) -> Example:
    """A sentence of words with a label each; the text is the words with spaces between them.

    Raises:
        BadArgumentError: not as many labels as words.
    """
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

    Raises:
        BadArgumentError: a span that is not in the text, or that overlaps with another.
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
        label = label_at.get(start)
        for number, word in enumerate(_WORD.finditer(text, start, end)):
            position = "" if label is None else "I-" if number else "B-"
            targets.append([*word.span(), position + (label or OUTSIDE)])
    return Example(text, targets=targets, line=line)


def conll_sentences(lines: Iterator[tuple[int, str]]) -> Iterator[Example]:
    """The sentences of a file in columns, the word first and its label last, with tabs or spaces
    between; an empty line ends a sentence. Comments (#) and document marks are left out.

    Raises:
        BadArgumentError: a line of one column.
    """
    rows = ((number, line.split("\t") if "\t" in line else line.split()) for number, line in lines)
    kept = (
        (number, row)
        for number, row in rows
        if not row or (row[0] != "-DOCSTART-" and not (row[0].startswith("#") and len(row) != 2))
    )
    for has_words, group in groupby(kept, key=lambda entry: bool(entry[1] and entry[1][0])):
        sentence = list(group) if has_words else []
        for number, row in sentence:
            if len(row) < 2:
                raise BadArgumentError(
                    f"line {number:,}: expected a word and its label; got {row[0]!r} alone."
                )
        if sentence:
            words, labels = zip(*((row[0], row[-1]) for _, row in sentence), strict=True)
            yield of_words(words, labels, sentence[0][0])
