"""The pairs of all files are cleaned into one, and each still knows its file."""

from pathlib import Path
from typing import Any

import pytest

from regard import RegardError
from regard.translation.cleaned import CleanedPairs
from regard.translation.files import PairFile


def test_pairs_of_several_files_follow_each_other_and_know_their_file(
    write: Any, tmp_path: Path
) -> None:
    one = [("a dog", "ein Hund"), ("", "leer"), ("a cat", "eine Katze"), ("a dog", "ein Hund")]
    two = [("a  bird", "ein Vogel")]
    files = [PairFile(str(write(tmp_path / f"{k}.tsv", rows))) for k, rows in enumerate((one, two))]
    said: list[str] = []
    cleaned = CleanedPairs.write(tmp_path / "cleaned.tsv", files, say=said.append)
    expected = [("a dog", "ein Hund", 1), ("a cat", "eine Katze", 2), ("a bird", "ein Vogel", 3)]
    assert list(cleaned) == expected
    assert len(cleaned) == 3
    assert [cleaned.file(pair) for pair in cleaned] == [0, 0, 1]
    assert said[0].startswith(f"{tmp_path / '0.tsv'}: 4 read, 2 kept; ")
    assert said[1].endswith("1 read, 1 kept; none left out")


def test_undecodable_lines_are_counted(write: Any, tmp_path: Path) -> None:
    file = write(tmp_path / "pairs.tsv", [("a dog", "ein fröhlicher Hund")])
    with open(file, "ab") as more:
        more.write("für\tfür\n".encode("latin-1"))
    said: list[str] = []
    cleaned = CleanedPairs.write(tmp_path / "c.tsv", [PairFile(str(file))], say=said.append)
    assert len(cleaned) == 1
    assert "1 bad encoding (first at line 2)" in said[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a red dog.\n", "line 1: expected a sentence, a tab and its translation"),
        ("\tein Hund\na dog\t\n", "no sentence pair is left after cleaning"),
    ],
)
def test_files_without_pairs_are_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text(text)
    with pytest.raises(RegardError, match=message):
        CleanedPairs.write(tmp_path / "c.tsv", [PairFile(str(tmp_path / "pairs.tsv"))], say=print)
    assert not (tmp_path / "c.tsv").exists()
