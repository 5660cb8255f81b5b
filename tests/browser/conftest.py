"""A real Chromium, a real server, the shipped model and a trace of 16,384 tokens."""

import os
import re
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterator
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import torch

import regard
from regard.attention import Causal
from regard.attention.record import Attention
from regard.attention.scores import scaled_dot
from regard.inspection import Tap, Trace
from regard.inspection.answers import AxisInfo
from regard.studio.live_page import live_page

CHROMIUM = (
    os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-quic"]
TEXT = "I would like to drink a cup of tea with my friends."
LONG = 16_384

pytest.importorskip("playwright", reason="the browser tests need playwright")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    ours = [item for item in items if "tests/browser" in item.path.as_posix()]
    for item in ours:
        item.add_marker(pytest.mark.long("a browser draws the page"))
    if CHROMIUM is None:
        without = pytest.mark.skip(
            reason="no chromium here: install Debian's package, or name one in CHROMIUM"
        )
        for item in ours:
            item.add_marker(without)


@pytest.fixture(scope="session")
def trace() -> Trace:
    """What the page shows of TEXT, made without the page."""
    return regard.load("en-de").trace(TEXT)


def random_trace(length: int) -> Trace:
    """Two causal heads over random vectors, with one cell that outshines its row."""
    draw = torch.Generator().manual_seed(7)
    query, key, value = torch.randn(3, 1, 2, length, 64, generator=draw).unbind()
    query[0, 0, length * 3 // 4 + 57] = 3 * key[0, 0, length // 4 + 471]
    tap = Tap(
        name="decoder.layers.0.self", side="decoder", kind="self", layer=0,
        attention=Attention(query, key, value, scaled_dot, Causal(), None),
        queries="tokens", keys="tokens",
        output_weight=torch.randn(2, 64, 128, generator=draw),
    )  # fmt: skip
    tokens = AxisInfo([f"t{i}" for i in range(length)], None, None, None, prompt=length)
    text = f"{length:,} tokens"
    return Trace({tap.name: tap}, {"tokens": tokens}, "random", "encoding", text=text)


@pytest.fixture(scope="session")
def long_trace() -> Trace:
    """16,384 tokens; query 12,345 looks at key 4,567."""
    return random_trace(LONG)


@pytest.fixture(scope="session")
def middle_trace() -> Trace:
    return random_trace(LONG // 4)


@pytest.fixture(scope="session")
def app(long_trace: Trace):
    """A studio with en-de and the long trace."""
    from regard.studio.app import create_app

    return create_app(["en-de"], {"long": long_trace})


@pytest.fixture(scope="session")
def address(app) -> Iterator[str]:
    """Where the studio answers."""
    from regard.studio.app import in_background

    with in_background(app) as address:
        yield address


# While playwright is there, no other test can run an event loop: it ends with this folder's tests.
@pytest.fixture(scope="package")
def browser() -> Iterator[object]:
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=60_000)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


class Pages:
    """Pages that one test uses after another: a new one takes two seconds of processor time.

    Those of a color scheme share a profile, so that the program is fetched and compiled once.
    """

    def __init__(self, browser) -> None:
        self._browser = browser
        self._contexts: dict[tuple[str, bool], object] = {}
        self._free: dict[tuple[str, bool], list[object]] = defaultdict(list)

    def take(self, scheme: str, offline: bool, *, new: bool):
        kind = (scheme, offline)
        if self._free[kind] and not new:
            return self._free[kind].pop()
        if kind not in self._contexts:
            self._contexts[kind] = self._browser.new_context(color_scheme=scheme, offline=offline)
        page = self._contexts[kind].new_page()
        page.set_default_timeout(60_000)
        return page

    def give_back(self, page, scheme: str, offline: bool) -> None:
        """Leaves nothing of a test in its page."""
        page.unroute_all()
        page.mouse.up()
        page.mouse.move(0, 0)
        page.emulate_media(color_scheme=scheme, reduced_motion="null")
        page.goto("about:blank")
        self._free[scheme, offline].append(page)


@pytest.fixture(scope="package")
def pages(browser) -> Pages:
    return Pages(browser)


@pytest.fixture(scope="session")
def file(tmp_path_factory) -> str:
    """The address of a page that translates by itself."""
    path = tmp_path_factory.mktemp("page") / "live.html"
    live_page("en-de").write(path)
    return path.as_uri()


@pytest.fixture
def open_page(pages: Pages, address: str) -> Iterator[Callable[..., object]]:
    """Opens a page and sees to it that nothing but the server was asked, and nothing went wrong.

    A test that changes the page's clock, or adds a script to it, asks for a `new` one.
    """
    opened = []
    servers: list[str] = []
    complaints: list[str] = []

    def on_console(message) -> None:
        if message.type == "error":
            complaints.append(message.text)

    def on_request(request) -> None:
        if not request.url.startswith((address, *servers, "data:", "blob:", "file:")):
            complaints.append(f"asked for {request.url}")

    listeners = {
        "pageerror": lambda error: complaints.append(f"error: {error}"),
        "console": on_console,
        "request": on_request,
    }

    def open_(
        path: str = "/", *, width: int = 1440, height: int = 900, scheme: str = "light",
        server: str = address, offline: bool = False, new: bool = False,
    ):  # fmt: skip
        servers.append(server)
        page = pages.take(scheme, offline, new=new)
        opened.append((page, scheme, offline, new))
        page.set_viewport_size({"width": width, "height": height})
        for event, listener in listeners.items():
            page.on(event, listener)
        page.goto(server + path)
        return page

    yield open_
    for page, scheme, offline, new in opened:
        for event, listener in listeners.items():
            page.remove_listener(event, listener)
        page.close() if new else pages.give_back(page, scheme, offline)
    assert complaints == []


@pytest.fixture(scope="session")
def settled() -> Callable[[object], None]:
    """Waits until nothing of a page is being computed."""
    return lambda page: page.wait_for_function(
        "() => !document.querySelector('[aria-busy=true], .rg-note[role=status]:not(:empty)')"
    )


@pytest.fixture(scope="session")
def violations() -> Callable[[object], list[str]]:
    """The rules of accessibility that a page breaks, by axe, and where."""
    from axe_playwright_python.sync_playwright import Axe

    script = Axe().axe_script
    run = "axe.run({ resultTypes: ['violations'], preload: false }).then((all) => all.violations)"

    def find(page) -> list[str]:
        if not page.evaluate("'axe' in window"):
            page.evaluate(script)
        return [
            f"{each['id']}: {node['html'][:120]} {node.get('failureSummary', '')[:200]}"
            for each in page.evaluate(run)
            for node in each["nodes"]
        ]

    return find


@pytest.fixture
def ready() -> Callable[[object], object]:
    """Waits until the map that is asked for has been drawn, exactly."""

    def wait(page):
        page.locator("canvas.rg-map__canvas[data-ready=true]").first.wait_for()
        return page.locator("canvas.rg-map__canvas")

    return wait


@pytest.fixture
def drawn() -> Callable[[object], object]:
    """Waits for a map's first frame: all of a long one, exactly, would take some seconds more."""

    def wait(page):
        page.locator("canvas.rg-map__canvas[data-level]").first.wait_for()
        return page.locator("canvas.rg-map__canvas")

    return wait


@pytest.fixture(scope="session")
def result() -> Callable[[object, int, int], float]:
    """The number that the map's tip tells of a cell, once it speaks of that one."""

    def read(page, query: int, key: int) -> float:
        tip = page.locator(".rg-map__tip[data-value]:not([data-value=''])")
        tip = tip.filter(has_text=re.compile(rf"query {query} .*→ key {key} ")).first
        tip.wait_for(state="attached")
        return float(tip.get_attribute("data-value"))

    return read


@pytest.fixture(scope="session")
def read_focus(result: Callable[[object, int, int], float]) -> Callable[[object, int, int], float]:
    """The number at the map's focus, as the page tells it to a user of the keyboard."""

    def read(page, query: int, key: int) -> float:
        page.locator("canvas.rg-map__canvas").first.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        return result(page, query, key)

    return read


@pytest.fixture(scope="session")
def at() -> Callable[..., str]:
    """The path of a link to TEXT, translated by the shipped model."""
    return lambda **query: "/?" + urlencode({"model": "en-de", "text": TEXT, **query})


@pytest.fixture(scope="session")
def wait_for_address() -> Callable[[object, str, str | None], None]:
    """Waits until the address bar holds the value, or without one, nothing of that name."""

    def wait(page, name: str, value: str | None) -> None:
        page.wait_for_url(lambda url: parse_qs(urlsplit(url).query).get(name, [None])[0] == value)

    return wait
