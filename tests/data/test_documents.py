"""Documents are read from files, folders and records, in pieces that join to the whole."""

import gzip
import json
from itertools import pairwise
from pathlib import Path

import pytest

from regard import RegardError
from regard.data import BadLine
from regard.data.documents import PIECE, read_documents, text_files


def documents(path: Path, **options: str) -> dict[int, str]:
    bad: list[BadLine] = []
    found: dict[int, str] = {}
    for piece in read_documents(path, on_bad_line=bad.append, **options):
        found[piece.document] = found.get(piece.document, "") + piece.text
    return found


def test_a_file_is_a_document_and_its_pieces_join_to_it(tmp_path: Path) -> None:
    text = "".join(f"line {k}\n\n  second\n" * (k % 3 + 1) for k in range(3000))
    file = tmp_path / "book.txt"
    file.write_text(text)
    pieces = list(read_documents(file, on_bad_line=pytest.fail))
    assert len(pieces) > 2
    assert {piece.document for piece in pieces} == {0}
    assert "".join(piece.text for piece in pieces) == text
    for piece, after in pairwise(pieces):
        assert len(piece.text) >= PIECE
        assert piece.text[-2:].strip()
        assert piece.text[-1] == "\n"
        assert after.text[0].strip()


def test_a_folder_has_a_document_a_file(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("b\n")
    (tmp_path / "deep").mkdir()
    with gzip.open(tmp_path / "deep" / "c.txt.gz", "wt") as file:
        file.write("c\n")
    (tmp_path / "a.jsonl").write_text('{"text": "a1"}\n{"text": "a2"}\n')
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    (tmp_path / ".hidden.txt").write_text("no")
    assert documents(tmp_path) == {0: "a1", 1: "a2", 2: "b\n", 3: "c\n"}
    assert [file.name for file in text_files(tmp_path)] == ["a.jsonl", "b.txt", "c.txt.gz"]


def test_records_name_their_column(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text("".join(json.dumps({"id": 1, "words": w}) + "\n" for w in ("x y", "z")))
    assert documents(file, column="words") == {0: "x y", 1: "z"}
    with pytest.raises(RegardError, match="no column that is known to be the text"):
        documents(file)


def test_parquet_is_read(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    from pyarrow import table

    parquet.write_table(table({"text": ["one", "two"]}), tmp_path / "a.parquet")
    assert documents(tmp_path / "a.parquet") == {0: "one", 1: "two"}


def test_bad_input_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text("plain\n")
    with pytest.raises(RegardError, match="is plain text, which has no columns"):
        documents(tmp_path / "x.txt", column="text")
    (tmp_path / "n.jsonl").write_text('{"text": 3}\n')
    with pytest.raises(RegardError, match="line 1: expected a text in 'text'; got int"):
        documents(tmp_path / "n.jsonl")
    (tmp_path / "empty").mkdir()
    with pytest.raises(RegardError, match="expected files of text in the folder"):
        documents(tmp_path / "empty")
