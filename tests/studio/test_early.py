"""The page before the rest of its server is there."""

import gc
import threading
from concurrent.futures import ThreadPoolExecutor

from starlette.testclient import TestClient

from regard.studio.app import create_app
from regard.studio.early import Early
from regard.studio.page import built


def test_the_page_is_served_while_its_server_is_made_and_requests_wait_for_that():
    ready, collected = threading.Event(), []

    def make():
        collected.append(gc.isenabled())
        assert ready.wait(20)
        return create_app(["en-de"], {})

    early = Early(make)
    with (
        TestClient(early, base_url="http://127.0.0.1:8765") as client,
        ThreadPoolExecutor(1) as thread,
    ):
        page = client.get("/regard.js")
        assert page.content == built()["/regard.js"][1]
        assert page.headers["Content-Security-Policy"].startswith("default-src 'self'")
        assert client.get("/", headers={"Host": "evil.example"}).status_code == 403
        models = thread.submit(client.get, "/api/models")
        assert not models.done()
        ready.set()
        assert [model["name"] for model in models.result().json()] == ["en-de"]
        assert client.get("/nothing").status_code == 404
    assert (collected, gc.isenabled()) == ([False], True)
    assert early.made.result().state.library.models_thread._shutdown
