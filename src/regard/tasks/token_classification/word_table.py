"""Sentences in CSV: a word a row, or the words and the labels of a sentence as two lists."""

import re
from collections.abc import Iterator
from pathlib import Path

from regard.data import BadLine, Column, OnBadLine, Role, refuse
from regard.data.cells import MISSING, literal
from regard.data.columns import Columns, quiet
from regard.data.lines import Decoder, Say, check_file, warn
from regard.data.reader import BadLines, not_empty, read_groups, together
from regard.data.streams import open_bytes
from regard.errors import BadArgumentError, DamagedFileError
from regard.tasks.token_classification.examples import LABEL_COLUMNS, WORD_COLUMNS, of_words
from regard.training.examples import Example

_SENTENCE = ("sentence_id", "sentence_#", "sentence_no", "sentence_number", "sent_id", "sentence")
_MOST = 1000  # words of a sentence; a file without a mark between sentences has more


def read_table(
    path: Path,
    word: Column | None,
    label: Column | None,
    *,
    on_bad_line: OnBadLine = refuse,
    say: Say = warn,
    note: Say = quiet,
) -> Iterator[Example]:
    """Yield the sentences of CSV, one at a time: a sentence ends where its number changes, which
    may stand at its first word only, and at an empty row."""
    check_file(path)
    roles = (
        Role("word", WORD_COLUMNS, word, text=True),
        Role("label", LABEL_COLUMNS, label, label=True),
        Role("sentence", _SENTENCE, required=False),
    )
    columns = Columns(str(path), roles, exact=True, say=say, note=note)
    bad, current = BadLines(on_bad_line), ""
    rows: list[tuple[str, str, int]] = []
    broken = False

    def sentence() -> Iterator[Example]:
        nonlocal rows, broken
        if len(rows) > _MOST:
            raise DamagedFileError(
                f"{path} has {len(rows):,} words without an end of a sentence: expected a column"
                " sentence_id, or an empty row between sentences. Add one of them."
            )
        if rows and not broken:
            bad.used = True
            words, labels, lines = zip(*rows, strict=True)
            yield of_words(words, labels, lines[0])
        rows, broken = [], False

    with open_bytes(path) as stream:
        groups = read_groups(stream, str(path), "csv", decode=Decoder(str(path), say))
        for group in together(not_empty(groups, path)):
            columns.begin(group)
            for line, record in group:
                if record is None:
                    yield from sentence()
                for number, values in columns.rows([(line, record)]):
                    if isinstance(values, BadLine):
                        bad(values)
                        broken = True
                        continue
                    text, labels, name = values
                    name = (name or "").strip()
                    if name and name.lower() not in MISSING and name != current:
                        yield from sentence()
                        current = name
                    if (lists := _lists(text, labels)) is not None:
                        try:
                            yield of_words(*lists, number)
                            bad.used = True
                        except BadArgumentError as error:
                            bad(BadLine(str(path), number, "wrong cell", str(error)))
                    elif not (text.strip() and labels.strip()):
                        problem = "expected a word and its label; got an empty cell."
                        bad(BadLine(str(path), number, "no label", problem))
                        broken = True
                    else:
                        rows.append((text.strip(), labels.strip(), number))
    yield from sentence()
    bad.end()


def _lists(words: str, labels: str) -> tuple[list[str], list[str]] | None:
    """Return the words and labels of a row that is a sentence, as lists or with spaces between."""
    one, other = literal(words), literal(labels)
    if isinstance(other, list):
        listed = one if isinstance(one, list) else _split(words)
        return [str(word) for word in listed], [str(label) for label in other]
    parts = _split(words), _split(labels)
    return parts if len(parts[0]) == len(parts[1]) > 1 else None


def _split(cell: str) -> list[str]:
    """Return the parts of a cell between plain spaces; any other space is part of a word."""
    return re.split(r"[ \t\n]+", cell.strip())
