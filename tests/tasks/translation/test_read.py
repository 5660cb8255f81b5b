"""Which files are read, of which language, and how often."""

from pathlib import Path

import pytest

from regard import RegardError
from regard.tasks.translation.read import PairFile, held_files, languages_of, pair_files, two_files


def test_files_have_weights_and_languages() -> None:
    assert pair_files("a.tsv") == [PairFile("a.tsv")]
    assert pair_files(("a.en", "a.de")) == [PairFile(("a.en", "a.de"))]
    files = pair_files(["de=a.tsv:2", "zh-TW=b.tsv", "de=c=d.tsv:0.5"])
    assert [file.path for file in files] == ["a.tsv", "b.tsv", "c=d.tsv"]
    assert [file.weight for file in files] == [2, 1, 0.5]
    assert languages_of(files) == ["de", "zh-TW"]


def test_a_file_whose_name_has_an_equals_sign_is_that_file(tmp_path: Path) -> None:
    file = tmp_path / "de=a.tsv"
    file.touch()
    assert pair_files(str(file)) == [PairFile(str(file))]


@pytest.mark.parametrize("weight", ["x", "", "0", "-1", "nan", "inf", "1,2"])
def test_a_weight_is_a_number_above_0(weight: str) -> None:
    with pytest.raises(RegardError, match=r"number above 0, such as b\.tsv:3; got 'b\.tsv:"):
        pair_files(["a.tsv", f"b.tsv:{weight}"])


def test_a_list_of_sources_names_their_files(tmp_path: Path) -> None:
    (tmp_path / "sources.toml").write_text(
        """
        [[source]]
        pairs = "talks.tsv.gz"
        weight = 2
        dev = "dev/talks.tsv"

        [[source]]
        pairs = ["web.en", "web.de"]
        name = "the web"
        most = 1000
        """
    )
    talks, web, other = pair_files([str(tmp_path / "sources.toml"), "other.tsv"])
    assert talks == PairFile(f"{tmp_path}/talks.tsv.gz", 2.0, dev=f"{tmp_path}/dev/talks.tsv")
    assert web == PairFile((f"{tmp_path}/web.en", f"{tmp_path}/web.de"), most=1000, title="the web")
    assert [file.source for file in (talks, web, other)] == ["talks", "the web", "other"]
    dev = held_files("more.tsv", [], [talks, web, other])
    assert [(file.path, file.source) for file in dev] == [
        (f"{tmp_path}/dev/talks.tsv", "talks"), ("more.tsv", "more"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# nothing", "at source: Field required"),
        ("source = []", "at source: List should have at least 1 item"),
        ("[[source]]", "at source 1 pairs: Field required"),
        ("[[source]]\npairs = 3", "at source 1 pairs"),
        ("[[source]]\npairs = 'a'\nweight = 'two'", "at source 1 weight: Input should be a valid"),
        ("[[source]]\npairs = 'a'\nweight = 0", "at source 1 weight: Input should be greater than"),
        ("[[source]]\npairs = 'a'\nweight = nan", "at source 1 weight: Input should be a finite"),
        ("[[source]]\npairs = 'a'\nmost = 0", "at source 1 most: Input should be greater than"),
        ("[[source]]\npairs = 'a'\nwieght = 1", "at source 1 wieght: Extra inputs"),
        ("[[source]]\npairs = ['a', 'b', 'c']", "a source file and a target file; got 3"),
        ("[[source]", "is not TOML"),
        ("\xff", "is not TOML"),
    ],
)
def test_a_list_that_is_none_is_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "sources.toml").write_bytes(text.encode("latin-1"))
    with pytest.raises(RegardError, match=message):
        pair_files(str(tmp_path / "sources.toml"))
    with pytest.raises(RegardError, match=r"no such file|does not exist|missing"):
        pair_files(str(tmp_path / "others.toml"))


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


def test_two_files_are_named_with_a_comma(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.en", "a.de", "a,b.tsv"):
        (tmp_path / name).write_text("x\n")
    assert two_files("a.en,a.de") == ("a.en", "a.de")
    assert held_files("a.en,a.de", []) == [PairFile(("a.en", "a.de"))]
    assert pair_files("a.en,a.de")[0].paths == ["a.en", "a.de"]
    assert two_files("a,b.tsv") == "a,b.tsv"
    assert two_files("a.en,none.de") == "a.en,none.de"
