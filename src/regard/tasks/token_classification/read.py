"""Sentences whose words have labels, of files in columns, tables and records."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from regard.data import BadCellError, Column, Role, read_examples
from regard.data.lines import Say, refuse_markup, warn
from regard.data.reader import format_of
from regard.errors import BadArgumentError, DamagedFileError
from regard.letters import edge, is_whole
from regard.tasks.token_classification.annotations import spans_of
from regard.tasks.token_classification.examples import of_spans, of_words
from regard.tasks.token_classification.word_columns import read_columns
from regard.tasks.token_classification.word_table import read_table
from regard.training.examples import Example

WORDS = ("tokens", "words", "text", "sentence")
LABELS: tuple[str, ...] = (
    "labels",
    "tags",
    "ner_tags",
    "pos_tags",
    "upos",
    "spans",
    "entities",
    "label",
)
LABELS += ("annotations", "ner", "completions")


def read_labeled_words(
    path: str, *, word: Column | None = None, label: Column | None = None, **reading: Any
) -> Iterator[Example]:
    """Return the sentences of a file with their labeled words, one at a time.

    JSON and Parquet have a list of words and a list of labels, or a text and a list of spans, which
    may be doccano's, spaCy's, Prodigy's or Label Studio's. CSV has a word a row. Any other file is
    in columns, as CoNLL's: a word and its labels a line, with tabs or spaces between, and an empty
    line between sentences; comments before a sentence and document marks are left out.

    Args:
        word, label: the columns or fields; in columns numbers from 1, by default the first and the
            last, in CoNLL-U (.conllu) 2 and 4.
    """
    kind = format_of(Path(path), "text")
    if kind in ("jsonl", "parquet"):
        roles = (
            Role("word", WORDS, word),
            Role("label", LABELS, label),
            Role("text", ("text",), required=False),
        )
        return _of_records(path, roles, **reading)
    if kind != "csv":
        refuse_markup(Path(path))
    read = read_table if kind == "csv" else read_columns
    return read(Path(path), word, label, **reading)


def _of_records(
    path: str, roles: Sequence[Role], *, say: Say = warn, **reading: Any
) -> Iterator[Example]:
    """Yield the sentences of records, and what is said of spans that begin or end inside a word.

    Raises:
        DamagedFileError: most of the first spans do.
    """
    advice = "counted in bytes or in the words' letters, not in characters of the text?"

    def look(rows: Sequence[tuple[Any, ...]]) -> None:
        wholes = [whole for values in rows for whole in _wholes(values)]
        if len(wholes) > 2 and 2 * sum(wholes) < len(wholes):
            raise DamagedFileError(
                f"{path}: {len(wholes) - sum(wholes):,} of the first {len(wholes):,} spans begin or"
                f" end inside a word: are they {advice}"
            )

    def example(values: tuple[Any, ...], line: int) -> Example:
        sentence = _of_record(values, line)
        inside.extend([line] * _wholes(values).count(False))
        return sentence

    inside: list[int] = []  # the line of each span that begins or ends inside a word
    yield from read_examples(path, roles, example, say=say, look=look, **reading)
    if inside:
        say(
            f"{path}: {len(inside):,} spans begin or end inside a word, the first in line"
            f" {inside[0]:,}: are they {advice}"
        )


def _wholes(values: tuple[Any, ...]) -> list[bool]:
    """Return for each span of a record, if it has spans, whether it begins and ends as words do."""
    words, labels, text = values
    text = words if isinstance(words, str) else text
    if not (isinstance(text, str) and isinstance(labels, list)):
        return []
    try:
        spans = spans_of(labels)
    except BadCellError:
        return []
    return [
        is_whole(text, span["start"], edge(text, span["end"]))
        for span in spans
        if 0 <= span["start"] < span["end"] <= len(text)
    ]


def _of_record(values: tuple[Any, ...], line: int) -> Example:
    words, labels, text = values
    try:
        if isinstance(labels, list) and any(isinstance(one, dict | list) for one in labels):
            words = words if isinstance(words, str) else text
            if isinstance(words, str):
                return of_spans(words, spans_of(labels), line)
        if isinstance(text, str) and isinstance(labels, list) and not labels:
            words = text
        if isinstance(words, str) and isinstance(labels, list):
            return of_spans(words, spans_of(labels), line)
        if isinstance(words, list) and isinstance(labels, list):
            if not all(isinstance(value, str) for value in (*words, *labels)):
                raise BadArgumentError(
                    "words and labels must be text, not numbers: write the labels' names, such as"
                    " B-PER, which a data set's features have."
                )
            return of_words(words, labels, line)
    except BadArgumentError as error:
        raise BadCellError(str(error)) from error
    raise BadCellError(
        "expected a list of words and a list of labels, or a text and a list of spans; got"
        f" {type(words).__name__} and {type(labels).__name__}."
    )
