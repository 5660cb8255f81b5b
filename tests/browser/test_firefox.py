"""Every view in Debian's Firefox: on the server, in one file, and with the translator inside."""

import os
import shutil
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from browser.firefox import Firefox, firefox

FIREFOX = os.environ.get("FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")
pytestmark = pytest.mark.skipif(
    FIREFOX is None, reason="no firefox here: install Debian's firefox-esr, or name one in FIREFOX"
)

TEXT = "I would like to drink a cup of tea with my friends."
CROSS = "decoder.layers.1.cross"
HERO = "document.querySelector('#rg-hero:not([aria-busy=true])')"
# What is on screen once a view has drawn what a link asks for.
DRAWN = {
    "map": "document.querySelector('canvas.rg-map__canvas[data-ready=true]')",
    "sentence&heads=1,2": f"{HERO}?.querySelectorAll('svg path').length > 20",
    "sentence&drawer=word": "document.querySelector('.rg-drawer')?.innerText.includes('-asse')",
    "sentence": f"{HERO}?.innerText.includes('Tasse')",
    f"map&other=2,{CROSS}": "document.querySelectorAll('canvas[data-ready=true]').length >= 2",
}


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[Firefox]:
    assert FIREFOX is not None
    with firefox(FIREFOX, tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture
def views(browser) -> Iterator[object]:
    """Opens every view at an address, and nothing goes wrong on the way."""

    def look(page: str, **named: str) -> None:
        for view, drawn in DRAWN.items():
            browser.open(f"{page}?{urlencode({**named, 'tap': CROSS, 'head': 1})}&view={view}")
            browser.wait_for(drawn)

    browser.errors.clear()
    yield look
    assert browser.errors == []


def test_a_server_shows_every_view(views, address):
    views(f"{address}/", model="en-de", text=TEXT)


@pytest.mark.slow
def test_the_page_that_holds_a_translator_shows_every_view(views, browser, file):
    views(file, model="en-de", text=TEXT)
    browser.open(f"{file}?" + urlencode({"text": "I like tea."}))  # the only model's
    browser.wait_for("document.body.innerText.includes('Ich mag Tee.')")


@pytest.mark.slow
def test_one_file_shows_every_view(views, trace, tmp_path):
    path = tmp_path / "trace.html"
    trace.to_html(path)
    views(path.as_uri())
