"""Read the documents of a file or folder of running text, in pieces: a text may exceed memory."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from regard.data.lines import (
    BadLine,
    Decoder,
    OnBadLine,
    Say,
    check_file,
    read_lines,
    warn,
)
from regard.data.reader import BadLines, not_empty, read_examples, suffix_of
from regard.data.roles import Role
from regard.data.streams import open_bytes
from regard.errors import BadArgumentError, NotFoundError

PIECE = 16_384  # characters from which a piece ends at the next suitable line
TEXT = ("text", "content", "document", "body", "story", "article")
_RECORDS = (".jsonl", ".ndjson", ".json", ".parquet", ".csv", ".tsv", ".tab")
_TEXTS = (".txt", ".text", ".md")


class Piece(NamedTuple):
    """A part of a document; the pieces of one document follow one another."""

    document: int  # from 0
    text: str


def text_files(path: str | Path) -> list[Path]:
    """Return the files of a folder that hold documents, by their names; or the file itself."""
    path = Path(path)
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.rglob("*") if file.is_file() and _is_text(file, path))
    if not files:
        raise NotFoundError(
            f"expected files of text in the folder {path} ({', '.join((*_TEXTS, *_RECORDS))}, each"
            " also with .gz); it has no such file. Name another folder, or a file."
        )
    return files


def read_documents(
    path: str | Path, *, column: str | None = None, on_bad_line: OnBadLine, say: Say = warn
) -> Iterator[Piece]:
    """Yield the documents of a file or folder: of a table or JSON lines its rows, else the whole
    file.

    A line of text keeps its line feed. Pieces are cut between two lines neither of which is blank
    at the cut, where every tokenizer of `regard.text.continuous` cuts as well.

    Args:
        column: of the texts in files of records; by default the first known name, "text" above all.
    """
    number = 0
    for file in text_files(path):
        check_file(file)
        if suffix_of(file) in _RECORDS:
            role = Role("text", TEXT, column, text=True)
            reading: Any = {"on_bad_line": on_bad_line, "say": say}
            for text in read_examples(file, (role,), lambda values, _: values[0] or "", **reading):
                yield Piece(number, text)
                number += 1
            continue
        if column is not None:
            raise BadArgumentError(
                f"{file} is plain text, which has no columns; got the column {column!r}. Leave it"
                " out, or give JSON lines, CSV or Parquet."
            )
        for text in _lines(file, on_bad_line, say):
            yield Piece(number, text)
        number += 1


def _lines(file: Path, on_bad_line: OnBadLine, say: Say) -> Iterator[str]:
    lines: list[str] = []
    size, bad = 0, BadLines(on_bad_line)
    with open_bytes(file) as stream:
        for group in not_empty(read_lines(stream, Decoder(str(file), say)), file):
            for line in group:
                if isinstance(line, BadLine):
                    bad(line)
                    continue
                bad.used = True
                # One line feed, and no other white space, is where two lines meet.
                joins = lines and lines[-1][-2:-1].strip() and line[:1].strip()
                if size >= PIECE and (joins or size >= 64 * PIECE):
                    yield "".join(lines)
                    lines, size = [], 0
                lines.append(line + "\n")
                size += len(line) + 1
    bad.end()
    if lines:
        yield "".join(lines)


def _is_text(file: Path, folder: Path) -> bool:
    hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
    return not hidden and suffix_of(file) in (*_TEXTS, *_RECORDS)
