"""Curves by group: every number where it belongs, every curve distinct and named."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from regard.errors import RegardError
from regard.figures.color import CATEGORICAL
from regard.figures.curves import curves

VALUES = {"GRU, one fixed context": [18.0, 11.5, 6.0], "Transformer": [38.0, 37.5, 35.0]}
GROUPS = ["2–8", "9–13", "14–30"]
NAMES = dict(x_name="words in the source", y_name="BLEU")


def test_each_curve_has_its_numbers_its_color_and_its_shape() -> None:
    lines = curves(VALUES, GROUPS, **NAMES).axes[0].lines
    for line, heights, color in zip(lines, VALUES.values(), CATEGORICAL, strict=False):
        assert np.array_equal(line.get_ydata(), heights)
        assert line.get_color() == color
    assert len({line.get_marker() for line in lines}) == len(VALUES) == len(lines)


def test_heights_begin_at_zero_and_groups_are_named(drawn) -> None:
    axes = drawn(curves(VALUES, GROUPS, **NAMES)).axes[0]
    assert axes.get_ylim()[0] == 0
    assert [label.get_text() for label in axes.get_xticklabels()] == GROUPS


def test_everything_is_said_on_the_paper(texts, check_paper) -> None:
    figure = curves(VALUES, GROUPS, title="The ladder", **NAMES)
    said = {text.get_text() for text in texts(figure)}
    assert {"The ladder", "words in the source", "BLEU"} <= said
    assert {"● GRU, one fixed context", "■ Transformer"} <= said
    check_paper(figure)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "from one to 7 curves; got 0"),
        ({str(k): [1.0, 2.0, 3.0] for k in range(8)}, "from one to 7 curves; got 8"),
        ({"a": [1.0, 2.0]}, "'a' must have a number for each of 3 groups; got 2"),
    ],
)
def test_what_cannot_be_drawn_is_refused(values: dict[str, list[float]], message: str) -> None:
    with pytest.raises(RegardError, match=message):
        curves(values, GROUPS, **NAMES)
