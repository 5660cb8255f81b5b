"""The columns of a file, by the name asked for, a known name, or their order."""

import gzip
from pathlib import Path

import pytest

from regard import RegardError
from regard.records import Role, read_rows

ROLES = (Role("text", ("text", "sentence")), Role("label", ("label",)))


def values(path: Path, *roles: Role) -> list[tuple[object, ...]]:
    return [row.values for row in read_rows(path, roles or ROLES)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tsv", "label\tsentence\n1\ta dog\n"),
        ("a.tsv", "a dog\t1\n"),
        ("a.csv", 'id,Text,label\n7,"a dog",1\n'),
        ("a.csv", "Text;label\na dog;1\n"),
        ("a.jsonl", '{"label": "1", "Sentence": "a dog"}\n\n'),
    ],
)
def test_columns_are_found_by_known_names_or_by_their_order(
    name: str, content: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(content)
    assert values(tmp_path / name) == [("a dog", "1")]


def test_columns_are_named_or_numbered(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("one\ttwo\tthree\n1\t2\t3\n")
    assert values(path, Role("text", (), "two"), Role("label", (), "3")) == [("2", "3")]
    numbered = values(path, Role("text", (), 2), Role("label", (), 3))
    assert numbered == [("two", "three"), ("2", "3")]


def test_parquet_and_gzip_are_read_too(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")

    table = pyarrow.table({"text": ["a", "b"], "label": [["x"], ["x", "y"]]})
    parquet.write_table(table, tmp_path / "a.parquet")
    assert values(tmp_path / "a.parquet") == [("a", ["x"]), ("b", ["x", "y"])]
    (tmp_path / "a.tsv.gz").write_bytes(gzip.compress(b"a\t1\n"))
    assert values(tmp_path / "a.tsv.gz") == [("a", "1")]


def test_a_role_that_is_not_required_may_be_missing(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a", "label": 1}\n')
    pair = Role("pair", ("pair",), required=False)
    assert values(path, *ROLES, pair) == [("a", 1, None)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("one\ttwo\tthree\n", "known to be the text; its columns are one, two, three"),
        ("text\tlabel\na\n", r"line 2: expected 2 columns; got 1"),
    ],
)
def test_columns_that_cannot_be_identified_are_refused(
    content: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.tsv"
    path.write_text(content)
    with pytest.raises(RegardError, match=message):
        values(path)


def test_a_column_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"words": "a", "kind": 1}\n')
    with pytest.raises(
        RegardError, match=r"has no column 'text'; its columns are words, kind\. Name one"
    ):
        values(path, Role("text", (), "text"))
