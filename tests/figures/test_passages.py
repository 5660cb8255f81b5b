"""Texts whose words are shaded: all of them are there, the largest darkest, and they fit."""

import pytest

pytest.importorskip("matplotlib")

from regard.errors import RegardError
from regard.figures.passages import Bar, Passage, passages

TEXT = Passage("source", ["a", "cup", "of", "tea"], [0, 1, 0.1, 0.5], ["", "70 %", "", "20 %"], 3)


def test_words_numbers_and_bars_are_written_inside_the_paper(drawn, texts) -> None:
    bars = [Bar("Tasse", 0.8, True), Bar("Becher", 0.05, False)]
    figure = drawn(passages([TEXT], bars, bars_title="candidates", notes=["−0.3"], title="a step"))
    said = [each.get_text() for each in texts(figure)]
    for expected in ("cup", "70 %", "Tasse", "80 %", "5.0 %", "candidates", "−0.3", "a step"):
        assert expected in said


def test_the_largest_share_is_darkest_and_the_marked_word_has_a_frame(drawn) -> None:
    boxes = drawn(passages([TEXT])).axes[0].patches
    light = [sum(box.get_facecolor()[:3]) for box in boxes]
    assert light.index(min(light)) == 1
    widths = [box.get_linewidth() for box in boxes]
    assert widths.index(max(widths)) == 3


def test_a_long_text_goes_on_in_the_next_line(drawn) -> None:
    many = Passage("x", ["word"] * 60, [0.0] * 60, [""] * 60)
    boxes = drawn(passages([many])).axes[0].patches
    assert max(box.get_x() + box.get_width() for box in boxes) <= 85
    assert len({box.get_y() for box in boxes}) > 3


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (Passage("x", [], [], []), "1 to 400 words; got 0"),
        (Passage("x", ["a", "b"], [0.0], ["", ""]), "each of its 2 words; got 1 and 2"),
    ],
)
def test_what_does_not_fit_is_refused(text: Passage, sentence: str) -> None:
    with pytest.raises(RegardError, match=sentence):
        passages([text])
