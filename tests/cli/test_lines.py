"""Lines as they come in, and what is wrong with the one that is named."""

import gzip
import io

import pytest

from regard.cli.lines import read_lines
from regard.cli.texts import text_groups
from regard.data import lines
from regard.data.lines import read_text
from regard.data.streams import CHUNK
from regard.errors import DamagedFileError, RegardError
from regard.lines import json_object


def lines_of(content: bytes, **options: bool) -> list[tuple[int, str]]:
    groups = read_lines(io.BytesIO(content), name="stdin", **options)
    return [(line.number, line.text) for group in groups for line in group]


def test_a_character_cut_by_the_chunk_is_put_together_again():
    content = b"x" * (CHUNK - 1) + "ü\nzwei\n".encode()
    assert lines_of(content) == [(1, "x" * (CHUNK - 1) + "ü"), (2, "zwei")]


def test_numbers_go_on_over_chunks():
    content = b"".join(b"%d\n" % k for k in range(1, 30_001))
    assert len(content) > 2 * CHUNK
    assert lines_of(content) == [(k, str(k)) for k in range(1, 30_001)]


def test_the_line_that_is_not_utf8_is_named():
    with pytest.raises(RegardError, match=r"stdin, line 3: expected UTF-8, but byte 0xff is not"):
        lines_of(b"a\nb\nx \xff\n")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"text": ', "stdin, line 1: expected a JSON object; Expecting value"),
        (b'{"id": 3}', "line 1: expected a string under \"text\"; the object has 'id'"),
        (b'{"text": 3}', 'line 1: expected a string under "text"'),
        (b'{"text": ' + b"[" * 100_000, "line 1: expected a JSON object, but it is nested too"),
        (b'{"text": "a", "id": NaN}', "expected a JSON object; NaN is not a JSON value"),
        (
            b'{"text": "a", "id": -1e999}',
            "a JSON object; -1e999 is too large for a number",
        ),
        (rb'{"text": "\ud800 dog"}', r"line 1: the line is not valid Unicode: it has .* U\+D800"),
        (rb'{"text": "a", "id": "\udfff"}', "line 1: the line is not valid Unicode"),
    ],
)
def test_a_json_line_without_text_is_refused(line, message):
    with pytest.raises(RegardError, match=message):
        lines_of(line, json_lines=True)


def test_a_brace_is_text_unless_json_was_asked_for():
    assert lines_of(b"{x}\n") == [(1, "{x}")]


def test_gzip_that_was_cut_off_is_refused(tmp_path):
    file = tmp_path / "lines.gz"
    file.write_bytes(gzip.compress(b"abc\n" * 999)[:-9])
    with pytest.raises(RegardError, match="is damaged gzip"):
        list(text_groups(None, file, False, what="a text"))


def test_a_pair_of_escapes_is_one_character():
    [(_, text)] = lines_of(rb'{"text": "\ud83d\ude00"}', json_lines=True)
    assert text == "\U0001f600"


class Counted(bytearray):
    """Counts the bytes that are copied to be put together."""

    copied = 0

    def __iadd__(self, other):
        Counted.copied += len(other)
        return super().__iadd__(other)


def test_a_long_line_is_put_together_in_linear_time(monkeypatch):
    monkeypatch.setattr(lines, "bytearray", Counted, raising=False)
    monkeypatch.setattr(lines, "CHUNK", 7)
    assert lines_of(b"x" * 7000 + b"\nz") == [(1, "x" * 7000), (2, "z")]
    assert Counted.copied <= 7002


def test_a_line_without_end_is_refused_before_it_fills_the_memory(monkeypatch):
    monkeypatch.setattr(lines, "LONGEST_LINE", 2**20)

    class Endless(io.BytesIO):
        given = 0

        def read1(self, size=-1):
            self.given += size
            return b"x" * size

    stream = Endless()
    with pytest.raises(RegardError, match="stdin, line 1: the line is longer than 1 MiB"):
        list(read_lines(stream, name="stdin"))
    assert stream.given <= 2**20 + CHUNK
    with pytest.raises(RegardError, match=r"stdin is longer than 1 MiB, the longest text"):
        read_text(stream, "stdin")
    assert lines_of(b"a\n" + b"x" * 2**20 + b"\nb")[2] == (3, "b")


@pytest.mark.parametrize("value", ["NaN", "-Infinity"])
def test_a_number_that_json_does_not_have_is_refused(value):
    with pytest.raises(DamagedFileError, match=f"{value} is not a JSON value"):
        json_object(f'{{"text": "a", "id": {value}}}')


def test_a_line_that_cannot_be_read_may_be_kept_with_its_error():
    stream = io.BytesIO(b'a\n\xff\n{"text": 3}\n{"text": "b"}\n')
    [lines] = list(read_lines(stream, name="it", json_lines=True, keep_bad=True))
    assert [line.text for line in lines] == ["a", "", "", "b"]
    assert [line.number for line in lines] == [1, 2, 3, 4]
    assert str(lines[1].error).startswith("it, line 2: expected UTF-8")
    assert str(lines[2].error).startswith('it, line 3: expected a string under "text"')


FILES = {
    "a.csv": '\ufeffid;text\n1;"one, two"\n2;three\n\n3;four;five\n',
    "a.tsv": "id\tText\n1\tone, two\n2\tthree\n\n3\tfour\tfive\n",
    "a.jsonl": '{"id": "1", "text": "one, two"}\n{"id":"2","text":"three"}\n\n{"text": 5}\n',
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_with_columns_gives_its_texts_and_passes_the_others_through(tmp_path, name):
    (tmp_path / name).write_text(FILES[name])
    groups = text_groups(None, tmp_path / name, False, what="a text", keep_bad=True)
    one, three, *blank, bad = [line for group in groups for line in group]
    assert [one.text, three.text, bad.text] == ["one, two", "three", ""]
    assert {key.lower(): value for key, value in one.fields.items()} == {
        "id": "1", "text": "one, two",
    }  # fmt: skip
    number = 4 if name == "a.jsonl" else 5
    assert str(bad.error).startswith(f"{tmp_path / name}, line {number}: expected ")
    # An empty line of a table is left out, that of JSON lines is bad.
    assert [line.reason for line in blank] == ["the line is empty."] * (name == "a.jsonl")
    with pytest.raises(RegardError, match="line 3: the line is empty" if blank else "line 5: exp"):
        list(text_groups(None, tmp_path / name, False, what="a text"))


def test_parquet_gives_its_texts(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    import datetime

    when = [datetime.date(2026, 1, 2)] * 2
    parquet.write_table(pyarrow.table({"text": ["a", None], "on": when}), tmp_path / "a.parquet")
    groups = text_groups(None, tmp_path / "a.parquet", False, what="a text", keep_bad=True)
    first, second = [line for group in groups for line in group]
    assert first.fields == {"text": "a", "on": "2026-01-02"}
    assert str(second.error).endswith("line 2: expected a text; got nothing.")


def test_tsv_without_names_is_text(tmp_path):
    (tmp_path / "a.tsv").write_text("one\ttwo\n\nthree\n")
    groups = text_groups(None, tmp_path / "a.tsv", False, what="a text")
    assert [line.text for group in groups for line in group] == ["one\ttwo", "", "three"]


def test_windows_1252_is_said(tmp_path, capsys):
    (tmp_path / "a.txt").write_bytes("läuft\n".encode("cp1252"))
    groups = text_groups(None, tmp_path / "a.txt", False, what="a text")
    assert [line.text for group in groups for line in group] == ["läuft"]
    assert "a.txt is read as Windows-1252, because" in capsys.readouterr().err
