"""Bounds that requests share; the rest of the guard is tested by way of both servers."""

import pytest

from regard.http.guard import Room
from regard.http.refusals import Busy


def test_what_is_left_of_a_room_decides_how_much_a_request_may_take() -> None:
    room = Room(8, "bytes", lambda: 7)
    assert (room.has(8), room.has(9)) == (True, False)
    room.used = 4
    assert (room.has(2), room.has(3)) == (True, False)
    room.used = 7
    assert (room.has(1), room.has(2)) == (True, False)
    room.used = 8
    assert not room.has(1)
    with pytest.raises(Busy, match=r"at capacity \(8 of 8 bytes\); retry in 7 s") as refused:
        room.take(1)
    assert (refused.value.seconds, refused.value.status) == (7, 429)
