"""Points and their names: no two names on one another, none on a point, none outside."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from regard.errors import RegardError
from regard.figures.scatter import Cloud, scatter
from regard.figures.style import save


def names_of(figure):
    """Boxes in pixels of the names inside the axes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return {
        text.get_text(): text.get_window_extent(canvas.get_renderer())
        for text in figure.axes[0].texts
    }


def test_no_name_lies_on_another():
    points = np.random.default_rng(0).normal(size=(41, 2))
    boxes = list(names_of(scatter([Cloud("", points, [f"word{k}" for k in range(41)])])).values())
    assert len(boxes) > 25
    for number, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:number])


def test_no_line_to_a_name_runs_through_another():
    points = np.random.default_rng(0).normal(size=(83, 2))
    figure = scatter([Cloud("", points, [f"word{k}" for k in range(83)])])
    boxes = names_of(figure).values()
    lines = figure.axes[0].lines
    assert len(lines) > 3
    for line in lines:
        for place in line.get_transform().transform(line.get_xydata()[1:-1]):
            assert not any(box.contains(*place) for box in boxes)


def test_names_are_inside_the_axes():
    figure = scatter([Cloud("", np.array([[0, 0], [9, 9], [9, 0]]), ["alpha" * 3, "beta", "c"])])
    axes = figure.axes[0].get_window_extent()
    found = names_of(figure)
    assert set(found) == {"alpha" * 3, "beta", "c"}
    for box in found.values():
        assert axes.x0 <= box.x0
        assert box.x1 <= axes.x1
        assert axes.y0 <= box.y0
        assert box.y1 <= axes.y1


def test_both_axes_have_one_scale_and_y_points_up():
    figure = scatter([Cloud("", np.array([[0, 0], [4, 0], [0, 2]]))])
    points = np.asarray(figure.axes[0].collections[0].get_offsets())
    across, up = points[1] - points[0], points[2] - points[0]
    assert across[0] == pytest.approx(-2 * up[1])  # the axis counts millimeters from the top
    assert across[1] == up[0] == 0


def test_the_legend_names_every_cloud_that_has_a_name():
    cross = np.array([[0, 0], [1, 1]])
    clouds = [Cloud("fruit", cross), Cloud("phones", cross + 1), Cloud("all", cross[:1], star=True)]
    texts = [text.get_text() for text in scatter(clouds, title="apple").texts]
    assert {"● fruit", "■ phones", "★ all", "apple"} <= set(texts)


def test_names_without_room_are_counted():
    crowd = np.zeros((90, 2))
    crowd[0] = 1
    figure = scatter([Cloud("", crowd, [f"word{k}" for k in range(90)])])
    shown = len(figure.axes[0].texts)
    assert 0 < shown < 90
    assert f"{90 - shown} names had no room." in [text.get_text() for text in figure.texts]


def test_a_flat_cloud_takes_less_paper():
    wide = scatter([Cloud("", np.array([[0, 0], [9, 0.1]]))])
    square = scatter([Cloud("", np.array([[0, 0], [9, 9]]))])
    assert wide.get_figheight() < square.get_figheight()


def test_the_same_picture_is_the_same_file(tmp_path):
    for name in ("a.svg", "b.svg"):
        save(scatter([Cloud("x", np.eye(2), ["$one$", "two"])]), tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert "$one$" in (tmp_path / "a.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("clouds", "message"),
    [
        ([], "a picture needs points; got none"),
        ([Cloud("", np.zeros((0, 2)))], "a picture needs points; got none"),
        ([Cloud("", np.zeros((2, 3)))], r"points must be \(points, 2\) finite numbers; got \(2, 3"),
        ([Cloud("", np.full((2, 2), np.nan))], "finite numbers"),
        ([Cloud("", np.eye(2), ["a"])], "one for each of 2 points, or none; got 1"),
        ([Cloud("", np.eye(2))] * 8, "up to 7 colors; got 8"),
    ],
)
def test_what_cannot_be_drawn_is_refused(clouds, message):
    with pytest.raises(RegardError, match=message):
        scatter(clouds)
