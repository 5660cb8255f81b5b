"""Lines are counted in line feeds, and one that is not text is named with a way out."""

import bz2
import gzip
import lzma
from pathlib import Path
from types import ModuleType

import pytest

from regard.data import BadLine, lines
from regard.data.lines import Decoder, check_file, read_lines, refuse
from regard.data.streams import CHUNK, open_bytes
from regard.errors import RegardError


def file_of(tmp_path: Path, content: bytes, name: str = "f.txt") -> Path:
    (tmp_path / name).write_bytes(content)
    return tmp_path / name


def decode_lines(path: Path, said: list[str] | None = None) -> list[str | BadLine]:
    say = pytest.fail if said is None else said.append
    with open_bytes(path) as stream:
        groups = read_lines(stream, Decoder(str(path), say))
        return [line for group in groups for line in group]


def whole_lines(path: Path) -> list[str]:
    """The lines; the first that is bad is refused."""
    every = decode_lines(path)
    for line in every:
        if isinstance(line, BadLine):
            refuse(line)
    return [str(line) for line in every]


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
        whole_lines(path)


def test_a_bad_line_may_be_counted_and_the_others_keep_their_numbers(tmp_path: Path) -> None:
    path = file_of(tmp_path, b"one\n\xff\xfe\nthree\n")
    one, bad, three = decode_lines(path, [])
    assert (one, three) == ("one", "three")
    assert isinstance(bad, BadLine)
    assert (bad.line, bad.reason) == (2, "bad encoding")


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_read_with_its_mark_and_without(tmp_path: Path, codec: str) -> None:
    text = "Hello there\tHällo 😀\r\n" * 20_000
    for pack, name in ((bytes, "f.tsv"), (gzip.compress, "f.tsv.gz")):
        path = file_of(tmp_path, pack(("\ufeff" + text).encode(codec)), name)
        assert decode_lines(path) == text.replace("\r", "").splitlines()
        with open_bytes(path) as stream:  # as shards of it are read
            whole = stream.read()
            for place in (CHUNK + 7, 40, len(whole) - 2):
                stream.seek(place)
                assert stream.read(9) == whole[place : place + 9]
    path = file_of(tmp_path, text.encode(codec))
    assert decode_lines(path) == text.replace("\r", "").splitlines()


WINDOWS = {
    "accents": "Der Hund läuft über die Straße.\nEr läuft.",
    "French": "à propos des élèves, là où ça va\nun café\nà",
    "quotes": "It’s “done” – for 5 €…",
}


@pytest.mark.parametrize("name", WINDOWS)
def test_windows_1252_is_read_and_said(name: str, tmp_path: Path) -> None:
    text = f"plain\n{WINDOWS[name]}"
    said: list[str] = []
    path = file_of(tmp_path, text.encode("cp1252"))
    assert decode_lines(path, said) == text.split("\n")
    assert said == [
        f"{path} is read as Windows-1252, because it is not UTF-8; if its letters come out wrong,"
        " convert it to UTF-8."
    ]


@pytest.mark.parametrize(
    "content",
    [
        "Быстрая лиса, привет".encode("cp1251"),
        "快速的狐狸跳过懒狗".encode("gbk"),
        "素早い狐".encode("shift-jis"),
        "Zażółć gęślą jaźń, łódź, Łukasz był mały".encode("iso-8859-2"),
        b"\xe4\tc",
        "Příliš žluťoučký kůň úpěl ďábelské ódy, říká šéf".encode("cp1250"),
        "Árvíztűrő tükörfúrógép, őrült nő, hűvös idő".encode("cp1250"),
        "Pijamalı hasta yağız şoföre çabucak güvendi".encode("cp1254"),
        "Der Bär läuft über die Straße".encode("mac-roman"),
        "Une idée géniale, le café déjà payé".encode("mac-roman"),
        "El niño comió más piña y qué día".encode("mac-roman"),
        "Der Bär läuft über die Straße".encode("cp850"),
        "für\n".encode() + "für".encode("latin-1"),
        "weiß".encode("latin-1") + b" \x81\nwei\x9f\x8d",
    ],
)
def test_other_encodings_are_not_taken_for_windows_1252(content: bytes, tmp_path: Path) -> None:
    said: list[str] = []
    found = decode_lines(file_of(tmp_path, content), said)
    bad = [line for line in found if isinstance(line, BadLine)]
    assert bad
    assert not said
    if len(bad) == len(found):
        assert "its encoding is not known" in bad[0].problem


def test_what_is_utf_8_in_a_file_of_windows_1252_stays_utf_8(tmp_path: Path) -> None:
    content = "läuft\n".encode("cp1252") * 10_000 + "für den Hund\n".encode()
    assert decode_lines(file_of(tmp_path, content), [])[-1] == "für den Hund"


def test_gzip_is_read_as_what_it_holds(tmp_path: Path) -> None:
    path = file_of(tmp_path, gzip.compress("ä\nb\n".encode()), "f.tsv.gz")
    assert list(decode_lines(path)) == ["ä", "b"]


def test_damaged_gzip_is_named_with_the_last_good_line(tmp_path: Path) -> None:
    whole = gzip.compress(b"line\n" * 5, mtime=0)
    for content in (whole[:-9], b"no gzip at all", whole[:12] + b"\xff" * 20):
        path = file_of(tmp_path, content, "f.gz")
        with pytest.raises(RegardError, match=r"f\.gz is damaged gzip after line \d"):
            list(decode_lines(path))


def test_an_empty_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match=r"but it is empty\. Check that it is the right file"):
        check_file(file_of(tmp_path, b""))


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match=r"there is no such file\. Check the path"):
        check_file(tmp_path / "none.tsv")
    with pytest.raises(RegardError, match="is a folder"):
        check_file(tmp_path)


def test_a_line_is_there_before_the_next_is_read(tmp_path: Path) -> None:
    pieces = [b"good\nha", b"lf\n"]

    class Pipe:
        def read1(self, size: int) -> bytes:
            return pieces.pop(0)

    groups = read_lines(Pipe(), Decoder("pipe"))  # type: ignore[arg-type]
    assert next(groups) == ["good"]
    assert pieces == [b"lf\n"]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_line_that_is_too_long_is_passed_over(tmp_path: Path, monkeypatch, pack) -> None:
    monkeypatch.setattr(lines, "LONGEST_LINE", 2**20)
    content = b"a\n" + b"x" * 2**20 + b"\n" + b"y" * (2**20 + 1) + b"\nz\n" + b"w" * 3 * 2**20
    name = "f.tsv" if pack is bytes else "f.tsv.gz"
    first, longest, bad, last, other = decode_lines(file_of(tmp_path, pack(content), name))
    assert (first, len(longest), last) == ("a", 2**20, "z")
    assert isinstance(bad, BadLine)
    assert isinstance(other, BadLine)
    assert (bad.line, other.line, bad.reason) == (3, 5, "too long")
    assert bad.message.endswith(
        f"{name}, line 3: the line is longer than 1 MiB: check that the file has line ends"
    )


@pytest.mark.parametrize(
    ("name", "content", "lines"),
    [
        ("a.txt", b"one\rtwo\rthree\r", ["one", "two", "three", ""]),
        ("a.txt", b"one\r\ntwo\rhalf\r\n", ["one", "two\rhalf", ""]),
        ("a.csv", b"one\r\ntwo\rthree\nfour", ["one", "two", "three", "four"]),
        ("a.csv.gz", gzip.compress(b"one\rtwo", mtime=0), ["one", "two"]),
        ("a.tsv", "one\rtwo\r".encode("utf-16"), ["one", "two", ""]),
    ],
)
def test_carriage_returns_end_lines_where_a_file_has_no_others(
    tmp_path: Path, name: str, content: bytes, lines: list[str]
) -> None:
    found = decode_lines(file_of(tmp_path, content, name))
    assert found == [line for line in lines if line or line != lines[-1]]


def test_a_carriage_return_may_be_the_last_byte_of_a_piece(tmp_path: Path) -> None:
    cells = [f"{n:>9}" for n in range(CHUNK // 5)]
    path = file_of(tmp_path, "\r".join(cells).encode(), "a.csv")
    assert decode_lines(path) == cells
    with open_bytes(path) as stream:  # as shards of it are read
        stream.seek(70)
        assert stream.read(9) == cells[7].encode()
    assert decode_lines(file_of(tmp_path, "\r\n".join(cells).encode(), "a.csv")) == cells


@pytest.mark.parametrize("pack", [gzip, bz2, lzma])
@pytest.mark.parametrize("name", ["a.tsv", "a.tsv.gz", "a.tsv.bz2", "a.tsv.xz"])
def test_packed_files_are_unpacked_by_their_name_or_their_first_bytes(
    tmp_path: Path, name: str, pack: ModuleType
) -> None:
    ending = {gzip: ".gz", bz2: ".bz2", lzma: ".xz"}[pack]
    path = file_of(tmp_path, pack.compress("ä\nb\n".encode()), name)
    if path.suffix in (".tsv", ending):
        assert decode_lines(path) == ["ä", "b"]
    else:
        with pytest.raises(RegardError, match=r"is damaged (gzip|bzip2|xz) after line 0"):
            decode_lines(path)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"PK\x03\x04\x14\0", "Excel's .xlsx"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old Office"),
        (b"%PDF-1.7", "a PDF"),
        (b"{\\rtf1", "RTF"),
        (b"7z\xbc\xaf\x27\x1c", "7z x"),
        (b"(\xb5/\xfd", "zstd -d"),
    ],
)
def test_a_file_that_is_no_text_is_named(tmp_path: Path, content: bytes, what: str) -> None:
    with pytest.raises(RegardError, match=what):
        decode_lines(file_of(tmp_path, content + b"\n more\n", "a.csv"))


UNMARKED = {
    "English": "text,label\nA dog runs,good\n",
    "Japanese": "本文,分類\n犬が一匹走っている。,良い\n" * 9,
    "Chinese": "文本,标签\n一只狗在跑。,好\n" * 9,
    "Korean": "텍스트,라벨\n개가 달린다.,좋다\n" * 9,
}


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("script", UNMARKED)
def test_wide_encodings_need_no_mark(script: str, codec: str, tmp_path: Path) -> None:
    path = file_of(tmp_path, UNMARKED[script].encode(codec))
    assert decode_lines(path) == UNMARKED[script].splitlines()


def test_utf_7_is_named(tmp_path: Path) -> None:
    said: list[str] = []
    decode_lines(file_of(tmp_path, "Der Bär läuft über\n".encode("utf-7")), said)
    assert "looks like UTF-7, whose letters such as ä are written as +AOQ-" in said[0]
    said.clear()
    decode_lines(file_of(tmp_path, b"1 +ABC- and C++ +more- or a+b-c\n"), said)
    assert not said


@pytest.mark.parametrize(
    ("content", "windows"),
    [
        ("It costs 10\u00a0euros.\nDr.\u00a0Who: yes\u00a0!\n".encode("cp1252"), True),
        ("Word\u00a0by\u00a0word\u00a0and\u00a0so\u00a0on.\n".encode("cp1252"), True),
        (b"good\xa0,yes\n" * 5, True),
        ("está más allá\n".encode("cp850"), False),
    ],
)
def test_hard_spaces_alone_are_windows_1252(content: bytes, windows: bool, tmp_path: Path) -> None:
    lines = decode_lines(file_of(tmp_path, content), [])
    assert any(isinstance(line, BadLine) for line in lines) is not windows
