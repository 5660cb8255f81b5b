"""A real Chromium, a real server, the shipped model and a trace of 16,384 tokens."""

import os
import shutil
import threading
from collections.abc import Callable, Iterator

import pytest
import torch

import regard
from regard.attention import Causal
from regard.attention.scores import scaled_dot
from regard.inspection import Tap, Trace
from regard.inspection.answers import AxisInfo

CHROMIUM = (
    os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-quic"]
TEXT = "I would like to drink a cup of tea with my friends."
LONG = 16_384

pytest.importorskip("playwright", reason="the browser tests need playwright")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if CHROMIUM is None:
        without = pytest.mark.skip(
            reason="no chromium here: install Debian's package, or name one in CHROMIUM"
        )
        for item in items:
            if "tests/browser" in item.path.as_posix():
                item.add_marker(without)


@pytest.fixture(scope="session")
def trace() -> Trace:
    """What the page shows of TEXT, made without the page."""
    return regard.load("en-de").trace(TEXT, num_beams=4)


@pytest.fixture(scope="session")
def long_trace() -> Trace:
    """Two heads over 16,384 tokens, with one cell that outshines its row."""
    draw = torch.Generator().manual_seed(7)
    query, key, value = torch.randn(3, 1, 2, LONG, 64, generator=draw).unbind()
    query[0, 0, 12_345] = 3 * key[0, 0, 4_567]
    tap = Tap(
        name="decoder.layers.0.self", side="decoder", kind="self", layer=0, query=query, key=key,
        value=value, score=scaled_dot, mask=Causal(), bias=None, queries="tokens", keys="tokens",
        output_weight=torch.randn(2, 64, 128, generator=draw),
    )  # fmt: skip
    tokens = AxisInfo([f"t{i}" for i in range(LONG)], None, None, None, prompt=LONG)
    return Trace({tap.name: tap}, {"tokens": tokens}, "random", "encoding", text="16k tokens")


@pytest.fixture(scope="session")
def address(long_trace: Trace) -> Iterator[str]:
    """Where a studio answers, with en-de and the long trace."""
    import uvicorn

    from regard.studio.app import create_app
    from regard.studio.serve import bind

    listener = bind(0)
    app = create_app(["en-de"], {"long": long_trace})
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join(10)


@pytest.fixture(scope="session")
def browser() -> Iterator["object"]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser, address: str) -> Iterator[Callable[..., object]]:
    """Opens a page and sees to it that nothing but the server was asked, and nothing went wrong."""
    contexts = []
    complaints: list[str] = []

    def open_(
        path: str = "/", *, width: int = 1440, height: int = 900, scheme: str = "light",
        server: str = address, **options,
    ):  # fmt: skip
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, **options
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on(
            "console",
            lambda message: message.type == "error" and complaints.append(message.text),
        )
        page.on(
            "request",
            lambda request: (
                request.url.startswith((address, "data:", "blob:", "file:"))
                or complaints.append(f"asked for {request.url}")
            ),
        )
        page.goto(server + path)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def ready() -> Callable[[object], object]:
    """Waits until the map that is asked for has been drawn, exactly."""

    def wait(page):
        page.wait_for_selector("canvas.rg-map__canvas[data-ready=true]")
        return page.locator("canvas.rg-map__canvas")

    return wait
