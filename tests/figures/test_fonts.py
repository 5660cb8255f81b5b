"""Fallback fonts: every script that some installed font has is shown with it."""

import warnings

import pytest

pytest.importorskip("matplotlib")

from matplotlib.font_manager import findSystemFonts

from regard.figures import sheet
from regard.figures.sheet import BASE, families

DEVANAGARI = any("Devanagari" in file for file in findSystemFonts())


def test_latin_needs_no_other_font() -> None:
    assert families(["Straße", "␣naïve", "‖α·f(x)‖ →", "a b"]) == [BASE]


@pytest.mark.skipif(not DEVANAGARI, reason="needs an installed font for Devanagari")
def test_hindi_gets_a_font_that_has_all_of_it() -> None:
    from matplotlib.font_manager import findfont
    from matplotlib.ft2font import FT2Font

    text = "मित्रों चाहूँगा"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        chosen = families([text, "tea"])
    assert chosen[0] == BASE
    assert len(chosen) == 2
    found = FT2Font(findfont(chosen[1])).get_charmap()
    assert {ord(mark) for mark in text if mark != " "} <= set(found)


def test_a_character_that_no_font_has_is_said_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("_known", "_installed"):  # a machine with nothing but matplotlib's own
        monkeypatch.setattr(sheet, name, lambda: [BASE])
    sheet._fallbacks.cache_clear()
    for _ in range(2):  # and again for the next figure
        sentence = (
            r"^no installed font has म 今 日 \(Cjk, Devanagari\), .* install a font that does"
        )
        with pytest.warns(UserWarning, match=sentence) as said:
            assert families(["tea 今日", "म"]) == [BASE]
        assert len(said) == 1
    sheet._fallbacks.cache_clear()


def test_what_unicode_does_not_define_is_no_reason_to_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert families(["\U000f1234", "\U0001e7ff"]) == [BASE]


def test_joiners_and_spaces_need_no_glyph() -> None:
    assert families(["क्‍"[2:], " \n\t", "\ufe0f", "\u200b"]) == [BASE]
