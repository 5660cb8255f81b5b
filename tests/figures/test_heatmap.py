"""The heatmap: what is drawn is what was given, and everything on it can be read."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from regard.errors import RegardError
from regard.figures.heatmap import heatmap

ENGLISH = [
    "▁I",
    "▁would",
    "▁like",
    "▁a",
    "▁cup",
    "▁of",
    "▁tea",
    "▁with",
    "▁my",
    "▁friend",
    "s",
    ".",
    "</s>",
]
GERMAN = ["▁Ich", "▁möchte", "▁gern", "▁mit", "▁Freunden", "▁Tee", "▁trinken", ".", "</s>"]


def map_of(figure):
    return figure.axes[0]


def numbers(figure) -> dict[tuple[int, int], str]:
    axes = map_of(figure)
    return {(int(t.get_position()[1]), int(t.get_position()[0])): t.get_text() for t in axes.texts}


def test_queries_are_rows_and_keys_columns_and_the_axes_say_so(softmax, texts) -> None:
    weights = softmax(len(GERMAN), len(ENGLISH))
    figure = heatmap(weights, GERMAN, ENGLISH, row_name="target", column_name="source")
    axes = map_of(figure)
    said = [text.get_text() for text in texts(figure)]
    assert "← target" in said
    assert "source →" in said
    assert [t.get_text() for t in axes.get_yticklabels()] == [t.replace("▁", "␣") for t in GERMAN]
    assert [t.get_text() for t in axes.get_xticklabels()] == [t.replace("▁", "␣") for t in ENGLISH]
    assert np.array_equal(axes.images[0].get_array(), weights)
    assert axes.get_ylim() == (8.5, -0.5)  # the first query on top


def test_numbers_stand_in_their_cells(drawn) -> None:
    figure = heatmap([[0.254, 0.746], [1.0, 0.0], [0.004, 0.996]], ["a", "b", "c"], ["x", "y"])
    assert numbers(drawn(figure)) == {(0, 0): ".25", (0, 1): ".75", (1, 0): "1", (2, 1): "1"}
    assert numbers(heatmap([[12.34, -3.21]], ["a"], ["x", "y"], quantity="score")) == {
        (0, 0): "12.3",
        (0, 1): "−3.2",
    }
    assert numbers(heatmap([[0.5, 0.5]], ["a"], ["x", "y"], numbers=False)) == {}


def test_numbers_are_left_out_where_they_do_not_fit(softmax) -> None:
    assert numbers(heatmap(softmax(5, 7))) != {}
    assert numbers(heatmap(softmax(5, 41))) == {}


def test_masked_cells_are_open_over_a_hatched_ground(softmax, texts) -> None:
    weights = softmax(3, 5)
    weights[0, 4], weights[1, 3] = np.nan, -np.inf
    mask = np.ones((3, 5), dtype=bool)
    mask[2, 0] = False
    figure = heatmap(weights, mask=mask)
    axes = map_of(figure)
    hidden = axes.images[0].get_array().mask
    assert [tuple(cell) for cell in np.argwhere(hidden)] == [(0, 4), (1, 3), (2, 0)]
    assert axes.images[0].cmap(np.ma.masked_all(1))[0, 3] == 0
    assert axes.patch.get_hatch()
    assert "hatched: masked" in [text.get_text() for text in texts(figure)]
    assert (2, 0) not in numbers(figure)


def test_a_map_without_a_mask_says_nothing_of_hatching(softmax, texts) -> None:
    assert not [t for t in texts(heatmap(softmax(3, 5))) if "hatched" in t.get_text()]


def test_the_scale_starts_at_zero_and_carries_the_name(texts) -> None:
    figure = heatmap([[0.25, 0.75]], quantity="‖α·f(x)‖")
    image = map_of(figure).images[0]
    assert (image.norm.vmin, image.norm.vmax) == (0, 0.75)
    assert "‖α·f(x)‖" in [text.get_text() for text in texts(figure)]
    fixed = heatmap([[0.25, 0.75]], limits=(0.0, 1.0))
    assert map_of(fixed).images[0].norm.vmax == 1


def test_each_row_by_its_largest(texts) -> None:
    figure = heatmap([[0.1, 0.2], [0.8, np.nan], [0.0, 0.0]], scale="row")
    shown = map_of(figure).images[0].get_array()
    assert shown.filled(-1).tolist() == [[0.5, 1.0], [1.0, -1.0], [0.0, 0.0]]
    assert "weight α ÷ largest of its row" in [text.get_text() for text in texts(figure)]


def test_a_logarithmic_scale_spans_five_decades_at_most(texts) -> None:
    figure = heatmap([[1e-9, 0.0, 0.5, 0.5]], scale="log")
    norm = map_of(figure).images[0].norm
    assert (norm.vmin, norm.vmax) == (pytest.approx(0.5e-5), 0.5)
    assert norm(1e-9) == 0
    assert norm(0.5) == 1
    assert "weight α (logarithmic)" in [text.get_text() for text in texts(figure)]


def test_a_difference_is_white_at_zero() -> None:
    figure = heatmap([[-0.25, 0.0, 0.75]], scale="difference")
    image = map_of(figure).images[0]
    red, _, blue = (image.to_rgba(value)[0] for value in (-0.75, 0.0, 0.75))
    assert image.to_rgba(0.0)[:3] == pytest.approx((1, 1, 1), abs=0.01)
    assert red > 0.4 > blue


def test_a_lone_strong_cell_survives_a_map_finer_than_print(drawn, texts) -> None:
    weights = np.full((1100, 1500), 1e-4)
    weights[777, 1234] = 1.0
    figure = heatmap(weights, origin=(100, 200))
    image = map_of(figure).images[0]
    assert image.get_array().size < weights.size / 2
    assert image.get_array().max() == 1
    row, column = np.unravel_index(image.get_array().argmax(), image.get_array().shape)
    block = round(1500 / image.get_array().shape[1])
    assert (row, column) == (777 // block, 1234 // block)
    note = f"each dot is the largest of {block} × {block} cells"
    assert note in " ".join(text.get_text() for text in texts(figure))
    pixels = np.asarray(drawn(figure).canvas.buffer_rgba())
    assert (pixels[:, :, 0].astype(int) < 60).any()  # deep blue is really there


def test_positions_count_from_the_origin(drawn, softmax) -> None:
    axes = map_of(drawn(heatmap(softmax(3, 5), origin=(10, 200))))
    assert [t.get_text() for t in axes.get_yticklabels()] == ["10", "11", "12"]
    assert [t.get_text() for t in axes.get_xticklabels()] == ["200", "201", "202", "203", "204"]


@pytest.mark.parametrize(
    ("rows", "columns", "width_mm"),
    [
        (1, 1, 85.0),
        (1, 13, 175.0),
        (13, 1, 85.0),
        (7, 11, 85.0),
        (7, 11, 175.0),
        (29, 31, 85.0),
        (61, 23, 85.0),
        (61, 23, 175.0),
        (23, 211, 175.0),
        (503, 101, 85.0),
    ],
)
def test_everything_is_legible_on_the_paper(
    rows: int, columns: int, width_mm: float, softmax, check_paper
) -> None:
    figure = heatmap(
        softmax(rows, columns),
        [GERMAN[n % len(GERMAN)] for n in range(rows)],
        [ENGLISH[n % len(ENGLISH)] for n in range(columns)],
        title="decoder layer 3, cross-attention, head 2: what each token of the target looks at",
        quantity="weight α, scaled without the sink",
        row_name="query: target, as read",
        column_name="key: source",
        width_mm=width_mm,
    )
    check_paper(figure)
    width, height = figure.get_size_inches() * 25.4
    assert width == pytest.approx(width_mm)
    assert height <= 240


def test_tokens_are_no_formulas_and_may_be_long(check_paper, texts) -> None:
    names = ["$\\frac{1}{0$", "", " ", "\n", "W" * 300, "_under"]
    figure = heatmap(np.eye(6), names, names, title="50 % of $ & <x>")
    check_paper(figure)
    said = [text.get_text() for text in texts(figure)]
    assert "$\\frac{1}{0$" in said
    assert "50 % of $ & <x>" in said


def test_a_map_of_nothing_but_masked_cells_is_drawn(drawn) -> None:
    for scale in ("linear", "log", "row", "difference"):
        drawn(heatmap(np.full((2, 3), np.nan), scale=scale))
        drawn(heatmap(np.zeros((2, 3)), scale=scale))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"weights": np.zeros((0, 3))}, r"at least one of each; got shape \(0, 3\)"),
        ({"weights": np.zeros(3)}, r"weights must be \(rows, columns\)"),
        (
            {"weights": np.zeros((2, 3)), "rows": list("abc"), "columns": list("xy")},
            r"= \(3, 2\), as many as names; got \(2, 3\)\. Did you transpose it\?",
        ),
        ({"weights": [[np.inf]]}, "must be finite"),
        ({"weights": [[1.0]], "mask": [[1]]}, r"mask must be boolean \(1, 1\)"),
        ({"weights": [[1.0]], "scale": "root"}, "linear, log, row, difference; got 'root'"),
        ({"weights": [[1.0]], "width_mm": 3}, "width_mm must be from 40"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(arguments, sentence: str) -> None:
    with pytest.raises(RegardError, match=sentence):
        heatmap(**arguments)
