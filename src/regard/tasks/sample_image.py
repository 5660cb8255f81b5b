"""An image to begin with, for models of images: a digit as if written by hand."""

from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from regard.figures.png import png_text

SIDE = 28  # pixels
PEN = 1.4  # pixels from the middle of a line to its edge
FIVE = ((19, 6), (10, 6), (9, 13), (13, 12), (17, 13), (19, 16), (18, 20), (14, 22), (9, 21))


@cache
def sample_image() -> str:
    """Return the text of a PNG, white on black: the digit 5."""
    height, width = np.mgrid[:SIDE, :SIDE]
    places = np.stack([width, height], -1).astype(float)
    away = np.min([_distance(places, *map(np.array, ends)) for ends in pairwise(FIVE)], 0)
    ink = np.clip(PEN + 0.5 - away, 0, 1)
    return png_text(np.round(255 * ink).astype(np.uint8)[..., None])


def _distance(
    places: NDArray[np.float64], first: NDArray[np.int64], last: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Distance of places, (…, 2), from the line between two points, in pixels: (…)."""
    along = last - first
    part = np.clip((places - first) @ along / (along @ along), 0, 1)
    distance: NDArray[np.float64] = np.linalg.norm(
        places - first - part[..., None] * along, axis=-1
    )
    return distance
