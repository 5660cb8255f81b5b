"""The flow: a line for each weight, as wide as it is large."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from regard.errors import RegardError
from regard.figures.flow import flow
from regard.figures.style import CATEGORICAL

ROWS, COLUMNS = ["▁Ich", "▁trinke", "▁Tee"], ["▁I", "▁drink", "▁tea", ".", "</s>"]


def lines_of(figure):
    return figure.axes[0].collections[0]


def test_each_weight_is_a_line_between_its_tokens(drawn) -> None:
    weights = np.zeros((3, 5))
    weights[0, 4], weights[2, 1] = 0.75, 0.5
    lines = lines_of(drawn(flow(weights, ROWS, COLUMNS)))
    ends = [(path.vertices[0], path.vertices[-1]) for path in lines.get_paths()]
    tall = 5 * 3.0  # the longer side has five tokens of three millimeters
    assert len(ends) == 2
    (second_start, second_end), (first_start, first_end) = ends  # the largest last, on top
    assert first_start == pytest.approx((0, 0.5 * tall / 3))
    assert first_end == pytest.approx((1, 4.5 * tall / 5))
    assert second_start == pytest.approx((0, 2.5 * tall / 3))
    assert second_end == pytest.approx((1, 1.5 * tall / 5))
    thin, wide = lines.get_linewidths()
    assert wide - 0.3 == pytest.approx(1.5 * (thin - 0.3))
    faint, strong = lines.get_colors()[:, 3]
    assert strong > faint


def test_what_is_left_out_is_said(texts) -> None:
    weights = np.array([[0.9, 0.06, 0.04], [0.5, 0.3, 0.2]])
    said = " ".join(t.get_text() for t in texts(flow(weights, ["a", "b"], list("xyz"), most=2)))
    assert "the 2 lines drawn are 70 % of its sum" in said
    said = " ".join(t.get_text() for t in texts(flow(weights, ["a", "b"], list("xyz"), least=0.1)))
    assert "the 4 lines drawn are 95 % of its sum" in said


def test_only_the_focused_rows_have_lines(softmax) -> None:
    figure = flow(softmax(3, 5), ROWS, COLUMNS, focus=[1], least=0.0)
    starts = [path.vertices[0][1] for path in lines_of(figure).get_paths()]
    assert starts == [pytest.approx(7.5)] * 5


def test_masked_weights_have_no_line() -> None:
    weights = np.array([[0.5, np.nan], [-np.inf, 1.0]])
    assert len(lines_of(flow(weights, ["a", "b"], ["x", "y"])).get_paths()) == 2


def test_each_head_has_its_color_and_name(softmax, texts) -> None:
    from matplotlib.colors import to_rgb

    figure = flow(softmax(2, 3, 5), ROWS, COLUMNS, heads=["head 3", "head 7"])
    colors = {tuple(color[:3]) for color in lines_of(figure).get_colors()}
    assert colors == {to_rgb(CATEGORICAL[0]), to_rgb(CATEGORICAL[1])}
    named = {t.get_text(): t.get_color() for t in texts(figure)}
    assert named["— head 3"] == CATEGORICAL[0]
    assert named["— head 7"] == CATEGORICAL[1]


@pytest.mark.parametrize(
    ("rows", "columns", "width_mm"), [(1, 1, 60.0), (3, 29, 85.0), (61, 59, 60.0), (29, 31, 175.0)]
)
def test_everything_is_legible_on_the_paper(
    rows: int, columns: int, width_mm: float, softmax, check_paper
) -> None:
    names = ["W" * 40, *(f"▁token{n}" for n in range(60))]
    figure = flow(
        softmax(5, rows, columns),
        names[:rows],
        names[:columns],
        title="five heads of decoder layer 3 and everything that they look at in this text",
        width_mm=width_mm,
    )
    check_paper(figure)


@pytest.mark.parametrize(
    ("weights", "options", "sentence"),
    [
        (np.zeros((5, 3)), {}, r"as many rows and columns as names, \(3, 5\); got \(5, 3\)"),
        (np.zeros((8, 3, 5)), {}, "colors for 7 heads; got 8"),
        (np.zeros((2, 3, 5)), {"heads": ["a"]}, "must name all 2 heads; got 1"),
        (np.zeros((3, 5)), {"focus": [3]}, r"rows from 0 to 2; got \[3\]"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(weights, options, sentence: str) -> None:
    with pytest.raises(RegardError, match=sentence):
        flow(weights, ROWS, COLUMNS, **options)


def test_a_text_longer_than_a_page_is_refused() -> None:
    with pytest.raises(RegardError, match="a page has room for 66 tokens; got 67"):
        flow(np.eye(67), ["a"] * 67, ["b"] * 67)
