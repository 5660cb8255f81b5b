"""Lines are counted in line feeds, and one that is not text is named with a way out."""

import gzip
from pathlib import Path

import pytest

from regard.errors import RegardError
from regard.records import BadLine, lines
from regard.records.lines import CHUNK, Decoder, check_file, open_bytes, read_lines, refuse


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
def test_utf_16_is_read_with_its_mark_and_recognized_without(tmp_path: Path, codec: str) -> None:
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
    with pytest.raises(RegardError, match="looks like UTF-16"):
        decode_lines(path)


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
        "für\n".encode() + "für".encode("latin-1"),
        "weiß".encode("latin-1") + b" \x81\nwei\x9f\x8d",
    ],
)
def test_other_encodings_are_not_taken_for_windows_1252(content: bytes, tmp_path: Path) -> None:
    said: list[str] = []
    found = decode_lines(file_of(tmp_path, content), said)
    assert any(isinstance(line, BadLine) for line in found)
    assert not said


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
