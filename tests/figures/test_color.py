"""Color scales: lightness in even steps, and no two ends that a color-blind reader confuses."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("matplotlib")

from regard.figures.style import CATEGORICAL, _srgb, diverging, is_dark, sequential

# Viénot, Brettel & Mollon 1999: how linear RGB looks to a protanope and to a deuteranope.
PROTANOPE = np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]])
DEUTERANOPE = np.array([[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]])


def linear(colors: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(colors <= 0.04045, colors / 12.92, ((colors + 0.055) / 1.055) ** 2.4)


def lab(light: NDArray[np.float64]) -> NDArray[np.float64]:
    """CIELAB of linear sRGB."""
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    x, y, z = np.cbrt(light.clip(1e-4) @ to_xyz.T / (0.9505, 1.0, 1.089)).T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def table(scale) -> NDArray[np.float64]:
    return scale(np.arange(scale.N))[:, :3]


def test_the_sequential_scale_darkens_from_white_in_even_steps() -> None:
    lightness = lab(linear(table(sequential())))[:, 0]
    assert lightness[0] == pytest.approx(100, abs=0.1)
    steps = -np.diff(lightness)
    assert (steps > 0).all()
    assert steps.max() < 2 * steps.min()
    assert lightness[-1] < 25


def test_the_diverging_scale_is_white_in_the_middle_and_as_dark_at_both_ends() -> None:
    lightness = lab(linear(table(diverging())))[:, 0]
    half = len(lightness) // 2
    assert lightness[half] == pytest.approx(100, abs=0.1)
    assert (np.diff(lightness[:half]) > 0).all()
    assert (np.diff(lightness[half:]) < 0).all()
    assert lightness[0] == pytest.approx(lightness[-1], abs=6)


@pytest.mark.parametrize("eye", [PROTANOPE, DEUTERANOPE], ids=["protanope", "deuteranope"])
def test_color_blind_readers_tell_negative_from_positive(eye: NDArray[np.float64]) -> None:
    seen = lab(linear(table(diverging())) @ eye.T)
    for at in (0, 32, 64):  # the end, and halfway to white
        assert np.linalg.norm(seen[at] - seen[255 - at]) > 25


@pytest.mark.parametrize("eye", [PROTANOPE, DEUTERANOPE], ids=["protanope", "deuteranope"])
def test_color_blind_readers_tell_the_first_heads_apart(eye: NDArray[np.float64]) -> None:
    colors = np.array([[int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in CATEGORICAL[:4]])
    seen = lab(linear(colors) @ eye.T)
    for first in range(4):
        for second in range(first):
            assert np.linalg.norm(seen[first] - seen[second]) > 10


def test_a_masked_cell_has_no_color() -> None:
    assert sequential()(np.ma.masked_invalid([np.nan]))[0, 3] == 0


def test_ink_is_white_on_dark_and_black_on_light() -> None:
    assert is_dark(np.array([0.0, 0.0, 0.5, 1.0]))
    assert not is_dark(np.array([0.9, 0.9, 1.0, 1.0]))


def test_oklab_is_the_one_that_the_page_computes_with() -> None:
    # web/src/color/ramps.test.ts reads the same numbers.
    fixture = Path(__file__).parents[1] / "fixtures/oklab.json"
    for color in json.loads(fixture.read_text("utf-8"))["colors"]:
        lightness, a, b = (np.array([each]) for each in color["lab"])
        found = 255 * _srgb(lightness, np.hypot(a, b), np.arctan2(b, a))[0]
        assert found.round().tolist() == color["rgb"]


@pytest.mark.parametrize(
    ("gray", "dark"),
    [(0.0, True), (0.3, True), (0.45, True), (0.47, False), (0.7, False), (1, False)],
)
def test_ink_is_white_where_its_contrast_is_higher(gray: float, dark: bool) -> None:
    light = float(linear(np.array(gray)))
    assert is_dark(np.full(3, gray)) == dark == ((1.05 / (light + 0.05)) > (light + 0.05) / 0.05)
