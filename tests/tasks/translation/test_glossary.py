"""A user's terms are in the translations."""

from pathlib import Path

import pytest

import regard
from regard import RegardError
from regard.tasks.translation.glossary import Glossary


def test_terms_are_found_as_whole_words_and_the_longest_first() -> None:
    glossary = Glossary.of({"house": "Haus|Häuser", "house cat": "Hauskatze", "Mr. X": "Herr X"})
    assert glossary.found_in("House or house?") == [("Haus", "Häuser")]
    assert glossary.found_in("A house cat, a household, mr. X!") == [("Hauskatze",), ("Herr X",)]
    assert glossary.found_in("HOUSE") == []


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("house\tHaus\ncat", r"line 2 of .* must be a term, a tab and its translation; got 'cat'"),
        ("house\tHaus\ta", "line 1 of .* must be a term, a tab"),
        ("\n\nhouse\t ", "line 3 of .* must have a term and its translation"),
        ("\tHaus", "line 1 of .* must have a term"),
        ("house\tHaus||b", "line 1 of .* must have a term"),
        ("house\tHaus\nHouse\tHeim", "line 2 of .* contradicts line 1 of .*'Haus|Heim'"),
        ("\n", "must have a term at least"),
    ],
)
def test_a_bad_glossary_is_refused_with_its_line(
    tmp_path: Path, content: str, sentence: str
) -> None:
    (tmp_path / "terms.tsv").write_text(content)
    with pytest.raises(RegardError, match=sentence):
        Glossary.of(tmp_path / "terms.tsv")
    with pytest.raises(RegardError, match="missing"):
        Glossary.of(tmp_path / "missing.tsv")


@pytest.mark.parametrize("num_beams", [1, 5])
def test_a_translation_has_the_term(num_beams: int) -> None:
    translator = regard.load("en-de").run_by("native")
    texts = ["Where is the station?", "I bought three apples."]
    plain = translator.run(texts, num_beams=num_beams)
    terms = {"station": "Haltestelle|Haltestellen"}
    found = translator.run(texts, num_beams=num_beams, glossary=terms)
    assert "Haltestelle" in found[0].text
    assert "Haltestelle" not in plain[0].text
    assert found[0].finished
    assert found[1].text == plain[1].text
    alone = translator.run(texts[:1], num_beams=num_beams, glossary=terms)[0]
    assert (alone.text, alone.score) == (found[0].text, pytest.approx(found[0].score, abs=1e-5))


@pytest.mark.parametrize(
    ("term", "text", "is_there"),
    [
        ("कु", "कुत्ता दौड़ता है", False),
        ("कुत्ता", "यह कुत्ता है।", True),
        ("中国", "我在中国人民大学", True),
        ("カメラ", "デジタルカメラ", False),
        ("Docker", "使用Docker容器", True),
        ("café", "at the cafe\u0301", True),  # decomposed
        ("cafe", "at the cafe\u0301", False),
    ],
)
def test_terms_are_found_as_words_in_every_script(term: str, text: str, is_there: bool) -> None:
    assert Glossary.of({term: "x"}).found_in(text) == ([("x",)] if is_there else [])
