"""All heads on one page: each picture in its place, with its numbers."""

from dataclasses import dataclass

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from regard.errors import RegardError
from regard.figures.heads import heads_grid


@dataclass
class Info:
    entropy: float
    distance: float | None
    mostly_sink: bool


def infos(layers: int, heads: int) -> list[list[Info]]:
    return [[Info(n + m / 10, 10 * m + n, m == n) for m in range(heads)] for n in range(layers)]


def test_rows_are_layers_and_columns_heads(softmax) -> None:
    thumbnails = softmax(2, 3, 5, 7)
    axes = heads_grid(thumbnails).axes[0]
    assert len(axes.images) == 6
    lefts, tops = np.array([image.get_extent()[::3] for image in axes.images]).reshape(2, 3, 2).T
    assert np.allclose(lefts.T[0], lefts.T[1])
    assert (np.diff(lefts.T[0]) > 0).all()
    assert (tops.T[0] < tops.T[1]).all()
    for index, image in enumerate(axes.images):
        assert np.array_equal(image.get_array(), thumbnails[index // 3, index % 3])


def test_all_share_one_scale_by_the_square_root(softmax) -> None:
    thumbnails = softmax(2, 3, 5, 7)
    for image in heads_grid(thumbnails).axes[0].images:
        assert image.norm(0.0) == 0
        assert image.norm(thumbnails.max()) == pytest.approx(1)
        assert image.norm(thumbnails.max() / 4) == pytest.approx(0.5)


def test_entropy_and_distance_stand_below_and_a_dot_marks_a_sink(softmax, texts) -> None:
    known = infos(2, 3)
    known[1][2].distance = None
    figure = heads_grid(softmax(2, 3, 5, 7), known)
    said = [text.get_text() for text in figure.axes[0].texts]
    assert said == ["0.0", "0.0", "0.1", "10.0", "0.2", "20.0", "1.0", "1.0", "1.1", "11.0", "1.2"]
    assert len(figure.axes[0].lines) == 2
    notes = " ".join(text.get_text() for text in texts(figure))
    assert "below: entropy in bits, mean distance in tokens" in notes
    assert "dot: mostly looks at a sink" in notes
    assert "hatched" not in notes


def test_without_numbers_nothing_is_said_of_them(softmax, texts) -> None:
    masked = softmax(2, 3, 5, 7)
    masked[0, 0, 0, 0] = np.nan
    notes = " ".join(text.get_text() for text in texts(heads_grid(masked)))
    assert "entropy" not in notes
    assert "dot" not in notes
    assert "hatched: masked" in notes


@pytest.mark.parametrize(
    ("layers", "heads", "width_mm"),
    [(1, 1, 85.0), (3, 4, 85.0), (6, 8, 85.0), (12, 12, 175.0)],
)
def test_everything_is_legible_on_the_paper(
    layers: int, heads: int, width_mm: float, softmax, check_paper
) -> None:
    names = [f"decoder.layers.{n}.cross" for n in range(layers)]
    figure = heads_grid(
        softmax(layers, heads, 5, 7),
        infos(layers, heads),
        layers=names,
        title="every head of the decoder's attention to the source",
        width_mm=width_mm,
    )
    check_paper(figure)
    assert figure.get_size_inches()[1] * 25.4 <= 245


def test_bad_input_is_refused_in_a_sentence(softmax) -> None:
    with pytest.raises(RegardError, match=r"\(heads, height, width\) for each layer; got none"):
        heads_grid([])
    with pytest.raises(RegardError, match="one entry for each head"):
        heads_grid(softmax(2, 3, 5, 7), infos(2, 2))
    with pytest.raises(RegardError, match="must name all 2 layers; got 1"):
        heads_grid(softmax(2, 3, 5, 7), layers=["a"])
    with pytest.raises(RegardError, match="do not fit in 85 mm"):
        heads_grid(softmax(2, 61, 5, 7), width_mm=85)
