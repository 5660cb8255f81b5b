"""Only pages that the server served itself, on this machine, get answers."""

import pytest

from regard.http.guard import BODY_LIMIT


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8765", "localhost:8765", "LOCALHOST:8765", "[::1]:8765"]
)
def test_this_machine_is_answered(client, host):
    assert client.get("/api/models", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "evil.example:8765", "localhost.evil:8765"),
        *("127.0.0.1", "127.0.0.1:80", "0.0.0.0:8765", ""),
    ],
)
def test_another_name_for_this_machine_is_refused(client, host):
    """DNS rebinding: a foreign page's own name that has come to mean 127.0.0.1."""
    answer = client.get("/api/models", headers={"Host": host})
    assert answer.status_code == 403
    assert answer.json()["detail"].startswith("this server answers as 127.0.0.1:8765")


@pytest.mark.parametrize(
    "origin",
    [
        *("http://evil.example", "https://127.0.0.1:8765", "http://127.0.0.1:9000"),
        *("null", "http://localhost:8765", "http://["),
    ],
)
def test_a_page_from_elsewhere_is_refused(client, origin):
    answer = client.post("/api/traces", json={}, headers={"Origin": origin})
    assert answer.status_code == 403
    assert answer.json()["detail"].startswith("this server answers its own pages only")


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("mode", ["no-cors", "cors", "websocket"])
def test_a_picture_that_a_foreign_page_asks_for_is_refused(client, site, mode):
    """Which has no Origin, and whose answer that page could not read, but which would be made."""
    fetched = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode}
    assert client.get("/api/models", headers=fetched).status_code == 403


@pytest.mark.parametrize(
    ("site", "mode"),
    [
        ("cross-site", "navigate"),
        ("same-origin", "cors"),
        ("none", "navigate"),
        ("none", "no-cors"),
    ],
)
def test_a_link_and_the_pages_own_requests_are_answered(client, site, mode):
    fetched = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode}
    assert client.get("/api/models", headers=fetched).status_code == 200


def test_its_own_page_is_answered(client):
    own = {"Origin": "http://127.0.0.1:8765"}
    assert client.get("/api/models", headers=own).status_code == 200


@pytest.mark.parametrize("path", ["/api/models", "/api/traces/none", "/nowhere"])
def test_every_answer_says_what_it_may_be_used_for(client, path):
    headers = client.get(path).headers
    assert headers["content-security-policy"].startswith("default-src 'self';")
    assert "script-src" not in headers["content-security-policy"]  # so it is 'self', no inline
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers


def test_a_trace_file_may_be_longer_than_a_request(client):
    answer = client.post("/api/files", content=b"x" * (BODY_LIMIT + 1))
    assert answer.status_code == 400
    assert answer.json()["detail"].startswith("this file is not a complete safetensors file")


def test_a_long_body_is_refused_before_it_is_read(client):
    answer = client.post("/api/explain", content=b"x" * (BODY_LIMIT + 1))
    assert (answer.status_code, answer.json()["detail"]) == (
        413, "a request may have 1,048,576 bytes; this one has more: send less text.",
    )  # fmt: skip


def test_a_long_body_of_no_announced_length_is_refused_too(client):
    answer = client.post("/api/explain", content=(b"x" * 2**16 for _ in range(17)))
    assert "content-length" not in answer.request.headers
    assert answer.status_code == 413


def test_a_body_of_just_that_length_is_read(client):
    text = "x" * (BODY_LIMIT - len('{"model":"en-de","text":""}'))
    body = '{"model":"en-de","text":"' + text + '"}'
    answer = client.post("/api/traces", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert "send a shorter one" in answer.json()["detail"]


@pytest.mark.parametrize(
    "path", ["/../app.py", "/%2e%2e/app.py", "/..%2fapp.py", "//etc/passwd", "/built-from.txt"]
)
def test_no_path_outside_the_page_is_opened(client, path):
    assert client.get(path).status_code == 404


def test_a_mistake_of_ours_is_a_sentence_too(client, monkeypatch):
    from regard.studio import routes

    def broken(*_):
        raise RuntimeError("secret")

    monkeypatch.setattr(routes, "summary_of", broken)
    answer = client.get("/api/traces/given/summary?tap=decoder.layers.0.self")
    assert answer.status_code == 500
    assert answer.json()["detail"] == (
        "the server failed; its log, or the terminal that it runs in, shows why."
    )
