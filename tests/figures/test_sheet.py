"""Type: measured, cut and wrapped in millimeters."""

import pytest

pytest.importorskip("matplotlib")

from regard.figures.sheet import Type


@pytest.fixture(scope="module")
def type_() -> Type:
    return Type(["tea", "…"])


def test_width_grows_with_the_text_and_with_its_size(type_: Type) -> None:
    one = type_.width("tea")
    assert type_.width("teatea") == pytest.approx(2 * one, rel=0.05)
    assert type_.width("tea", 12.0) == pytest.approx(2 * one, rel=0.05)
    assert type_.width("") == 0
    # "tea" at 6 points: between 1.1 and 1.9 ems of 2.12 mm.
    assert 1.1 * 2.12 < one < 1.9 * 2.12


def test_what_fits_is_left_alone_and_what_does_not_is_cut(type_: Type) -> None:
    assert type_.fit("tea", 50) == "tea"
    cut = type_.fit("a very long token indeed", 10)
    assert cut.endswith("…")
    assert type_.width(cut) <= 10
    assert "a very long token indeed".startswith(cut[:-1])


def test_a_cut_never_takes_an_accent_from_its_letter() -> None:
    accent = "\N{COMBINING ACUTE ACCENT}"
    type_ = Type([f"e{accent}…"])
    text = f"e{accent}" * 7
    for room in range(2, 12):
        kept = type_.fit(text, room).removesuffix("…")
        assert kept == text[: len(kept)]
        assert len(kept) <= 1 or kept.endswith(accent)


def test_lines_break_at_spaces_and_none_is_too_long(type_: Type) -> None:
    text = "what each German token looks at in the source"
    lines = type_.wrap(text, 20)
    assert " ".join(lines) == text
    assert len(lines) > 2
    assert max(map(type_.width, lines)) <= 20
    assert type_.wrap("", 20) == []
