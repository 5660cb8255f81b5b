"""The words by which a rendering is known, in the lists of idioms and of ambiguous words."""

import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def is_known(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], bool]:
    monkeypatch.syspath_prepend(str(FOLDER))
    return runpy.run_path(str(FOLDER / "idioms.py"))["is_known"]


def rows(name: str) -> list[list[str]]:
    return [line.split("\t") for line in (FOLDER / name).read_text("utf-8").splitlines()]


@pytest.mark.parametrize("name", ["idioms.tsv", "ambiguous.tsv"])
def test_each_translation_of_a_list_is_known(
    name: str, is_known: Callable[[str, str], bool]
) -> None:
    assert [row for row in rows(name) if not is_known(row[2], row[1])] == []


def test_no_translation_of_one_sense_is_known_as_the_other(
    is_known: Callable[[str, str], bool],
) -> None:
    lines = rows("ambiguous.tsv")
    assert len(lines) == 200
    for first in range(0, 200, 4):
        senses = lines[first : first + 2], lines[first + 2 : first + 4]
        for own, other in (senses, senses[::-1]):
            assert not [each for each in own for row in other if is_known(each[2], row[1])]


def test_a_word_is_known_by_its_beginning_and_an_alternative_by_all_its_words(
    is_known: Callable[[str, str], bool],
) -> None:
    assert is_known("Ufer|Flussufer", "Sie schliefen am Flussufer.")
    assert not is_known("Ufer", "Der Käufer schläft.")
    assert is_known("Katze Sack", "Er kaufte die Katze im Sack.")
    assert not is_known("Katze Sack", "Er kaufte die Katze.")
    assert not is_known("Kran(?![ik])", "Ein Kranich stand im Wasser.")
