"""Plots: every number where it belongs, one name one color, all of it said on the paper."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from regard.errors import RegardError
from regard.figures.plots import Plot, plots
from regard.figures.style import CATEGORICAL

DIMS = (2, 16, 128, 1024)
LEFT = Plot("Variance", "d", "var(q · k)", {"dot": (DIMS, DIMS)}, log="xy")
RIGHT = Plot(
    "A curve",
    "x",
    "y",
    {"truth": (np.linspace(0, 1, 50), np.zeros(50)), "dot": ([0, 1], [0.5, 1])},
    {"measured": ([0.2, 0.7, 0.9], [1, -1, 0])},
)


def test_a_name_has_its_numbers_and_one_color_in_every_plot():
    left, right = plots([LEFT, RIGHT]).axes
    assert np.array_equal(left.lines[0].get_ydata(), DIMS)
    points, truth, dot = right.lines
    assert np.array_equal(points.get_ydata(), [1, -1, 0])
    assert left.lines[0].get_color() == dot.get_color() == CATEGORICAL[0]
    assert truth.get_color() == CATEGORICAL[1]


def test_points_that_were_measured_are_marked_and_curves_are_not():
    _, right = plots([LEFT, RIGHT]).axes
    _, truth, dot = right.lines
    assert (truth.get_marker(), dot.get_marker()) == ("", "o")


def test_axes_are_logarithmic_where_asked():
    left, right = plots([LEFT, RIGHT]).axes
    assert (left.get_xscale(), left.get_yscale()) == ("log", "log")
    assert (right.get_xscale(), right.get_yscale()) == ("linear", "linear")


def test_everything_is_said_on_the_paper(texts, check_paper):
    figure = plots([LEFT, RIGHT], title="Two plots")
    said = {text.get_text() for text in texts(figure)}
    assert {"Two plots", "Variance", "A curve", "var(q · k)", "d", "x", "y"} <= said
    assert {"— dot", "— truth", "● measured"} <= said
    check_paper(figure)


LENGTHS = ["2–8", "9–13", "14–30"]
LADDER = Plot("", "words in the source", "BLEU",
    {"GRU": (LENGTHS, [18.0, 11.5, 6.0]), "Transformer": (LENGTHS, [38.0, 37.5, 35.0])},
)  # fmt: skip


def test_lines_over_groups_differ_in_shape_too_and_begin_at_zero(texts, drawn, check_paper):
    figure = plots([LADDER], title="The ladder", width_mm=85.0)
    axes = drawn(figure).axes[0]
    assert axes.get_ylim()[0] == 0
    assert [label.get_text() for label in axes.get_xticklabels()] == LENGTHS
    for line, (_, heights) in zip(axes.lines, LADDER.lines.values(), strict=True):
        assert np.array_equal(line.get_ydata(), heights)
    assert len({line.get_marker() for line in axes.lines}) == 2
    assert {"The ladder", "● GRU", "■ Transformer"} <= {text.get_text() for text in texts(figure)}
    check_paper(figure)


@pytest.mark.parametrize(
    ("panels", "message"),
    [
        ([], "one or more plots with up to 7 names of lines; got 0 plots and 0 names"),
        (
            [Plot("", "", "", {str(n): ([0], [0]) for n in range(8)})],
            "got 1 plots and 8 names",
        ),
        ([Plot("", "", "", {"a": ([0, 1], [0])})], r"'a' must have as many x as y; got \(2,\)"),
    ],
)
def test_what_cannot_be_drawn_is_refused(panels, message):
    with pytest.raises(RegardError, match=message):
        plots(panels)
