"""Which files are read, of which language, and how often."""

from pathlib import Path

import pytest

from regard import RegardError
from regard.translation.files import PairFile, held_files, languages_of, pair_files


def test_files_have_weights_and_languages() -> None:
    assert pair_files("a.tsv") == [PairFile("a.tsv")]
    assert pair_files(("a.en", "a.de")) == [PairFile(("a.en", "a.de"))]
    files = pair_files(["de=a.tsv", "zh-TW=b.tsv", "de=c=d.tsv"], "2,1,0.5")
    assert [file.path for file in files] == ["a.tsv", "b.tsv", "c=d.tsv"]
    assert [file.weight for file in files] == [2, 1, 0.5]
    assert languages_of(files) == ["de", "zh-TW"]


def test_a_file_whose_name_has_an_equals_sign_is_that_file(tmp_path: Path) -> None:
    file = tmp_path / "de=a.tsv"
    file.touch()
    assert pair_files(str(file)) == [PairFile(str(file))]


@pytest.mark.parametrize("weights", ["1", "1,2,3", "1,x", "1,0", "1,-1", "1,nan", "1,inf"])
def test_weights_are_a_number_for_each_file(weights: str) -> None:
    with pytest.raises(RegardError, match="a number above 0 for each of the files"):
        pair_files(["a.tsv", "b.tsv"], weights)


def test_one_language_alone_and_a_file_without_one_are_refused() -> None:
    with pytest.raises(RegardError, match="Leave de= out and give target_language = 'de'"):
        pair_files("de=a.tsv")
    with pytest.raises(RegardError, match=r"such as de=b.tsv, or none does; got 'b.tsv' beside de"):
        pair_files(["de=a.tsv", "b.tsv"])


def test_a_dev_set_has_a_file_for_each_language() -> None:
    assert held_files(None, ["de", "hi"]) == []
    assert held_files("dev.tsv", []) == [PairFile("dev.tsv")]
    both = held_files("de=a.tsv,hi=b.tsv", ["de", "hi"])
    assert both == [PairFile("a.tsv", language="de"), PairFile("b.tsv", language="hi")]
    for spec in ("dev.tsv", "de=a.tsv,fr=b.tsv"):
        with pytest.raises(RegardError, match="need the target language of each file, one of"):
            held_files(spec, ["de", "hi"])
