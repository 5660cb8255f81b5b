"""Small maps stand in their rows and blocks, and none covers another or leaves the paper."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from regard.errors import RegardError
from regard.figures.small_maps import Block, Row, SmallMap, small_maps


def grid(layers: int, heads: int, label: str = "layer", caption=("previous", "87 %")) -> list[Row]:
    picture = np.tri(5, dtype=np.float32)
    maps = [SmallMap(picture, f"head {head}", caption) for head in range(heads)]
    return [Row(f"{label} {layer}" if label else "", maps) for layer in range(layers)]


def corners(figure) -> list[tuple[float, float, float, float]]:
    """Left, right, top and bottom of each picture, in millimeters."""
    return [
        (left, right, top, bottom)
        for left, right, bottom, top in (image.get_extent() for image in figure.axes[0].images)
    ]


@pytest.mark.parametrize(
    ("blocks", "layers", "heads", "label"),
    [
        (3, 3, 4, "layer"),
        (2, 1, 12, "layer"),
        (1, 1, 32, "layer"),
        (1, 1, 17, ""),
    ],
)
def test_no_map_covers_another(blocks, layers, heads, label, check_paper) -> None:
    figure = small_maps([Block("self-attention", grid(layers, heads, label))] * blocks, title="a")
    check_paper(figure)
    found = corners(figure)
    assert len(found) == blocks * layers * heads
    width, height = figure.get_size_inches() * 25.4
    for left, right, top, bottom in found:
        assert right - left == pytest.approx(bottom - top)
        assert right - left >= 8
        assert 0 <= left < right <= width
        assert 0 <= top < bottom <= height
    for number, one in enumerate(found):
        for other in found[:number]:
            apart = one[0] >= other[1] or other[0] >= one[1]
            assert apart or one[2] >= other[3] + 2.5 or other[2] >= one[3] + 2.5


def test_blocks_stand_beside_each_other_where_a_row_holds_them(texts) -> None:
    beside = corners(small_maps([Block("a", grid(2, 4)), Block("b", grid(2, 4))]))
    assert beside[0][2] == beside[8][2]
    below = corners(small_maps([Block("a", grid(2, 12)), Block("b", grid(2, 12))]))
    assert below[0][0] == below[24][0]
    assert below[0][2] < below[24][2]


def test_names_stand_over_columns_and_below_the_maps_of_broken_rows(texts) -> None:
    said = [text.get_text() for text in texts(small_maps([Block("", grid(2, 12))]))]
    assert said.count("head 7") == 1
    said = [text.get_text() for text in texts(small_maps([Block("", grid(2, 32))]))]
    assert sum("head 7" in text for text in said) == 2


def test_a_page_holds_twelve_layers_of_twelve_heads() -> None:
    figure = small_maps([Block("", grid(12, 12))])
    assert figure.get_size_inches()[1] * 25.4 <= 231


def test_one_scale_is_from_0_to_1_by_the_root(texts) -> None:
    values = np.array([[0.25, 0.04], [np.nan, 1.0]], dtype=np.float32)
    rows = [Row("", [SmallMap(values, "a"), SmallMap(values / 4, "b")])]
    shared = small_maps([Block("", rows)], one_scale=True)
    one, two = (image.get_array() for image in shared.axes[0].images)
    assert np.array_equal(one[0, 0], two[1, 1])  # 0.25 in both
    assert one[1, 1].sum() < one[0, 0].sum() < one[0, 1].sum()
    assert one[1, 0, 0] == one[1, 0, 1] == one[1, 0, 2]  # gray
    said = [text.get_text() for text in texts(shared)]
    assert {"weight α, by its root", "gray: masked"} <= set(said)
    own = small_maps([Block("", rows)])
    one, two = (image.get_array() for image in own.axes[0].images)
    assert np.allclose(one, two)


def test_nothing_is_refused() -> None:
    with pytest.raises(RegardError, match="from 1 to 4,096 small maps; got 0"):
        small_maps([Block("a", [Row("b", [])])])
