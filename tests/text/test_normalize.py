"""Tidy text is one form, and loses no letter and no mark."""

from __future__ import annotations

import unicodedata

import pytest

from regard.text import normalize


@pytest.mark.parametrize(
    ("untidy", "tidy"),
    [
        ("  a \t b\n\nc ", "a b c"),
        ("10\u00a0km", "10 km"),
        ("u\u0308ber", "über"),
        ("\ufeffHello\u200b wor\u00adld", "Hello world"),
        ("", ""),
    ],
)
def test_spaces_composition_and_invisible_marks_are_tidied(untidy: str, tidy: str) -> None:
    assert normalize(untidy) == tidy


def test_joiners_of_indic_and_persian_spelling_stay() -> None:
    text = "क्\u200dष می\u200cخواهم"
    assert normalize(text) == text


def test_every_devanagari_mark_stays_behind_its_letter() -> None:
    marks = [chr(c) for c in range(0x900, 0x980) if unicodedata.category(chr(c))[0] == "M"]
    assert len(marks) > 30
    for mark in marks:
        assert normalize(f" क{mark} ") == unicodedata.normalize("NFC", f"क{mark}")


def test_tidying_twice_changes_nothing_more() -> None:
    once = normalize(" u\u0308 \u200b x\u00a0 y ")
    assert normalize(once) == once
