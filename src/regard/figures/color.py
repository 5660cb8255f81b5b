"""Color scales for maps on a light ground: even to the eye, and safe for color-blind readers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.colors import Colormap

Curve = NDArray[np.float64]

# One for each chosen head: Okabe & Ito 2008, "Color universal design", without their yellow, which
# a line on white paper does not survive.
CATEGORICAL = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")

STEPS = 256
_BLUE, _ORANGE = 258.0, 50.0  # hues in degrees; distinguishable with every kind of color blindness


def sequential() -> Colormap:
    """White for the smallest to deep blue for the largest, in even steps of lightness."""
    return _map("regard", _arm(_BLUE, STEPS))


def diverging() -> Colormap:
    """Orange for negative, white for zero, blue for positive, as dark as each other."""
    orange, blue = _arm(_ORANGE, STEPS // 2, darkest=0.42), _arm(_BLUE, STEPS // 2, darkest=0.42)
    return _map("regard difference", np.concatenate([orange[::-1], blue]))


def is_dark(color: Curve) -> bool:
    """Return True if white ink is read more easily on it than black (WCAG 2.2)."""
    channels = color[:3]
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    # Contrast with white and with black are equal at √(1.05 · 0.05) - 0.05.
    return bool(linear @ (0.2126, 0.7152, 0.0722) < 0.179)


def _arm(hue: float, steps: int, darkest: float = 0.30) -> Curve:
    """White to one strong hue, (steps, 3) in sRGB."""
    lightness = np.linspace(1.0, darkest, steps)
    # Most colorful between the ends, where sRGB has room for it.
    chroma = 0.16 * np.sin(np.pi * np.clip((1 - lightness) / 0.95, 0, 1)) ** 0.9
    return _srgb(lightness, chroma, np.full(steps, np.deg2rad(hue)))


def _srgb(lightness: Curve, chroma: Curve, hue: Curve) -> Curve:
    """OKLCH to sRGB, what is out of gamut made less colorful (Ottosson 2020, "A perceptual color
    space for image processing")."""
    for _ in range(40):
        a, b = chroma * np.cos(hue), chroma * np.sin(hue)
        long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
        medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
        short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
        linear = np.stack(
            [
                4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
                -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
                -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
            ],
            axis=-1,
        )
        outside = ((linear < -1e-4) | (linear > 1 + 1e-4)).any(-1)
        if not outside.any():
            break
        chroma = np.where(outside, chroma * 0.95, chroma)
    linear = linear.clip(0, 1)
    return np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)


def _map(name: str, colors: Curve) -> Colormap:
    from matplotlib.colors import ListedColormap

    scale = ListedColormap([tuple(color) for color in colors.tolist()], name=name)
    # A masked cell is open: the hatching of the ground shows.
    return scale.with_extremes(bad=(0, 0, 0, 0))
