"""Two maps as one figure: the numbers of both, or of the first minus the second."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import regard
from regard import RegardError
from regard.inspection.views.comparison import comparison, difference
from regard.inspection.views.part import part

CROSS = "decoder.layers.2.cross"
SELF = "decoder.layers.2.self"


@pytest.fixture(scope="module")
def trace():
    return regard.load("en-de").trace("I drink a cup of tea.", num_beams=1)


def pictures(figure) -> list:
    return [axes.images[0] for axes in figure.axes if axes.images]


def test_both_maps_stand_side_by_side_with_their_own_scales(trace) -> None:
    parts = [part(trace, CROSS, 1), part(trace, CROSS, "mean")]
    found = pictures(comparison(*parts))
    for image, each in zip(found, parts, strict=True):
        assert np.array_equal(image.get_array(), each.values)
        assert image.norm.vmax == each.values.max()
    assert found[0].norm.vmax != found[1].norm.vmax


def test_one_scale_reaches_the_largest_of_both(trace) -> None:
    parts = [part(trace, CROSS, "mean"), part(trace, SELF, 0)]
    highs = [np.nanmax(each.values) for each in parts]
    one, two = pictures(comparison(*parts, one_scale=True))
    assert (one.norm.vmin, one.norm.vmax) == (two.norm.vmin, two.norm.vmax) == (0, max(highs))


def test_a_difference_is_the_first_minus_the_second_and_white_at_zero(trace) -> None:
    parts = [part(trace, SELF, 0), part(trace, SELF, 3)]
    (image,) = pictures(difference(*parts))
    expected = parts[0].values - parts[1].values
    shown = image.get_array()
    assert np.array_equal(shown.mask, np.isnan(expected))
    assert np.array_equal(shown.compressed(), expected[~np.isnan(expected)])
    assert image.norm.vmin == -image.norm.vmax < 0


def test_titles_have_the_texts_where_they_tell_the_maps_apart(trace, texts) -> None:
    one = part(trace, SELF, 0)
    two = replace(one, text="I eat a cup of ice.")
    said = " ".join(text.get_text() for text in texts(comparison(one, two)))
    assert "“I drink a cup of tea.”" in said
    assert "“I eat a cup of ice.”" in said
    alone = " ".join(text.get_text() for text in texts(comparison(one, one)))
    assert "“" not in alone


def test_maps_of_other_tokens_are_compared_by_position_and_the_figure_says_so(trace, texts) -> None:
    one = part(trace, SELF, 0, queries=slice(0, 3), keys=slice(0, 3))
    two = part(trace, SELF, 0, queries=slice(2, 5), keys=slice(2, 5))
    said = [text.get_text() for text in texts(difference(one, two))]
    assert "compared position by position" in " ".join(said)
    said = [text.get_text() for text in texts(difference(one, one))]
    assert "compared" not in " ".join(said)


def test_what_has_no_difference_is_refused(trace) -> None:
    with pytest.raises(RegardError, match=r"one shape; these have \d+ × \d+ and \d+ × \d+ cells"):
        difference(part(trace, CROSS), part(trace, SELF))
    square = {"queries": slice(0, 3), "keys": slice(0, 3)}
    with pytest.raises(RegardError, match="one shape"):  # the parts alone would fit
        difference(part(trace, CROSS, **square), part(trace, SELF, **square))
    with pytest.raises(RegardError, match="one quantity; got 'weight' and 'norm'"):
        difference(part(trace, CROSS), part(trace, CROSS, quantity="norm"))


def test_everything_is_legible_on_the_paper(trace, check_paper) -> None:
    one, two = part(trace, CROSS, 1), part(trace, "encoder.layers.0.self", "mean")
    check_paper(comparison(one, two, "row"))
    check_paper(difference(one, part(trace, CROSS, 2)))
