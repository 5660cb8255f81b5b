"""Shards cover every line once, and a file of which each line would be refused is refused."""

import gzip
from pathlib import Path

import pytest

from regard.cli.jobs.reader import Reader
from regard.cli.jobs.shards import MOST_BYTES, Input, Shard
from regard.cli.task_command import call
from regard.data.reader import format_of
from regard.errors import BadArgumentError, DamagedFileError, NotFoundError, UnsupportedError
from regard.files import LONGEST_LINE


def lines_of(source: Input, order: list[int] | None = None) -> list[tuple[int, str | None]]:
    """The lines that the shards are read as, in the order of the shards."""
    reader = Reader(call("translate"))
    found = {}
    for k in order or range(len(source.shards)):
        found[k] = reader.read(source.shards[k])[0]
    reader.close()
    records = [record for k in sorted(found) for record in found[k]]
    return [(line.number, line.text if line.error is None else None) for line in records]


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "a.en"])
@pytest.mark.parametrize("end", ["", "\n"])
def test_every_line_is_in_one_shard(name: str, end: str, tmp_path: Path) -> None:
    content = ("\ufeff" + "\r\n".join(f"line {k}" * (k % 5) for k in range(1, 18)) + end).encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(content, mtime=0) if name.endswith(".gz") else content)
    source = Input.read(str(path), 5)
    assert [shard.count for shard in source.shards] == [5, 5, 5, 2]
    assert [shard.first for shard in source.shards] == [1, 6, 11, 16]
    expected = [(k, f"line {k}" * (k % 5)) for k in range(1, 18)]
    assert lines_of(source) == expected
    assert lines_of(source, [2, 0, 3, 1]) == expected  # as several workers take them


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.csv.gz"])
@pytest.mark.parametrize("size", [1, 2, 3, 50])
def test_the_rows_of_a_table_are_the_same_however_it_is_cut(
    name: str, size: int, tmp_path: Path
) -> None:
    between = "\t" if name.endswith("tsv") else ";"
    rows = [
        ("1", "a dog"),
        ("2", '"a house,\n\n""red"""'),
        ("3", '5" wide'),
        ("4", "a, b"),
        ("5", "c"),
    ]
    if between == "\t":
        rows[1] = ("2", "a house")
    cells = ["id", "text"], *rows
    content = "\ufeff" + "\r\n".join(map(between.join, cells)) + "\r\n\r\n"
    path = tmp_path / name
    path.write_bytes(gzip.compress(content.encode()) if name.endswith("gz") else content.encode())
    source = Input.read(str(path), size)
    assert source.lines == 5
    texts = [text for _, text in lines_of(source, [*range(len(source.shards))][::-1])]
    house = "a house" if between == "\t" else 'a house,\n\n"red"'
    assert texts == ["a dog", house, '5" wide', "a, b", "c"]


def test_a_row_that_is_not_csv_or_has_another_width_is_a_bad_line(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('text,id\na,1\n"b" c,2\nd\ne,3\n')
    for size in (1, 3, 9):
        source = Input.read(str(path), size)
        assert lines_of(source) == [(2, "a"), (3, None), (4, None), (5, "e")]


def test_a_delimiter_is_one_character_of_csv(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("n:text\n1:a\n")
    source = Input.read(str(path), 5, delimiter=":")
    assert lines_of(source) == [(2, "a")]
    assert source.shards[0].delimiter == ":"
    with pytest.raises(BadArgumentError, match="`delimiter` is one character"):
        Input.read(str(path), 5, delimiter="::")
    (tmp_path / "a.txt").write_text("a\n")
    with pytest.raises(BadArgumentError, match=r"between the cells of CSV; got ':' for a\.txt"):
        Input.read(str(tmp_path / "a.txt"), 5, delimiter=":")


def test_a_shard_names_its_lines() -> None:
    assert Shard(0, "in.txt", "text", start=0, first=5, count=3).lines == "lines 5 to 7 of in.txt"
    assert Shard(0, "in.txt", "text", start=0, first=5, count=1).lines == "line 5 of in.txt"


def test_long_lines_make_small_shards_and_one_that_is_too_long_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    with path.open("wb") as file:
        for size in (3, LONGEST_LINE, LONGEST_LINE + 1, MOST_BYTES // 2, 5):
            file.write(b"x" * size + b"\n")
    source = Input.read(str(path), 100)
    assert [shard.count for shard in source.shards] == [2, 1, 2]
    lengths = [(line, None if text is None else len(text)) for line, text in lines_of(source)]
    assert lengths == [(1, 3), (2, LONGEST_LINE), (3, None), (4, MOST_BYTES // 2), (5, 5)]


def test_a_pattern_is_its_files_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name, text in (("b.txt", "three\n"), ("a.txt", "one\ntwo\n"), ("c.txt", "")):
        (tmp_path / name).write_text(text)
    source = Input.read(str(tmp_path / "*.txt"), 5)
    assert [(shard.number, Path(shard.file).name) for shard in source.shards] == [
        (0, "a.txt"),
        (1, "b.txt"),
    ]
    assert lines_of(source) == [(1, "one"), (2, "two"), (1, "three")]


@pytest.mark.parametrize(
    ("name", "content", "error", "sentence"),
    [
        ("empty.txt", b"", DamagedFileError, "but it is empty. Check"),
        ("a.txt", b"a\0\0" * 9, DamagedFileError, "iconv -f UTF-16"),
        ("a.jsonl", b'[{"text": "a"}]', DamagedFileError, "jq -c"),
        (
            "a.txt.gz",
            gzip.compress(b"a line\n" * 99, mtime=0)[:-9],
            DamagedFileError,
            "damaged gzip",
        ),
        ("a.parquet", b"PAR1", DamagedFileError, "cannot be read as Parquet"),
        ("a.csv", b"", DamagedFileError, "but it is empty. Check"),
        ("a.tsv", b"text\n", DamagedFileError, "but it is empty. Check"),
        ("missing.txt", None, NotFoundError, "there is no such file"),
        ("missing*.txt", None, NotFoundError, "Check the pattern"),
        ("", None, NotFoundError, "no file in the folder"),
    ],
)
def test_what_is_no_input_is_one_sentence(
    name: str, content: bytes | None, error: type[Exception], sentence: str, tmp_path: Path
) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(error, match=sentence.replace(".", r"\.")):
        Input.read(str(tmp_path / name), 5)


def test_a_device_and_files_of_several_formats_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="read only once"):
        Input.read("/dev/null", 5)
    (tmp_path / "a.txt").write_text("a\n")
    (tmp_path / "b.jsonl").write_text("{}\n")
    with pytest.raises(BadArgumentError, match="jsonl and text"):
        Input.read(str(tmp_path / "*"), 5)


def test_the_format_is_that_of_the_ending_before_gz() -> None:
    names = {"a.jsonl.gz": "jsonl", "a.JSON": "jsonl", "a.parquet": "parquet", "train.de": "text"}
    assert {name: format_of(Path(name), "text") for name in names} == names
