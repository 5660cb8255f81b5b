"""Bounds that requests share; the rest of the guard is tested by way of both servers."""

import pytest

from regard.http.guard import Access, Room, is_local
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


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("10.0.0.3:8766", True),
        ("[fe80::1]:8766", True),
        ("gpubox:8766", True),
        ("regard.default.svc.cluster.local", True),
        ("page.example:8766", False),
        ("127.0.0.1.page.example", False),
        ("1.2.3.4.:80", False),
        ("a]b", False),
    ],
)
def test_a_server_without_a_key_answers_to_names_of_its_own_network(host: str, local: bool) -> None:
    assert is_local(host) == local
    scope, headers = {"path": "/v1/models"}, {"host": host}
    refused = Access(loopback=False).refused(scope, headers)
    if local:
        assert refused is None
    else:
        assert refused is not None
        assert refused[0] == 403
        assert f"--allow-origin http://{host}" in refused[1]
    assert Access("key", loopback=False, keyless=["/v1/models"]).refused(scope, headers) is None
    named = Access(loopback=False, origins=[f"https://{host}"])
    assert local or host == "a]b" or named.refused(scope, headers) is None
