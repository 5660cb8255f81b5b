"""A page sends an image as text, and no path of one is opened but the owner's own."""

from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from regard.engine.options import TraceRequest
from regard.studio.app import IMAGE_LIMIT, create_app
from regard.tasks.loading import load
from regard.tasks.sample_image import sample_image

pytest.importorskip("PIL.Image", reason="images need Pillow")


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    file = tmp_path_factory.mktemp("images") / "five.png"
    file.write_bytes(b64decode(sample_image().partition(",")[2]))
    return file


@pytest.fixture(scope="module")
def client(file: Path) -> Iterator[TestClient]:
    named = TraceRequest("digits", str(file))
    app = create_app(["digits"], {named.id: load("digits").trace(file)}, requests={named.id: named})
    with TestClient(app, base_url="http://127.0.0.1:8765") as client:
        yield client


def ask(client: TestClient, text: str, **changed: object):
    return client.post("/api/traces", json={"model": "digits", "text": text, **changed})


def test_an_image_is_looked_at_with_what_is_hidden(client: TestClient, file: Path) -> None:
    (model,) = client.get("/api/models").json()
    assert (model["task"], model["example"]) == ("vision", sample_image())
    whole = ask(client, model["example"]).json()
    assert (whole["labels"][0]["token"], whole["can_rewrite"]) == ("5", True)
    assert whole["axes"]["patches"]["image"].startswith("data:image/png;base64,")
    for text in (model["example"], str(file)):  # as it came, and the file that the owner named
        hidden = ask(client, text, without=["patches:6", "patches:7"]).json()
        assert hidden["labels"][0]["token"] == "3"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("other.png", "must come as text, data:image/png;base64,… or the like; or run"),
        ("data:image/png;base64,AAAA", "this text of an image is not an image Pillow can read"),
        ("data:image/png;base64," + "A" * IMAGE_LIMIT, "an image may have 25,165,824 bytes here"),
    ],
)
def test_what_is_no_image_is_refused_in_a_sentence(client, text: str, sentence: str) -> None:
    answer = ask(client, text)
    assert 400 <= answer.status_code < 500
    assert sentence in answer.json()["detail"]
