"""Lines as they come in, and what is wrong with the one that is named."""

import gzip
import io

import pytest

from regard.cli.lines import CHUNK, count_lines, open_input, read_lines
from regard.errors import RegardError


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


@pytest.mark.parametrize("content", [b"", b"\n", b"a", b"a\n", b"a\n\nb", b"a\r\nb\r\n"])
def test_counting_finds_the_lines_that_reading_gives(tmp_path, content):
    file = tmp_path / "lines.txt"
    file.write_bytes(content)
    assert count_lines(file) == len(lines_of(content))


def test_the_line_that_is_not_utf8_is_named():
    with pytest.raises(RegardError, match=r"line 3 of stdin is not UTF-8 \(byte 2 is 0xfc\)"):
        lines_of(b"a\nb\nx\xfc\n")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"text": ', "line 1 of stdin is not valid JSON"),
        (b'{"id": 3}', "line 1 of stdin must have a string under \"text\"; it has 'id'"),
        (b'{"text": 3}', 'line 1 of stdin must have a string under "text"'),
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
        count_lines(file)
    with open_input(file) as stream, pytest.raises(RegardError, match="is damaged gzip"):
        list(read_lines(stream, name=str(file)))
