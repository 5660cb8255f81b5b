"""The columns of a file, by the name asked for, a known name, or their order."""

import gzip
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from regard import RegardError
from regard.records import BadCellError, BadLine, Role, read_examples, read_rows

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
        ("text\tlabel\na\n", r"line 2: expected 2 columns like the first row; got 1"),
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


@pytest.mark.parametrize("name", ["a.tsv", "a.tsv.gz", "a.csv", "a.jsonl"])
def test_an_empty_file_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(gzip.compress(b"", mtime=0) if name.endswith(".gz") else b"")
    with pytest.raises(RegardError, match=r"but it is empty\. Check that it is the right file"):
        values(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "content", "reasons"),
    [
        ("a.tsv", b"a\t1\nb\n\xff\t2\n\nc\t3\n", ["wrong columns", "bad encoding"]),
        ("a.csv", b'a,1\nb,"2" "\n\xff,2\n"c\nd",3\n', ["not CSV", "bad encoding"]),
        ("a.jsonl", b'{"text":"a","label":"1"}\n{"text\n{"text":"\\ud800"}\n', 2 * ["bad record"]),
        ("a.jsonl", b'{"text":"a","label":"1"}\n{"text":[1],"label":1}\n', ["wrong cell"]),
    ],
)
def test_bad_lines_are_passed_on_and_the_others_are_rows(
    name: str, content: bytes, reasons: list[str], tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    roles = (Role("text", ("text",), text=True), Role("label", ("label",)))
    bad: list[BadLine] = []
    rows = list(read_rows(tmp_path / name, roles, on_bad_line=bad.append))
    assert rows[0].values == ("a", "1")
    assert [line.reason for line in bad] == reasons
    assert [line.line for line in bad] == [2, 3][: len(bad)]
    assert len(rows) == (1 if name == "a.jsonl" else 2)
    with pytest.raises(RegardError, match=rf"{name}, line 2: "):
        list(read_rows(tmp_path / name, roles))


def test_a_file_of_which_no_line_can_be_used_is_refused_by_its_first(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "a"}\n{"text": "b"}\n')

    def refused(values: tuple[Any, ...], line: int) -> None:
        raise BadCellError(f"{values[0]} is no good.", "no good")

    bad: list[BadLine] = []
    examples = read_examples(tmp_path / "a.jsonl", ROLES[:1], refused, on_bad_line=bad.append)
    with pytest.raises(RegardError, match=r"line 1: a is no good\."):
        list(examples)
    assert [line.reason for line in bad] == ["no good", "no good"]


@pytest.mark.parametrize("sign", ",;\t|")
def test_what_stands_between_cells_is_found_or_said(sign: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = ["Well, yes; no|or not\t", "Hi", "So, they said"]
    quoted = "".join(f'"{row}"{sign}{len(row)}\r\n' for row in rows)
    path.write_bytes(quoted.encode("utf-8-sig"))
    assert values(path) == [(row, str(len(row))) for row in rows]
    others = ",;\t|".replace(sign, "")
    path.write_text(f"a{others}b{sign}c\n")
    [row] = read_rows(path, ROLES, delimiter=sign)
    assert row.values == (f"a{others}b", "c")


def test_a_quoted_cell_keeps_its_line_ends(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b'text,label\r\n"one\r\ntwo",x\r\n"say ""so""",y\r\n')
    assert values(tmp_path / "a.csv") == [("one\ntwo", "x"), ('say "so"', "y")]


def test_groups_come_as_their_bytes_do_and_memory_stays_bounded(tmp_path: Path) -> None:
    line = '"the old dog, he runs",' + "x" * 50 + "\n"
    for name in ("a.csv", "a.tsv", "a.jsonl"):
        text = line if name != "a.jsonl" else '{"text": "the old dog", "label": "x"}\n'
        text = text.replace(",", "\t") if name == "a.tsv" else text
        (tmp_path / name).write_text(text.replace("dog\t", "dog") * 100_000)
        tracemalloc.start()
        count = sum(1 for _ in read_rows(tmp_path / name, ROLES, on_bad_line=pytest.fail))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert count == 100_000
        assert peak < 8 * 2**20
