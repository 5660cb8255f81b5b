"""Sentence pairs: rows with the roles source and target, or the lines of two files."""

from collections.abc import Iterator
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from regard.data.columns import quiet
from regard.data.lines import (
    BadLine,
    Decoder,
    OnBadLine,
    Say,
    check_file,
    read_lines,
    refuse,
    warn,
)
from regard.data.memories import MEMORIES, read_memory
from regard.data.reader import BadLines, Format, not_empty, read_examples, suffix_of
from regard.data.roles import Column, Role
from regard.data.streams import open_bytes
from regard.errors import BadArgumentError, DamagedFileError

SOURCE = ("source", "src", "source_text", "input", "sentence1")
TARGET = ("target", "tgt", "trg", "target_text", "output", "sentence2", "translation")


class Pair(NamedTuple):
    """A source sentence, its translation, and the line (from 1) or row of the file.

    >>> Pair("the old dog runs", "der alte Hund läuft", line=1).target
    'der alte Hund läuft'
    """

    source: str
    target: str
    line: int


def read_pairs(
    path: str | Path | tuple[str | Path, str | Path],
    *,
    source_column: Column | None = None,
    target_column: Column | None = None,
    format: Format | None = None,
    languages: tuple[str, str] | None = None,
    on_bad_line: OnBadLine = refuse,
    **reading: Any,
) -> Iterator[Pair]:
    """Return the sentence pairs of a file, or of two files whose lines correspond.

    The form follows from the name (.tsv .txt .csv .jsonl .parquet, each also with .gz; tabs where
    the name says nothing) or from `format`. Columns are named, or numbered from 1 as `cut` does;
    by default the first two, or those that a header or JSON fields call source and target, src
    and tgt, en and de, or Hugging Face's {"translation": {"en": …, "de": …}}.

    TMX and XLIFF have the texts of two languages, or of several of which `languages` names two, the
    source's first; they also say which of two columns of their names is which.

    A line that holds no pair (no tab, not UTF-8, not JSON) goes to `on_bad_line`, which by
    default raises RegardError with its number. RegardError is also raised for a missing or empty
    file, a missing column (the message lists those there) and two files of unequal length.

    Args:
        reading: `delimiter` and `say`, as `regard.data.read_examples` takes them.

    >>> pairs = read_pairs("pairs.tsv")
    >>> next(pairs)
    Pair(source='the old dog runs', target='der alte Hund läuft', line=1)
    """
    if isinstance(path, tuple):
        if source_column is not None or target_column is not None or format is not None:
            raise BadArgumentError(
                "two parallel files are read whole, line by line: leave out the columns and the "
                "format, or give one file"
            )
        source, target = Path(path[0]), Path(path[1])
        check_file(source)
        check_file(target)
        return _read_parallel(source, target, on_bad_line, **reading)
    if (source_column is None) != (target_column is None):
        raise BadArgumentError(
            "name both source_column and target_column, or neither; got one of them"
        )
    if suffix_of(Path(path)) in MEMORIES:
        check_file(Path(path))
        memory = read_memory(
            Path(path), languages, reading.get("note", quiet), reading.get("say", warn)
        )
        return (Pair(source, target, line) for line, source, target in memory)
    names = [(), ()] if languages is None else [(language.lower(),) for language in languages]
    roles = (
        Role("source", SOURCE + names[0], source_column, text=True, language=True),
        Role("target", TARGET + names[1], target_column, text=True, language=True),
    )
    return read_examples(path, roles, _pair, format=format, on_bad_line=on_bad_line, **reading)


def _pair(values: tuple[Any, ...], line: int) -> Pair:
    source, target = values
    return Pair(source or "", target or "", line)


def _read_parallel(
    source: Path, target: Path, on_bad_line: OnBadLine, *, say: Say = warn, note: Say = quiet
) -> Iterator[Pair]:
    bad, counts = BadLines(on_bad_line), [0, 0]
    with open_bytes(source) as one, open_bytes(target) as other:
        sides = [
            chain.from_iterable(not_empty(read_lines(stream, Decoder(str(path), say)), path))
            for stream, path in ((one, source), (other, target))
        ]
        for number, texts in enumerate(zip_longest(*sides), start=1):
            for side, text in enumerate(texts):
                counts[side] += text is not None
            if counts[0] != counts[1]:
                continue  # one file has ended: only count on, for the message
            first, second = texts
            if isinstance(first, BadLine):
                bad(first)
            elif isinstance(second, BadLine):
                bad(second)
            else:
                bad.used = True
                yield Pair(first, second, number)
    if counts[0] != counts[1]:
        raise DamagedFileError(
            f"two parallel files must have the same number of lines; {source} has"
            f" {counts[0]:,} and {target} has {counts[1]:,}: find the line where they diverge"
        )
    bad.end()
