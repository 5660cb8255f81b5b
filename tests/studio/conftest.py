"""A real trace of the shipped translator, and the server around it."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from regard.inspection import Trace
from regard.studio.app import create_app
from regard.tasks.loading import load

HOST = "127.0.0.1:8765"
TEXT = "The old man bought a small red car."


@pytest.fixture(scope="session")
def trace() -> Trace:
    return load("en-de").trace(TEXT, num_beams=3)


@pytest.fixture(scope="session")
def client(trace: Trace) -> Iterator[TestClient]:
    app = create_app(["en-de"], {"given": trace})
    with TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=False) as client:
        yield client
