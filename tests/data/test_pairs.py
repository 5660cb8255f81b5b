"""The same pairs from every form of file, and a sentence with the line where they end."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from pathlib import Path

import pytest

from regard.data import BadLine, Pair, read_pairs
from regard.errors import RegardError

SENTENCES = [
    ("Hi, you.", "Hallo, du."),
    ('She said "no".', "Sie sagte „nein“."),
    ("This is a house.", "यह घर है।"),
]
PAIRS = [Pair(source, target, line) for line, (source, target) in enumerate(SENTENCES, start=1)]


def tsv(*rows: tuple[str, ...]) -> str:
    return "".join("\t".join(row) + "\n" for row in rows)


def csv_of(*rows: tuple[str, ...], delimiter: str = ",") -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue()


def json_lines(*records: object) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def texts(pairs: list[Pair]) -> list[tuple[str, str]]:
    return [(pair.source, pair.target) for pair in pairs]


def write(tmp_path: Path, name: str, content: str) -> Path:
    data = content.encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return tmp_path / name


FORMS = {
    "p.tsv": tsv(*SENTENCES),
    "p.txt": tsv(*((*pair, "CC BY") for pair in SENTENCES)),
    "p": tsv(*SENTENCES),
    "p.csv": csv_of(*SENTENCES),
    "P.JSONL": json_lines(*({"en": source, "hi": target} for source, target in SENTENCES)),
}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_every_form_gives_the_same_pairs_and_line_numbers(
    tmp_path: Path, name: str, ending: str
) -> None:
    assert list(read_pairs(write(tmp_path, name + ending, FORMS[name]))) == PAIRS


@pytest.mark.parametrize("name", ["p.tsv", "p.csv"])
@pytest.mark.parametrize("header", [("en", "de"), ("Source", "Target"), ("English", "German")])
def test_a_header_is_no_sentence(tmp_path: Path, name: str, header: tuple[str, str]) -> None:
    content = (tsv if name == "p.tsv" else csv_of)(header, *SENTENCES)
    pairs = list(read_pairs(write(tmp_path, name, content)))
    assert pairs == [Pair(source, target, line + 1) for source, target, line in PAIRS]


@pytest.mark.parametrize("name", ["p.tsv", "p.csv"])
@pytest.mark.parametrize("columns", [("de", "en"), (3, 2), ("3", "2"), ("de", 2)])
def test_columns_are_chosen_by_name_or_number(
    tmp_path: Path, name: str, columns: tuple[str | int, str | int]
) -> None:
    rows = [("id", "en", "de"), *((f"{i}", *pair) for i, pair in enumerate(SENTENCES))]
    path = write(tmp_path, name, (tsv if name == "p.tsv" else csv_of)(*rows))
    pairs = list(read_pairs(path, source_column=columns[0], target_column=columns[1]))
    assert texts(pairs) == [(target, source) for source, target in SENTENCES]


def test_a_header_names_the_sides_wherever_they_stand(tmp_path: Path) -> None:
    rows = [("id", "target", "source"), *(("7", t, s) for s, t in SENTENCES)]
    assert texts(list(read_pairs(write(tmp_path, "p.csv", csv_of(*rows))))) == SENTENCES


def test_a_missing_column_is_refused_with_those_there(tmp_path: Path) -> None:
    path = write(tmp_path, "p.csv", csv_of(("en", "de"), *SENTENCES))
    with pytest.raises(RegardError, match="has no column 'hi'; its columns are en, de"):
        list(read_pairs(path, source_column="en", target_column="hi"))
    for name, end in (("sourze", "Did you mean 'source'?"), ("words", "Name one of them.")):
        named = write(tmp_path, "named.csv", csv_of(("source", "target"), *SENTENCES))
        with pytest.raises(RegardError, match=f"{re.escape(end)}$"):
            list(read_pairs(named, source_column=name, target_column="target"))
    with pytest.raises(RegardError, match=r"has columns 1 to 2; got 3\. Name one of them"):
        list(read_pairs(path, source_column=1, target_column=3))
    with pytest.raises(RegardError, match="both source_column and target_column"):
        read_pairs(path, source_column="en")


def test_semicolons_may_stand_between_cells_whose_commas_are_text(tmp_path: Path) -> None:
    content = csv_of(("en", "de"), *SENTENCES, delimiter=";")
    assert texts(list(read_pairs(write(tmp_path, "p.csv", content)))) == SENTENCES


def test_a_cell_may_run_over_lines(tmp_path: Path) -> None:
    pairs = list(read_pairs(write(tmp_path, "p.csv", 'a,b\n"one\ntwo",zwei\nc,d\n')))
    assert texts(pairs) == [("a", "b"), ("one\ntwo", "zwei"), ("c", "d")]
    assert pairs[-1].line == 4


def test_a_comma_without_quotes_is_no_third_column(tmp_path: Path) -> None:
    path = write(tmp_path, "p.csv", "Hi.,Hallo.\nWell, yes.,Nun ja.\n")
    with pytest.raises(RegardError, match=r"line 2: expected 2 columns .* got 3"):
        list(read_pairs(path))


def test_a_quotation_mark_never_closed_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, "p.csv", 'a,b\nc,"d\n' + "e,f\n" * 5)
    with pytest.raises(RegardError, match="line 2: expected CSV, but unexpected end of data"):
        list(read_pairs(path))


def test_a_line_without_a_tab_is_refused_with_its_number(tmp_path: Path) -> None:
    path = write(tmp_path, "p.tsv", "a\tb\nc d\ne\tf\n")
    with pytest.raises(RegardError, match=r"p\.tsv, line 2: .* there is no tab"):
        list(read_pairs(path))
    wide = write(tmp_path, "q.tsv", "1\ta\tb\n2\tc\n")
    with pytest.raises(RegardError, match=r"line 2: expected at least 3 columns .* got 2"):
        list(read_pairs(wide, source_column=2, target_column=3))


def test_bad_lines_may_be_counted_instead(tmp_path: Path) -> None:
    path = tmp_path / "p.tsv"
    path.write_bytes(b"no tab\na\tb\n\xe4\tc\nd\te\n")
    bad: list[BadLine] = []
    assert list(read_pairs(path, on_bad_line=bad.append)) == [Pair("a", "b", 2), Pair("d", "e", 4)]
    assert [(line.line, line.reason) for line in bad] == [(1, "no tab"), (3, "bad encoding")]


@pytest.mark.parametrize("name", ["p.tsv", "p.csv", "p.jsonl"])
def test_a_blank_line_is_no_pair(tmp_path: Path, name: str) -> None:
    row = json_lines({"en": "a", "de": "b"}) if name == "p.jsonl" else "a\tb\n"
    row = "a,b\n" if name == "p.csv" else row
    pairs = list(read_pairs(write(tmp_path, name, f"\n{row}\n{row}")))
    assert pairs == [Pair("a", "b", 2), Pair("a", "b", 4)]


def test_parallel_files_are_read_line_by_line(tmp_path: Path) -> None:
    source = write(tmp_path, "p.en", "".join(f"{s}\n" for s, _ in SENTENCES))
    target = write(tmp_path, "p.hi.gz", "".join(f"{t}\n" for _, t in SENTENCES))
    assert list(read_pairs((source, target))) == PAIRS


@pytest.mark.parametrize(("first", "second"), [(5, 3), (3, 5)])
def test_parallel_files_of_unequal_length_are_refused_with_both(
    tmp_path: Path, first: int, second: int
) -> None:
    source, target = write(tmp_path, "p.en", "a\n" * first), write(tmp_path, "p.de", "b\n" * second)
    with pytest.raises(RegardError, match=rf"p\.en has {first} and .*p\.de has {second}"):
        list(read_pairs((source, target)))


def test_a_bad_line_on_either_side_does_not_shift_the_other(tmp_path: Path) -> None:
    (tmp_path / "p.en").write_bytes(b"one\n\xff\nthree\nfour\n")
    (tmp_path / "p.de").write_bytes(b"eins\nzwei\n\xff\nvier\n")
    bad: list[BadLine] = []
    pairs = list(read_pairs((tmp_path / "p.en", tmp_path / "p.de"), on_bad_line=bad.append))
    assert pairs == [Pair("one", "eins", 1), Pair("four", "vier", 4)]
    assert [line.line for line in bad] == [2, 3]


def test_parallel_files_have_no_columns(tmp_path: Path) -> None:
    path = write(tmp_path, "p.en", "a\n")
    with pytest.raises(RegardError, match="leave out the columns"):
        read_pairs((path, path), source_column=1, target_column=2)


def test_the_format_may_be_told_apart_from_the_name(tmp_path: Path) -> None:
    path = write(tmp_path, "p.txt", FORMS["p.csv"])
    assert list(read_pairs(path, format="csv")) == PAIRS
    with pytest.raises(RegardError, match=r"one of tsv, csv, jsonl, parquet, .*got 'xml'"):
        read_pairs(path, format="xml")  # type: ignore[arg-type]


def test_a_missing_or_empty_file_is_refused_before_reading_starts(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match="there is no such file"):
        read_pairs(tmp_path / "none.tsv")
    with pytest.raises(RegardError, match=r"it is empty\. Check that it is the right file"):
        read_pairs((write(tmp_path, "a", "x\n"), write(tmp_path, "b", "")))


def test_pairs_come_one_by_one(tmp_path: Path) -> None:
    pairs = read_pairs(write(tmp_path, "p.tsv", "a\tb\nno tab\n"))
    assert next(pairs) == Pair("a", "b", 1)


def test_a_column_of_many_digits_is_one_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text("a\tb\n")
    with pytest.raises(RegardError, match="has no column '9999"):
        list(read_pairs(tmp_path / "pairs.tsv", source_column="9" * 5000, target_column=2))
