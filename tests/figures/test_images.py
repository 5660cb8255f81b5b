"""Pictures side by side: one scale for all, nothing stretched, each with its name."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from regard.errors import RegardError
from regard.figures.images import images

WIDE, TALL = np.linspace(0, 0.5, 21).reshape(3, 7), np.linspace(-2, 1, 55).reshape(11, 5)


def test_pictures_are_shown_as_they_are_under_one_scale():
    first, second = (
        axes.images[0] for axes in images({"a": WIDE, "b": TALL}, scale="difference").axes
    )
    assert np.array_equal(first.get_array(), WIDE)
    assert first.get_clim() == second.get_clim() == (-2, 2)


@pytest.mark.parametrize(("scale", "limits"), [("gray", (0, 1)), ("weights", (0, 0.5))])
def test_a_scale_says_what_is_light_and_dark(scale, limits):
    assert images({"a": WIDE}, scale=scale).axes[0].images[0].get_clim() == limits


def test_no_picture_is_stretched_and_none_leaves_the_paper(drawn, check_paper):
    figure = images({"a wide one": WIDE, "b": TALL, "c": WIDE}, title="Three", columns=2)
    for axes in drawn(figure).axes:
        height, width = axes.images[0].get_array().shape
        box = axes.get_window_extent()
        assert box.height / box.width == pytest.approx(height / width, rel=0.01)
    check_paper(figure)


def test_names_stand_below(texts):
    said = {text.get_text() for text in texts(images({"noisy": WIDE, "clean": WIDE}))}
    assert said == {"noisy", "clean"}


@pytest.mark.parametrize(
    ("pictures", "scale", "message"),
    [
        ({}, "gray", "one or more pictures; got none"),
        ({"a": np.zeros(3)}, "gray", r"'a' must be \(height, width\); got \(3,\)"),
        ({"a": WIDE}, "sepia", "scale must be one of gray, weights, difference; got 'sepia'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(pictures, scale, message):
    with pytest.raises(RegardError, match=message):
        images(pictures, scale=scale)


def test_more_rows_than_a_page_holds_are_refused():
    with pytest.raises(RegardError, match="60 rows of pictures do not fit on a page: give more"):
        images({str(number): WIDE for number in range(60)}, columns=1)
