"""The columns of a file, by the name asked for, a known name, or their order."""

import csv
import gzip
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from regard import RegardError
from regard.data import BadCellError, BadLine, Role, read_examples, read_rows
from regard.data.csv_rows import delimiter_of

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


REVIEWS = [(f"The film of week {n} was {'good' if n % 2 else 'bad'}.", n % 2) for n in range(12)]
TEXT_AND_LABEL = (Role("text", ("text",), text=True), Role("label", ("label",), label=True))
PAIR = (
    Role("source", ("source",), text=True, language=True),
    Role("target", ("target",), text=True, language=True),
)


@pytest.mark.parametrize(
    "first", ["sep=;\r\n", "\ufeffsep=;\n", '"sep=;"\n', "SEP=;\n", "sep=;;;\n", "sep=^\n"]
)
def test_the_line_by_which_excel_is_told_the_delimiter_is_no_row(
    first: str, tmp_path: Path
) -> None:
    sign = "^" if "^" in first else ";"
    path = tmp_path / "a.csv"
    path.write_text(f"{first}text{sign}label\nOne, two{sign}x\n", encoding="utf-8")
    [row] = read_rows(path, ROLES)
    assert (row.values, row.line) == (("One, two", "x"), 3)
    assert delimiter_of(path) == sign


def test_a_cell_may_be_as_long_as_a_line(tmp_path: Path) -> None:
    # More than the 131,072 characters at which Python's csv stops by itself.
    (tmp_path / "a.csv").write_text(f'text,label\n"{"word " * 30_000}",x\n')
    assert [len(text) for text, _ in values(tmp_path / "a.csv")] == [150_000]


@pytest.mark.parametrize(
    ("first", "row"),
    [
        ("headline,is_clickbait", "{text},{label}"),
        ("Kommentar,Bewertung", "{text},{word}"),
        ("v2,v1,,,", "{text},{word},,,"),
        ("mood,comment", "{word},{text}"),
        ("text,mood", "{text},{word}"),
        ("n,text,mood", "{n},{text},{word}"),
        ("", "{text},{word}"),
        ("", "{word},{text}"),
        ("", "{n},{text},{word}"),
        ("", "3f2504e0-4f89-11d3-9a0c-0305e82c{n:04},{word},{text}"),
    ],
)
def test_the_cells_tell_the_columns_where_names_do_not(
    first: str, row: str, tmp_path: Path
) -> None:
    words = ("no", "yes")
    rows = [
        row.format(n=n, text=text, label=label, word=words[label])
        for n, (text, label) in enumerate(REVIEWS)
    ]
    path, said = tmp_path / "a.csv", list[str]()
    path.write_text("\n".join([first, *rows] if first else rows))
    read = read_rows(path, TEXT_AND_LABEL, say=said.append)
    expected = [(text, str(label) if "{label}" in row else words[label]) for text, label in REVIEWS]
    assert [row.values for row in read] == expected
    if (first, row) == ("", "{text},{word}"):
        assert not said
    else:
        assert len(said) == 1
        assert "as the cells look" in said[0]
        assert ("the first row has the names" in said[0]) == bool(first)


def test_a_first_row_that_may_be_names_is_an_example_and_said(tmp_path: Path) -> None:
    path, said = tmp_path / "a.csv", list[str]()
    path.write_text("ask,reply\nWhere is the station now?,It is over there.\n")
    roles = (Role("text", ("text",), text=True), Role("pair", ("pair",), text=True))
    assert next(read_rows(path, roles, say=said.append)).values == ("ask", "reply")
    assert "the first row, ask, reply, is taken for an example; if it has the names" in said[0]


@pytest.mark.parametrize(
    ("row", "places"),
    [
        ("{n}\tThe dog {n} runs.\t{m}\tDer Hund {n} läuft.", "the source is column 2; the target"),
        ("1.0{n}\tThe dog {n} runs.\tDer Hund {n} läuft.", "the source is column 2; the target"),
        ("eng\tThe dog {n} runs.\tdeu\tDer Hund {n} läuft.", "the source is column 2; the target"),
        ("http://a.b/{n}\tThe dog {n} runs.\tDer Hund {n} läuft.", "is column 3, as the cells"),
        ("The dog {n} runs.\tDer Hund {n} läuft.\tCC-BY 2.0 #{n}", ""),
        ("The dog {n} runs.\tDer Hund {n} läuft.", ""),
    ],
)
def test_numbers_and_addresses_beside_pairs_are_no_sentences(
    row: str, places: str, tmp_path: Path
) -> None:
    path, said = tmp_path / "a.tsv", list[str]()
    path.write_text("".join(row.format(n=n, m=900 + n) + "\n" for n in range(10, 30)))
    read = list(read_rows(path, PAIR, say=said.append))
    assert read[3].values == ("The dog 13 runs.", "Der Hund 13 läuft.")
    assert len(read) == 20
    assert places in "".join(said)
    assert bool(said) == bool(places)


def test_short_pairs_are_no_header(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("Go\tGeh\nRun\tLauf\nThe dog\tDer Hund\n")
    assert len(values(tmp_path / "a.tsv", *PAIR)) == 3
    (tmp_path / "a.tsv").write_text("English text\tGerman text\nRun\tLauf\n")
    with pytest.warns(match="the first row has the names of columns"):
        assert values(tmp_path / "a.tsv", *PAIR) == [("Run", "Lauf")]


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("wrapped", [False, True])
def test_json_may_be_one_array(indent: int | None, wrapped: bool, tmp_path: Path) -> None:
    rows = [{"text": "a", "label": "x"}, {"text": "b", "label": "y"}]
    content = json.dumps({"version": 1, "data": rows} if wrapped else rows, indent=indent)
    (tmp_path / "a.json").write_text(content)
    assert values(tmp_path / "a.json") == [("a", "x"), ("b", "y")]


@pytest.mark.parametrize(
    ("content", "problem"),
    [('[{"text": "a"', "is not JSON: "), ('{\n"a": 1\n}', "or an object with such an array")],
)
def test_json_that_is_not_rows_says_what_was_expected(
    content: str, problem: str, tmp_path: Path
) -> None:
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(RegardError, match=problem):
        values(tmp_path / "a.json")


def test_a_text_file_may_have_another_sign_between_its_columns(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("i feel fine;joy\ni feel low;sadness\n")
    assert values(tmp_path / "a.txt")[1] == ("i feel low", "sadness")


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("a.xml", "<?xml version='1.0'?><a/>", "XML or HTML"),
        ("a.txt", "<!DOCTYPE html><html>", "XML or HTML"),
        ("a.po", 'msgid "a"\nmsgstr "b"\n', "gettext's messages"),
    ],
)
def test_markup_is_named(name: str, content: str, what: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(RegardError, match=what):
        values(tmp_path / name)


def test_a_file_without_tabs_has_no_pairs(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n")
    with pytest.raises(RegardError, match="line 1: expected a sentence, a tab and its translation"):
        values(tmp_path / "a.txt", *PAIR)


@pytest.mark.parametrize("codec", ["utf-8", "utf-16"])
def test_quoted_cells_of_tsv_are_read_as_csv_has_them(codec: str, tmp_path: Path) -> None:
    rows = [["text", "label"], ['He said "A"', "good"], ["one\ntwo", "bad"], ["plain", "good"]]
    with open(tmp_path / "a.tsv", "w", encoding=codec, newline="") as file:
        csv.writer(file, dialect="excel-tab").writerows(rows)  # as Excel and pandas do
    assert values(tmp_path / "a.tsv") == [tuple(row) for row in rows[1:]]
    with open(tmp_path / "a.tsv", "w", encoding=codec, newline="") as file:
        csv.writer(file, dialect="excel-tab", quoting=csv.QUOTE_ALL).writerows(rows)
    assert values(tmp_path / "a.tsv") == [tuple(row) for row in rows[1:]]


@pytest.mark.parametrize(
    "cells", [['"Yes," he said.', "x"], ['"Yes."', "x"], ['"Yes', "x"], ['a "" b', "x"]]
)
def test_marks_of_speech_in_tsv_stay(cells: list[str], tmp_path: Path) -> None:
    lines = ["text\tlabel", "plain\ty", "\t".join(cells), "more\ty", 'It is 5"\tz']
    (tmp_path / "a.tsv").write_text("\n".join(lines))
    assert values(tmp_path / "a.tsv")[1] == tuple(cells)
    (tmp_path / "a.tsv").write_text("\n".join(lines[:-1]))
    assert values(tmp_path / "a.tsv")[1] == tuple(cells)


def test_lists_without_names_are_told_from_objects(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('["a", "b", "c"]\n["d", "e", "f"]\n')
    (tmp_path / "a.json").write_text('[["a", "b"], ["d", "e"]]')
    for name in ("a.jsonl", "a.json"):
        with pytest.raises(
            RegardError, match=r"line 1: expected a JSON object; got list, whose values"
        ):
            values(tmp_path / name)


def test_cells_are_between_the_sign_that_divides_all_lines_alike(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("Good, warm, near;yes\nFar;no\nOld;no\n")
    assert delimiter_of(tmp_path / "a.csv") == ";"


TWICE = {
    "a.csv": "id,text,text\n1,one,two\n",
    "a.tsv": "text\tlabel\t label \none\t1\t2\n",
}


@pytest.mark.parametrize("name", TWICE)
def test_two_columns_of_one_name_are_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(TWICE[name])
    column = "text" if name == "a.csv" else "label"
    with pytest.raises(RegardError, match=rf"two columns called '{column}'\. Rename one"):
        values(tmp_path / name, ROLES[0])


def test_two_columns_of_parquet_with_one_name_are_refused(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table([["a"], ["b"]], names=["text", "text"])
    parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(RegardError, match="has two columns called 'text'"):
        values(tmp_path / "a.parquet", ROLES[0])


def test_columns_without_a_name_may_be_several(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text,label,,\na dog,1,,\n")
    assert values(tmp_path / "a.csv") == [("a dog", "1")]


@pytest.mark.parametrize(
    "content",
    [
        '{"text": "a", "text": "b", "label": "1"}\n{"text": "c", "label": "1"}\n',
        '[{"text": "a", "label": {"x": 1, "x": 2}}, {"text": "c", "label": "1"}]',
        '["a", {"label": "1", "label": "2"}]\n["c", {"label": "1"}]\n',
    ],
)
def test_a_key_that_is_there_twice_makes_a_bad_line(content: str, tmp_path: Path) -> None:
    path, bad = tmp_path / "a.json", list[BadLine]()
    path.write_text(content)
    rows = [row.values for row in read_rows(path, ROLES, on_bad_line=bad.append)]
    assert rows == [("c", "1")]
    assert [line.line for line in bad] == [1]
    assert "twice. Remove or rename one of them" in bad[0].message
