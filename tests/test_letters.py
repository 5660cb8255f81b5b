"""Words and letters of every script: the values are those of Unicode's Standard Annex 29, by hand
from its rules (WB4 to WB999, GB3 to GB999)."""

import json
import sys
import unicodedata
from pathlib import Path

import pytest

from regard.letters import bare, beginning, edge, is_whole, signs, spelled, whole, words
from regard.letters import words_and_signs as pieces

SCRIPTS = Path(__file__).parent / "fixtures" / "scripts.json"


def found(text: str) -> list[str]:
    return [text[begin:end] for begin, end in words(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("कुत्ता दौड़ता है।", "कुत्ता दौड़ता है"),  # vowel signs, viramas, nukta
        ("বাংলা, தமிழ்; తెలుగు", "বাংলা தமிழ் తెలుగు"),
        ("العَرَبِيَّة וְהָיָה", "العَرَبِيَّة וְהָיָה"),  # vowel points
        ("cafe\u0301 e\u0301te\u0301", "cafe\u0301 e\u0301te\u0301"),  # decomposed
        ("می\u200cخواهم क्\u200dष", "می\u200cخواهم क्\u200dष"),  # WB4: joiners
        ("Donau\u00adschiff", "Donau\u00adschiff"),
        ("don't l’eau e-mail", "don't l’eau e mail"),  # WB6, WB7
        ("10,000.50 U.S.A. 3.", "10,000.50 U.S.A 3"),  # WB11, WB12
        ("צה\"ל ג'ורג'", "צה\"ל ג'ורג'"),  # WB7a to WB7c
        ("snake_case A4", "snake_case A4"),  # WB13a, WB9
        ("北京大学", "北 京 大 学"),  # WB999
        ("カタカナと한국어", "カタカナ と 한국어"),  # WB13
        ("กรุงเทพ", "ก รุ ง เ ท พ"),
        ("မြန်မာ ខ្មែរ", "မြ န် မာ ខ្ មែ រ"),
        ("❤\ufe0f 👍🏽 — !", ""),
    ],
)
def test_words_are_those_of_the_annex(text: str, expected: str):
    assert found(text) == expected.split()


def test_every_mark_of_unicode_belongs_to_the_letter_before_it():
    marks = [chr(code) for code in range(sys.maxunicode + 1)]
    marks = [mark for mark in marks if unicodedata.category(mark)[0] == "M"]
    assert len(marks) > 2000
    assert [mark for mark in marks if found(f"ka{mark}ka") != [f"ka{mark}ka"]] == []
    assert [mark for mark in marks if signs(f"a{mark}b") != [f"a{mark}", "b"]] == []


def test_a_picture_of_several_signs_is_one():
    assert signs("👨‍👩‍👧🇩🇪🇫🇷❤\ufe0f👍🏽") == ["👨‍👩‍👧", "🇩🇪", "🇫🇷", "❤\ufe0f", "👍🏽"]
    text = "है 👍🏽!"
    assert [text[a:b] for a, b in pieces(text, 0, len(text))] == ["है", "👍🏽", "!"]


def test_compounds_are_joined_by_punctuation_alone():
    text = "an e-mail, to x"
    joined = [text[begin:end] for begin, end in words(text, compounds=True)]
    assert joined == ["an", "e-mail", "to", "x"]


def test_letters_alone_leave_out_digits_and_points():
    assert spelled("It's 5 o’clock, U.S. कुत्ता x2") == ["It's", "o’clock", "U", "S", "कुत्ता", "x"]


def test_a_text_is_cut_between_letters():
    assert [beginning("नमस्ते", most) for most in (1, 3, 4, 5, 6)] == [
        "न",
        "नम",
        "नमस्",
        "नमस्",
        "नमस्ते",
    ]
    assert beginning("a👨‍👩‍👧", 3) == "a"
    assert edge("कुत्ता", 5) == 6
    assert edge("कुत्ता", 0) == 0


@pytest.mark.parametrize(
    ("text", "term", "places"),
    [
        ("art, artist", "art", [0]),
        ("the house's door", "house", [4]),
        ("है ह", "ह", [3]),
        ("中国人", "中国", [0]),
        ("使用Docker容器", "Docker", [2]),
        ("カメラを デジタルカメラ", "カメラ", [0]),
        ("ที่บ้าน", "บ้าน", [3]),
        ("บ้า", "บ", []),
        ("cafe\u0301", "cafe", []),
    ],
)
def test_a_term_is_met_where_it_is_no_part_of_a_word(text: str, term: str, places: list[int]):
    assert [match.start() for match in whole(term).finditer(text)] == places
    at = [place for place in range(len(text)) if text.startswith(term, place)]
    assert [place for place in at if is_whole(text, place, place + len(term))] == places


def test_a_bare_word_keeps_its_marks():
    assert [bare(word) for word in ("«है।»", "(Łódź)", "…", "don't!")] == ["है", "Łódź", "", "don't"]


@pytest.mark.parametrize(("text", "expected"), json.loads(SCRIPTS.read_text("utf-8"))["spelled"])
def test_words_by_their_letters_are_as_in_the_page(text: str, expected: list[str]):
    assert spelled(text) == expected
