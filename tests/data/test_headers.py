"""A first row of names is no example, in whatever script or words it is written."""

from pathlib import Path

import pytest

from fixtures.covering import parametrize
from regard.cli.lines import read_lines
from regard.data import read_pairs
from regard.tasks.classification.read import read_labeled
from regard.tasks.summarization.score import read_documents_with_summaries

# "review" and "feeling", or the like.
NAMES = {
    "Hindi": "समीक्षा,भावना",
    "Bengali": "পর্যালোচনা,অনুভূতি",
    "Tamil": "விமர்சனம்,உணர்வு",
    "Telugu": "సమీక్ష,భావన",
    "Thai": "ข้อความ,ความรู้สึก",
    "Khmer": "អត្ថបទ,អារម្មណ៍",
    "Burmese": "စာသား,ခံစားချက်",
    "Persian": "متن,برچسب",
    "Hebrew": "טקסט,תווית",
    "Vietnamese": "Đánh giá,Cảm xúc",
    "Vietnamese, decomposed": "Đánh giá,Cảm xúc",
    "Japanese": "本文,分類",
    "Russian": "отзыв,тональность",
    "a form": '"How was your stay?","Would you come back?"',
    "another form": '"Please tell us what you think of our hotel.","Come back?"',
}


@parametrize("script, count", NAMES, [24, 4], strength=1)
def test_names_in_any_script_are_a_header(script: str, count: int, tmp_path: Path) -> None:
    rows = [f"The story of part {k} is read,{('good', 'bad')[k % 2]}" for k in range(count)]
    (tmp_path / "a.csv").write_text("\n".join([NAMES[script], *rows]), "utf-8")
    said: list[str] = []
    assert len(list(read_labeled(str(tmp_path / "a.csv"), say=said.append))) == count
    assert "the first row has the names of columns" in said[0]


def test_a_first_label_that_occurs_nowhere_else_is_named(tmp_path: Path) -> None:
    rows = [f"The story of part {k} is read,{('good', 'bad')[k % 2]}" for k in range(24)]
    first = "Please write all that you think of the hotel,Write what you are going to do"
    (tmp_path / "a.csv").write_text("\n".join([first, *rows]))
    said: list[str] = []
    assert len(list(read_labeled(str(tmp_path / "a.csv"), say=said.append))) == 25
    assert any("is taken for an example; if it has the names" in sentence for sentence in said)


@pytest.mark.parametrize(
    "header",
    ["English,Deutsch", "हिन्दी,English", "français,español", "日本語,中文", "Quelle,Übersetzung"],
)
def test_languages_in_their_words_are_a_header(header: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"{header}\nHi.,Hallo.\nNo.,Nein.\n", "utf-8")
    assert [pair.line for pair in read_pairs(tmp_path / "a.csv", say=lambda said: None)] == [2, 3]


@pytest.mark.parametrize("header", ["Body,TLDR", "texte,résumé", "Beitrag,Kurzfassung"])
def test_words_over_sentences_are_a_header(header: str, tmp_path: Path) -> None:
    rows = [f"The long story of part {k} is read,Part {k} is read" for k in range(8)]
    (tmp_path / "a.csv").write_text("\n".join([header, *rows]), "utf-8")
    read = read_documents_with_summaries(str(tmp_path / "a.csv"), say=lambda said: None)
    assert len(list(read)) == 8


def test_a_name_that_is_a_value_below_is_none(tmp_path: Path) -> None:
    rows = [f"The story of part {k} is read,{('label', 'class')[k % 2]}" for k in range(8)]
    (tmp_path / "a.csv").write_text("\n".join(rows))
    assert len(list(read_labeled(str(tmp_path / "a.csv"), say=lambda said: None))) == 8


def test_the_name_of_a_table_above_its_names_is_no_row(tmp_path: Path) -> None:
    # As Numbers writes it with "Include table names", in a country of decimal commas.
    content = 'Tabelle 1;\n;\nText;Label\n"The first\nstory";good\nThe second story;bad\n'
    unspaced = content.replace("\n;\n", "\n", 1)
    for text in (content, unspaced, content.replace("first\n", "first ")):
        (tmp_path / "a.csv").write_text(text)
        read = list(read_labeled(str(tmp_path / "a.csv")))
        assert [example.targets for example in read] == [["good"], ["bad"]]


def test_a_name_over_dates_is_a_header(tmp_path: Path) -> None:
    first = "Timestamp,Tell us all about your stay (optional),Overall rating of the hotel"
    rows = [f"2024/03/0{k + 1} 10:11:12 AM GMT+1,So it was {k},{'Yes' * (k % 2) or 'No'}"
            for k in range(6)]  # fmt: skip
    (tmp_path / "a.csv").write_text("\n".join([first, *rows]))
    assert len(list(read_labeled(str(tmp_path / "a.csv"), say=lambda said: None))) == 6


@pytest.mark.parametrize("mark", ['"', ""])
@pytest.mark.parametrize(("name", "sign"), [("a.csv", ","), ("a.tsv", "\t")])
def test_numbers_of_rows_without_a_name_are_passed_over(
    name: str, sign: str, mark: str, tmp_path: Path
) -> None:
    # write.table(data, sep=…) of R names no column of row names.
    def line(*cells: str) -> str:
        return sign.join(f"{mark}{cell}{mark}" for cell in cells) + "\n"

    rows = [line(str(k), f"So it was {k}.", f"So war es {k}.") for k in range(1, 5)]
    (tmp_path / name).write_text("".join([line("en", "de"), *rows]))
    pairs = list(read_pairs(tmp_path / name, say=lambda said: None))
    assert [pair.source for pair in pairs] == [f"So it was {k}." for k in range(1, 5)]
    assert pairs[3].target == "So war es 4."


@pytest.mark.parametrize(
    ("first", "count"), [("Kommentar", 3), ("user_comment", 3), ("So it is", 4)]
)
def test_one_column_may_have_a_name(first: str, count: int, tmp_path: Path) -> None:
    rows = ["The screen broke", "It came late", "All is well"]
    (tmp_path / "a.csv").write_text("\n".join([first, *rows]))
    with (tmp_path / "a.csv").open("rb") as stream:
        groups = read_lines(stream, name="a.csv", format="csv")
        assert [line.text for group in groups for line in group][-count:] == [
            *([first] if count == 4 else []),
            *rows,
        ]


def test_the_line_of_excel_and_an_empty_one_have_no_answer(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("sep=;\ntext;more\na;b\n\nc;d\n")
    with (tmp_path / "a.csv").open("rb") as stream:
        [group] = read_lines(stream, name="a.csv", format="csv")
    assert [line.text for line in group] == ["a", "c"]
