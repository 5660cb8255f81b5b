"""Lines are counted in line feeds, and one that is not UTF-8 is named with a way out."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from regard.data import lines
from regard.records.lines import check_file, read_lines
from regard.records import BadLine, refuse
from regard.errors import RegardError


def file_of(tmp_path: Path, content: bytes, name: str = "f.txt") -> Path:
    (tmp_path / name).write_bytes(content)
    return tmp_path / name


def test_only_line_feeds_end_lines(tmp_path: Path) -> None:
    path = file_of(tmp_path, "a\u2028b\x0bc\x85d\re\r\n\nlast".encode())
    assert list(decode_lines(path)) == ["a\u2028b\x0bc\x85d\re", "", "last"]


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    assert list(decode_lines(file_of(tmp_path, b"\xef\xbb\xbfHi\n"))) == ["Hi"]


@pytest.mark.parametrize(
    ("line", "guess"),
    [
        ("Männer".encode("latin-1"), "iconv -f LATIN1"),
        ("»Männer« – “so”".encode("cp1252"), "iconv -f WINDOWS-1252"),
        ("Mä".encode()[:-1], "a truncated character"),
    ],
)
def test_a_line_in_another_encoding_is_named_with_its_number(
    tmp_path: Path, line: bytes, guess: str
) -> None:
    path = file_of(tmp_path, "für\n".encode() + line)
    with pytest.raises(RegardError, match=rf"f\.txt, line 2: expected UTF-8, .*{guess}"):
        list(read_lines(path, refuse))


def test_a_bad_line_may_be_counted_and_the_others_keep_their_numbers(tmp_path: Path) -> None:
    path = file_of(tmp_path, b"one\n\xff\xfe\nthree\n")
    bad: list[BadLine] = []
    assert list(read_lines(path, bad.append)) == [(1, "one"), (3, "three")]
    assert [(line.line, line.reason) for line in bad] == [(2, "bad encoding")]


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_recognized_with_and_without_its_mark(tmp_path: Path, codec: str) -> None:
    path = file_of(tmp_path, "Hello there\tHallo\n".encode(codec))
    with pytest.raises(RegardError, match="looks like UTF-16"):
        list(read_lines(path, lambda bad: None))


def test_gzip_is_read_as_what_it_holds(tmp_path: Path) -> None:
    path = file_of(tmp_path, gzip.compress("ä\nb\n".encode()), "f.tsv.gz")
    assert list(decode_lines(path)) == ["ä", "b"]


def test_damaged_gzip_is_named_with_the_last_good_line(tmp_path: Path) -> None:
    whole = gzip.compress(b"line\n" * 5, mtime=0)
    for content in (whole[:-9], b"no gzip at all", whole[:12] + b"\xff" * 20):
        path = file_of(tmp_path, content, "f.gz")
        with pytest.raises(RegardError, match=r"f\.gz is damaged gzip after line \d"):
            list(decode_lines(path))


@pytest.mark.parametrize(
    ("name", "content"), [("f.txt", b""), ("f.gz", gzip.compress(b"", mtime=0))]
)
def test_an_empty_file_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    path = file_of(tmp_path, content, name)
    with pytest.raises(RegardError, match=r"but it is empty\. Check that it is the right file"):
        list(decode_lines(path))


def test_an_empty_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match=r"but it is empty\. Check that it is the right file"):
        check_file(file_of(tmp_path, b""))


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match=r"there is no such file\. Check the path"):
        check_file(tmp_path / "none.tsv")
    with pytest.raises(RegardError, match="is a folder"):
        check_file(tmp_path)


def test_lines_come_one_by_one(tmp_path: Path) -> None:
    path = file_of(tmp_path, b"good\n\xff\n")
    lines = read_lines(path, refuse)
    assert next(lines) == (1, "good")  # the bad line behind it has not been read yet


def test_a_line_without_end_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "LONGEST_LINE", 2**20)
    assert len(list(decode_lines(file_of(tmp_path, b"x" * (2**20 - 1) + b"\ny")))) == 2
    path = file_of(tmp_path, gzip.compress(b"a\n" + b"x" * (2**20 + 1)), "f.tsv.gz")
    with pytest.raises(RegardError, match=r"line 2: the line is longer than 1 MiB"):
        list(decode_lines(path))
