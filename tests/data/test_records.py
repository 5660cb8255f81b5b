"""Fields are found by name, and a record without text is named."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from regard.data import BadLine, Pair, read_pairs
from regard.errors import RegardError

PAIRS = [Pair("Hi.", "Hallo.", 1), Pair("Go!", "Geh!", 2)]


def write(tmp_path: Path, *records: object) -> Path:
    lines = [r if isinstance(r, str) else json.dumps(r) for r in records]
    (tmp_path / "p.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return tmp_path / "p.jsonl"


def records(source: str, target: str) -> list[dict[str, object]]:
    return [{"id": pair.line, target: pair.target, source: pair.source} for pair in PAIRS]


@pytest.mark.parametrize(
    ("source", "target"), [("source", "target"), ("src", "tgt"), ("src", "trg")]
)
def test_usual_names_are_found_in_any_order(tmp_path: Path, source: str, target: str) -> None:
    assert list(read_pairs(write(tmp_path, *records(source, target)))) == PAIRS


def test_two_fields_of_text_are_taken_in_their_order(tmp_path: Path) -> None:
    lines = [{"id": 7, "question": pair.source, "reply": pair.target} for pair in PAIRS]
    assert list(read_pairs(write(tmp_path, *lines))) == PAIRS


def test_the_form_of_the_hub_is_opened(tmp_path: Path) -> None:
    lines = [{"id": "7", "translation": {"en": p.source, "de": p.target}} for p in PAIRS]
    path = write(tmp_path, *lines)
    assert list(read_pairs(path)) == PAIRS
    turned = read_pairs(path, source_column="de", target_column="en")
    assert next(turned) == Pair("Hallo.", "Hi.", 1)


def test_a_translation_that_is_text_is_the_target(tmp_path: Path) -> None:
    assert list(read_pairs(write(tmp_path, *records("source", "translation")))) == PAIRS


def test_a_missing_field_is_refused_with_those_there(tmp_path: Path) -> None:
    path = write(tmp_path, {"en": "a", "de": "b"})
    with pytest.raises(RegardError, match="no column 'fr'; its columns are en, de"):
        list(read_pairs(path, source_column="en", target_column="fr"))
    unclear = write(tmp_path, {"a": "x", "b": "y", "c": "z"})
    with pytest.raises(
        RegardError,
        match="known to be the source; its columns are a, b, c",
    ):
        list(read_pairs(unclear))


def test_null_and_absent_are_empty_sentences(tmp_path: Path) -> None:
    path = write(tmp_path, {"en": "a", "de": "b"}, {"en": None, "de": "c"}, {"en": "d"})
    assert list(read_pairs(path))[1:] == [Pair("", "c", 2), Pair("d", "", 3)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{'en': 1}", "expected a JSON object; Expecting"),
        ("[1, 2]", "expected a JSON object; got list"),
        ('{"a": ' + "[" * 100_000, "expected a JSON object, but it is nested too deeply"),
        ({"en": "\ud800", "de": "b"}, "the line is not valid Unicode: it has the lone surrogate"),
        (
            {"en": 5, "de": "x"},
            "expected a text in 'en'; got int",
        ),
    ],
)
def test_a_record_that_is_no_pair_is_refused_or_counted(
    tmp_path: Path, line: object, message: str
) -> None:
    path = write(tmp_path, {"en": "a", "de": "b"}, line, {"en": "c", "de": "d"})
    with pytest.raises(RegardError, match=f"line 2: {message}"):
        list(read_pairs(path))
    bad: list[BadLine] = []
    assert [pair.line for pair in read_pairs(path, on_bad_line=bad.append)] == [1, 3]
    wrong = "wrong cell" if "expected a text" in message else "bad record"
    assert [entry.reason for entry in bad] == [wrong]


def test_one_array_is_read(tmp_path: Path) -> None:
    [pair] = read_pairs(write(tmp_path, [{"en": "a", "de": "b"}]))
    assert (pair.source, pair.target) == ("a", "b")


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("packed", [False, True])
def test_parquet_gives_its_rows(tmp_path: Path, nested: bool, packed: bool) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [{"en": f"word {i}", "de": None if i == 7 else f"Wort {i}"} for i in range(8192 + 11)]
    table = pyarrow.Table.from_pylist([{"translation": row} for row in rows] if nested else rows)
    path = tmp_path / "p.parquet"
    parquet.write_table(table, path)
    if packed:
        path = path.with_name("p.parquet.gz")
        path.write_bytes(gzip.compress((tmp_path / "p.parquet").read_bytes()))
    pairs = list(read_pairs(path))
    assert len(pairs) == len(rows)
    assert pairs[7] == Pair("word 7", "", 8)
    assert pairs[-1] == Pair("word 8202", "Wort 8202", 8203)
    with pytest.raises(RegardError, match="no column 'hi'; its columns are en, de"):
        list(read_pairs(path, source_column="en", target_column="hi"))


def test_damaged_parquet_is_named(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "p.parquet").write_bytes(b"not parquet")
    with pytest.raises(RegardError, match=r"p\.parquet cannot be read as Parquet"):
        list(read_pairs(tmp_path / "p.parquet"))


def test_parquet_without_its_package_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "p.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(RegardError, match=r"package pyarrow .*pip install pyarrow"):
        list(read_pairs(tmp_path / "p.parquet"))
