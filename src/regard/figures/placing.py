"""Where names go beside their points so that they do not cover one another."""

from collections.abc import Sequence
from math import cos, hypot, pi, sin
from typing import NamedTuple

Place = tuple[float, float]

_DIRECTIONS = 16
_DISTANCES = (1.0, 2.2, 4.0)  # from the point to the nearest edge of the name


class Box(NamedTuple):
    """A rectangle by its lower left corner."""

    x: float
    y: float
    width: float
    height: float

    def overlap(self, other: "Box") -> float:
        """The area that both cover."""
        across = min(self.x + self.width, other.x + other.width) - max(self.x, other.x)
        up = min(self.y + self.height, other.y + other.height) - max(self.y, other.y)
        return max(across, 0.0) * max(up, 0.0)


def place(
    points: Sequence[Place],
    sizes: Sequence[Place],
    *,
    room: Place,
    away_from: Place,
    obstacles: Sequence[Place] = (),
) -> list[Box]:
    """A box of each size beside its point, inside the room; one after the other, each where it
    overlaps least with those that are there and with the points.

    Args:
        points, sizes, room: in one unit; millimeters on paper.
        obstacles: further points that names rather not cover.
        away_from: where names rather do not go: the origin of arrows, whose shafts lie between.
    """
    dots = [Box(x - 0.4, y - 0.4, 0.8, 0.8) for x, y in (*points, *obstacles)]
    placed: list[Box] = []
    for point, size in zip(points, sizes, strict=True):
        candidates = _around(point, size, room, away_from)
        placed.append(
            min(
                candidates,
                key=lambda each: (
                    sum(10 * each[1].overlap(other) for other in placed)
                    + sum(each[1].overlap(dot) for dot in dots)
                    + each[0]
                ),
            )[1]
        )
    return placed


def _around(point: Place, size: Place, room: Place, away_from: Place) -> list[tuple[float, Box]]:
    """Boxes around a point and how little they please; least what is far or over the shaft."""
    dx, dy = point[0] - away_from[0], point[1] - away_from[1]
    length = hypot(dx, dy) or 1.0
    found = []
    for distance in _DISTANCES:
        for step in range(_DIRECTIONS):
            angle = 2 * pi * step / _DIRECTIONS
            right, up = cos(angle), sin(angle)
            # The name's nearest edge stands at the distance, whatever its width.
            x = point[0] + right * distance + (right - 1) * size[0] / 2
            y = point[1] + up * distance + (up - 1) * size[1] / 2
            x = min(max(x, 0.3), max(room[0] - size[0] - 0.3, 0.3))
            y = min(max(y, 0.3), max(room[1] - size[1] - 0.3, 0.3))
            over_shaft = (
                1 - (right * dx + up * dy) / length
            )  # 0: along the arrow, 2: over its shaft
            found.append((0.3 * over_shaft + 0.3 * distance, Box(x, y, *size)))
    return found
