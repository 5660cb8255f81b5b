"""Names beside their points, each where it covers least of what is there."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Points = NDArray[np.float64]  # (points, 2)

_ANGLES = np.arange(16) * np.pi / 8
_AROUND = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=-1)
_DISTANCES = np.array([1.6, 2.5, 5.0, 8.0])  # from the point to the nearest edge of the name
_DOT, _NEAR, _EDGE = 0.5, 2.0, 0.3


class Name(NamedTuple):
    """Corners of a name, the line to it if it stands apart, and the area that it shares."""

    low: Points
    high: Points
    leader: Points  # (17, 2), or (0, 2)
    covers: float


def place(
    points: ArrayLike,
    sizes: Sequence[tuple[float, float]],
    room: tuple[float, float],
    *,
    obstacles: ArrayLike = (),
    away_from: tuple[float, float] | None = None,
) -> list[Name]:
    """Place one name after the other, each where it overlaps least with what is there.

    Args:
        points, sizes, room: in one unit; millimeters on paper.
        obstacles: further points that names should not cover.
        away_from: the origin of arrows to the points, whose shafts names should not cover.
    """
    tips = np.asarray(points, float).reshape(-1, 2)
    dots = np.concatenate([tips, np.asarray(obstacles, float).reshape(-1, 2)])
    low, high = dots - _DOT, dots + _DOT
    names: list[Name] = []
    for tip, size in zip(tips, np.array(sizes, float).reshape(-1, 2), strict=True):
        centers = tip + _AROUND * (_DISTANCES[:, None, None] + size / 2)
        lows = np.clip(centers.reshape(-1, 2) - size / 2, _EDGE, np.array(room) - size - _EDGE)
        leaders = np.linspace(tip, np.clip(tip, lows, lows + size), 17, axis=1)
        far = np.hypot(*(leaders[:, -1] - tip).T) > _NEAR
        others = np.array([(*name.low, *name.high) for name in names]).reshape(-1, 4)
        covers = _shared(lows, lows + size, low, high)
        hidden = _shared(lows, lows + size, others[:, :2], others[:, 2:])
        covers += 10 * (hidden + (hidden > 0))
        crossed = (leaders[:, :, None] > others[:, :2]) & (leaders[:, :, None] < others[:, 2:])
        covers += far * crossed.all(-1).sum((1, 2))
        cost = covers + np.repeat(0.3 * _DISTANCES, 16) + np.tile(_preferred(tip, away_from), 4)
        best = int(cost.argmin())
        leader = leaders[best, 2:-1] if far[best] else np.zeros((0, 2))
        low, high = np.concatenate([low, leader]), np.concatenate([high, leader + 1e-3])
        names.append(Name(lows[best], lows[best] + size, leader, float(covers[best])))
    return names


def _preferred(tip: Points, away_from: tuple[float, float] | None) -> Points:
    """Cost of each direction: least beyond the arrow's tip, or else to the right."""
    if away_from is None:
        return 0.1 * np.abs(_AROUND[:, 1]) - 0.02 * _AROUND[:, 0]
    arrow = tip - away_from
    return -0.3 * _AROUND @ arrow / (np.hypot(*arrow) or 1.0)


def _shared(low: Points, high: Points, others_low: Points, others_high: Points) -> Points:
    """Return the area of each box that lies on any of the others."""
    across = np.minimum(high[:, None], others_high) - np.maximum(low[:, None], others_low)
    return across.clip(0).prod(-1).sum(-1)
