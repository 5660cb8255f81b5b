"""Figures are drawn as they would be saved, and then asked what is where."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest


@pytest.fixture
def drawn() -> Callable[[Any], Any]:
    """Draws a figure, so that every tick has its text, and gives it back."""
    pytest.importorskip("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    def draw(figure: Any) -> Any:
        FigureCanvasAgg(figure).draw()
        return figure

    return draw


@pytest.fixture
def texts(drawn: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    """Every text of a figure that is shown."""
    from matplotlib.text import Text

    def find(figure: Any) -> list[Any]:
        found = drawn(figure).findobj(Text)
        ticks = [tick for axes in figure.axes for axis in (axes.xaxis, axes.yaxis) for tick in
                 (*axis.get_major_ticks(), *axis.get_minor_ticks())]  # fmt: skip
        unused = {id(text) for tick in ticks for text in (tick.label1, tick.label2)}
        unused -= {id(text) for axes in figure.axes for text in _shown_ticks(axes)}
        return [t for t in found if t.get_text() and t.get_visible() and id(t) not in unused]

    return find


def _shown_ticks(axes: Any) -> list[Any]:
    if not axes.axison:
        return []
    return [
        text
        for axis in (axes.xaxis, axes.yaxis)
        for tick in axis._update_ticks()
        for text in (tick.label1, tick.label2)
        if text.get_visible()
    ]


@pytest.fixture
def check_paper(texts: Callable[[Any], list[Any]]) -> Callable[[Any], None]:
    """Type of at least 6 points, all of it on the paper, and no label on top of another."""

    def check(figure: Any) -> None:
        shown = texts(figure)
        assert shown
        renderer = figure.canvas.get_renderer()
        page = figure.bbox
        boxes = [(text, text.get_window_extent(renderer)) for text in shown]
        for text, box in boxes:
            assert text.get_fontsize() >= 6, text
            assert box.x0 >= page.x0 - 1, text
            assert box.x1 <= page.x1 + 1, text
            assert box.y0 >= page.y0 - 1, text
            assert box.y1 <= page.y1 + 1, text
        for axes in figure.axes:
            if axes.axison:
                for labels, along in ((axes.get_xticklabels(), 0), (axes.get_yticklabels(), 1)):
                    extents = [t.get_window_extent(renderer) for t in labels if t.get_text()]
                    ends = sorted((box.p0[along], box.p1[along]) for box in extents)
                    for (_, end), (start, _) in pairwise(ends):
                        assert start >= end - 0.25 * figure.dpi / 72, labels

    return check


@pytest.fixture
def softmax() -> Callable[..., Any]:
    """Weights of that shape; each row adds up to one."""

    def make(*shape: int, seed: int = 0) -> Any:
        scores = np.exp(3 * np.random.default_rng(seed).normal(size=shape))
        return scores / scores.sum(-1, keepdims=True)

    return make
