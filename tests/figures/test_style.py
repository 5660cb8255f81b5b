"""Saving, and the small decisions that all figures share."""

import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

from PIL import Image

from regard.errors import RegardError
from regard.figures.heatmap import heatmap
from regard.figures.style import check_width, ruler, save, visible

TOKENS = ["▁Ich", "▁möchte", "$x$"]


@pytest.fixture
def figure():
    return heatmap([[0.5, 0.25, 0.25]] * 3, TOKENS, TOKENS, title="a <b> & c")


def test_svg_keeps_text_as_text(figure, tmp_path: Path) -> None:
    save(figure, tmp_path / "map.svg")
    svg = (tmp_path / "map.svg").read_text(encoding="utf-8")
    assert re.search(r"<text[^>]*>␣möchte</text>", svg)
    assert re.search(r"<text[^>]*>\$x\$</text>", svg)
    assert "a &lt;b&gt; &amp; c" in svg
    assert 'width="240.94' in svg  # 85 mm in points


def test_pdf_embeds_whole_fonts(figure, tmp_path: Path) -> None:
    save(figure, tmp_path / "map.pdf")
    pdf = (tmp_path / "map.pdf").read_bytes()
    assert b"/FontFile2" in pdf
    assert b"/Type3" not in pdf


def test_png_has_300_dots_to_the_inch(figure, tmp_path: Path) -> None:
    save(figure, tmp_path / "map.png")
    with Image.open(tmp_path / "map.png") as picture:
        assert picture.info["dpi"] == pytest.approx((300, 300), abs=0.1)
        assert picture.width == pytest.approx(85 / 25.4 * 300, abs=1)
        assert picture.convert("RGB").getpixel((2, 2)) == (255, 255, 255)


@pytest.mark.parametrize("kind", ["svg", "pdf", "png"])
def test_a_figure_saved_twice_is_the_same_file(figure, tmp_path: Path, kind: str) -> None:
    save(figure, tmp_path / f"one.{kind}")
    save(figure, tmp_path / f"two.{kind}")
    assert (tmp_path / f"one.{kind}").read_bytes() == (tmp_path / f"two.{kind}").read_bytes()
    assert len(list(tmp_path.iterdir())) == 2  # nothing half written is left


def test_an_unknown_ending_lists_those_there_are(figure, tmp_path: Path) -> None:
    with pytest.raises(RegardError, match=r"\.svg, \.pdf, \.png; got 'map\.jpg'"):
        save(figure, tmp_path / "map.jpg")
    assert not list(tmp_path.iterdir())


def test_without_matplotlib_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(RegardError, match="pip install matplotlib"):
        heatmap([[1.0]])


def test_importing_figures_does_not_import_matplotlib() -> None:
    import subprocess

    code = (
        "import sys, regard.figures.heatmap, regard.figures.flow;"
        "sys.exit('matplotlib' in sys.modules or 'torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize("width", [0, -85, float("nan"), 39])
def test_a_width_without_room_is_refused(width: float) -> None:
    with pytest.raises(RegardError, match="width_mm must be from 40 to 1000; got"):
        check_width(width)


def test_what_cannot_be_seen_gets_a_sign() -> None:
    assert visible(["▁tea", "a\nb", "  ", "\t", "\x07", ""]) == ["␣tea", "a↵b", "␣␣", "⇥", "�", ""]


def test_the_ruler_names_all_or_every_few_or_counts() -> None:
    labels = [f"t{n}" for n in range(7)]
    assert ruler(labels, 7, cell=3.0, room=2.6) == (list(range(7)), labels)
    assert ruler(labels, 7, cell=1.3, room=2.6) == ([0, 2, 4, 6], ["t0", "t2", "t4", "t6"])
    assert ruler(labels, 7, cell=0.5, room=2.6) == ([0], ["0"])  # every sixth would be odd: ten
    assert ruler(None, 7, cell=1.3, room=2.6, first=3) == ([1, 3, 5], ["4", "6", "8"])
