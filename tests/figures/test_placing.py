"""Names keep off one another, off points and obstacles, and stay inside the room."""

import numpy as np

from regard.figures.placing import place


def overlap(one, other) -> float:
    sides = np.minimum(one.high, other.high) - np.maximum(one.low, other.low)
    return float(sides.clip(0).prod())


def test_names_stand_inside_and_apart():
    points = [(10.0 + n, 20.0) for n in range(6)]
    names = place(points, [(8.0, 2.0)] * 6, (40.0, 40.0), away_from=(0.0, 0.0))
    for number, name in enumerate(names):
        assert (name.low >= 0).all()
        assert (name.high <= 40).all()
        assert all(overlap(name, other) == 0 for other in names[:number])


def test_a_name_keeps_off_obstacles():
    where = dict(room=(40.0, 40.0), away_from=(0.0, 20.0))
    (free,) = place([(20.0, 20.0)], [(6.0, 2.0)], **where)
    there = (free.low + free.high) / 2
    (moved,) = place([(20.0, 20.0)], [(6.0, 2.0)], obstacles=[there], **where)
    assert (there < moved.low).any() or (there > moved.high).any()
    assert moved.covers == 0


def test_a_name_lies_beyond_its_arrow_and_not_over_the_shaft():
    for tip in ((30.0, 20.0), (20.0, 10.0)):
        (name,) = place([tip], [(6.0, 2.0)], (40.0, 40.0), away_from=(20.0, 20.0))
        outward = np.array(tip) - (20.0, 20.0)
        assert ((name.low + name.high) / 2 - tip) @ outward > 0


def test_a_name_without_room_says_that_it_covers_something():
    names = place([(5.0, 5.0)] * 40, [(4.0, 2.0)] * 40, (12.0, 12.0))
    covering = [name for name in names if name.covers > 0]
    assert 0 < len(covering) < 40
