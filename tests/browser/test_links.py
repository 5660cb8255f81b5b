"""The address bar holds what is seen: a link, a reload and "back" show it again."""

from urllib.parse import parse_qs, urlsplit

import pytest

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect

CROSS = "decoder.layers.1.cross"


def test_a_link_shows_the_same_view(open_page, ready, at):
    query = dict(tap="decoder.layers.1.self", head=2, quantity="norm", scale="log", focus="4,3")
    page = open_page(at(**query))
    ready(page)
    page.reload()
    ready(page)
    found = {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}
    for name, value in query.items():
        assert found[name] == str(value)
    pressed = page.get_by_role("group", name="quantity").locator("[aria-pressed=true]")
    expect(pressed).to_have_text("norm")


def test_back_goes_back(open_page, ready, at):
    page = open_page(at(tap=CROSS, head=1))
    ready(page)
    page.get_by_role("button", name="sentence", exact=True).click()
    page.get_by_role("region", name="translation").wait_for()
    page.go_back()
    ready(page)
    pressed = page.get_by_role("group", name="zoom").locator("[aria-pressed=true]")
    expect(pressed).to_have_text("map")


def test_a_trace_that_the_server_was_given_is_linked_by_its_id(open_page, ready, wait_for_address):
    """The server cannot run its model again."""
    page = open_page("/?trace=long&at=12340,4560,12")
    ready(page).focus()
    page.keyboard.press("]")
    wait_for_address(page, "head", "1")
    found = parse_qs(urlsplit(page.url).query)
    assert found["trace"] == ["long"]
    assert "model" not in found
    page.reload()
    ready(page)
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_trace_made_on_the_page_is_linked_by_its_text(open_page, ready, at, wait_for_address):
    page = open_page(at(view="map"))
    ready(page)
    page.get_by_label("text", exact=True).fill("A dog runs.")
    page.get_by_role("button", name="look", exact=True).click()
    wait_for_address(page, "text", "A dog runs.")
    assert "trace" not in parse_qs(urlsplit(page.url).query)


def test_a_text_that_cannot_be_traced_is_refused_in_a_sentence(browser, address, at):
    context = browser.new_context()
    page = context.new_page()
    page.goto(address + at(view="map"))
    page.locator("canvas.rg-map__canvas[data-ready=true]").wait_for()
    page.get_by_label("text", exact=True).fill("tea " * 600)
    page.get_by_role("button", name="look", exact=True).click()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("tokens with en-de; got")
    context.close()


def test_a_trace_that_was_opened_by_its_id_is_linked_by_its_text(
    open_page, ready, address, wait_for_address
):
    page = open_page()
    asked = {"model": "en-de", "text": "A cat sleeps."}
    id = page.request.post(f"{address}/api/traces", data=asked).json()["id"]
    page.goto(f"{address}/?trace={id}&view=map")
    ready(page)
    wait_for_address(page, "text", "A cat sleeps.")
    wait_for_address(page, "model", "en-de")
    assert "trace" not in parse_qs(urlsplit(page.url).query)


def test_a_page_outlives_the_servers_memory(browser, app, address, at):
    """After a restart, or once other pages have asked for more than the server keeps."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(address + at(tap=CROSS, head=1, view="map"))
    canvas = page.locator("canvas.rg-map__canvas[data-ready=true]")
    canvas.wait_for()
    app.state.library._made.clear()
    canvas.focus()
    page.keyboard.press("]")
    page.wait_for_url(lambda url: "head=2" in url)
    canvas.wait_for()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.locator(".rg-map__note")).not_to_contain_text("any more")
    context.close()


def test_a_model_of_another_kind_begins_with_what_suits_it(browser, wait_for_address):
    from regard.studio.app import create_app, in_background

    with in_background(create_app(["sentences", "en-de"], {})) as address:
        page = browser.new_page()
        page.goto(f"{address}/?model=sentences&text=A+dog+sleeps.")
        page.get_by_role("region", name="flow").wait_for()
        page.get_by_label("model", exact=True).select_option("en-de")
        page.get_by_role("region", name="translation").wait_for()
        wait_for_address(page, "head", "mean")
        page.close()
