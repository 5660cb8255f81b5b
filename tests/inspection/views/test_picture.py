"""The picture of a trace that stands for its page."""

import io
from collections.abc import Callable

import pytest

from regard.errors import UnavailableError
from regard.inspection import Tap, Trace
from regard.inspection.answers import AxisInfo
from regard.inspection.views.part import _figure, picture

pytest.importorskip("matplotlib")

NAME = "decoder.layers.1.self"


@pytest.fixture
def of_length(make_tap: Callable[..., Tap]) -> Callable[[int], Trace]:
    def trace(length: int) -> Trace:
        axis = AxisInfo([f"w{i}" for i in range(length)], None, None, None, prompt=length)
        return Trace({NAME: make_tap(length, length)}, {"target": axis}, "a model", "encoding")

    return trace


def text_of(trace: Trace) -> str:
    figure = _figure(trace, NAME, "self")
    return " ".join(
        each.get_text() for each in figure.findobj(lambda each: hasattr(each, "get_text"))
    )


def test_a_short_text_is_drawn_as_lines_and_a_longer_one_as_a_map(of_length):
    assert "lines drawn" in text_of(of_length(13))
    assert "lines drawn" not in text_of(of_length(71))
    assert "a model: decoder.layers.1.self, mean over heads" in text_of(of_length(71))


def test_it_is_a_small_png(of_length):
    from PIL import Image

    png = picture(of_length(13))
    assert len(png) < 160_000
    with Image.open(io.BytesIO(png)) as image:
        assert image.format == "PNG"
        assert image.width == pytest.approx(85 / 25.4 * 300, abs=2)  # a journal's column


def test_there_is_none_of_a_long_text(of_length):
    assert picture(of_length(2049)) is None


def test_there_is_none_without_matplotlib(of_length, monkeypatch):
    def missing(figure, path):
        raise UnavailableError("figures need the package matplotlib.")

    monkeypatch.setattr("regard.figures.style.save", missing)
    assert picture(of_length(13)) is None
