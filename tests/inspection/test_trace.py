"""What a trace can be turned into: a figure, numbers, a page, a widget."""

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from regard import RegardError
from regard.inspection import Tap, Trace
from regard.inspection.answers import AxisInfo
from regard.inspection.trace import OWN_PAGES, PAGES

NAME = "decoder.layers.1.self"


@pytest.fixture
def trace(make_tap: Callable[..., Tap]) -> Trace:
    tokens = [f"word{i}" for i in range(13)]
    axis = AxisInfo(tokens, None, None, None, prompt=13)
    return Trace(
        {NAME: make_tap(13, 13)}, {"target": axis}, "a model", "encoding", text="some text"
    )


def test_the_page_is_found_by_the_names_that_the_package_declares():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["entry-points"][PAGES] == OWN_PAGES


def test_it_is_shown_in_a_line(trace: Trace):
    assert repr(trace) == "<Trace of a model: 1 attention layers, 13 of target>"
    assert repr(trace[NAME]) == f"<Tap {NAME}: 6 heads, target x target = 13 x 13>"


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_a_map_is_drawn_for_paper(trace: Trace, tmp_path: Path, ending: str):
    trace.figure(tmp_path / f"map.{ending}", tap=NAME, head=2, keys=slice(3, 9))
    contents = (tmp_path / f"map.{ending}").read_bytes()
    assert contents.startswith({"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}[ending])
    if ending == "svg":
        assert b"word8" in contents
        assert b"word9" in contents  # as a row
        assert b"head 2" in contents


def test_a_figure_without_a_path_is_only_given(trace: Trace, tmp_path: Path):
    assert trace.figure(tap=NAME).get_axes()
    assert not list(tmp_path.iterdir())


def test_the_page_is_one_file(trace: Trace, tmp_path: Path):
    assert trace.to_html(tmp_path / "page.html") == []
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "word12" in text
    assert "http://" not in text.replace("http://www.w3.org/", "")


def test_a_notebook_gets_a_widget(trace: Trace):
    widget = trace.show("head=3", height=500)
    assert widget.height == 500
    assert "head=3" in widget.query
    widget.close()


@pytest.mark.parametrize(
    ("run", "sentence"),
    [
        (lambda t, p: t.figure(p / "x.svg", tap="decoder.layers.1.cross"), "Did you mean"),
        (lambda t, p: t.figure(p / "x.svg", tap=NAME, head=6), "has heads 0 to 5; got 6"),
        (lambda t, p: t.figure(p / "x.svg", tap=NAME, scale="cubic"), "scale must be one of"),
        (lambda t, p: t.figure(p / "x.gif", tap=NAME), "svg"),
        (
            lambda t, p: t.to_npz(p / "x.npz", NAME, 0, queries=slice(13, 20)),
            "an export has from 1",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused(trace: Trace, tmp_path: Path, run, sentence: str):
    with pytest.raises(RegardError, match=sentence):
        run(trace, tmp_path)
    assert not list(tmp_path.iterdir())
