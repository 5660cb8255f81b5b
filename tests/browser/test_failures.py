"""A server that has gone, work that takes long, and pages with little room."""

import pytest

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect

CROSS = "decoder.layers.1.cross"


@pytest.fixture
def page(browser, address, at, ready):
    """A page of its own, whose console may complain of requests that fail."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(address + at(tap=CROSS, head=1))
    ready(page)
    yield page
    context.close()


def test_a_server_that_has_gone_is_an_alert_in_every_view(page, ready):
    page.context.set_offline(True)
    page.locator("canvas.rg-map__canvas").first.press("]")
    gone = page.get_by_role("alert").filter(has_text="reconnects by itself")
    gone.wait_for()
    for view in ("sentence", "word", "why", "map"):
        page.get_by_role("button", name=view, exact=True).first.click()
        expect(gone, view).to_be_visible()
    gone.get_by_role("button", name="try again").click()
    expect(gone).to_be_visible()
    page.context.set_offline(False)
    gone.wait_for(state="detached")
    ready(page)  # the head that could not be loaded is drawn
    expect(page.get_by_text("does not respond")).to_have_count(0)


def test_a_text_that_the_server_went_away_over_is_asked_again(page):
    page.context.set_offline(True)
    page.get_by_label("text", exact=True).fill("A dog.")
    page.get_by_label("text", exact=True).press("Enter")
    page.get_by_role("alert").wait_for()
    page.context.set_offline(False)
    page.get_by_label("the text").get_by_text("dog", exact=True).first.wait_for()


def test_the_previous_picture_is_named_as_such_and_cancel_keeps_it(page):
    page.route("**/api/traces", lambda route: None)  # an answer that does not come
    page.get_by_label("text", exact=True).fill("A dog.")
    page.get_by_label("text", exact=True).press("Enter")
    page.get_by_text("below: the previous text").wait_for()
    page.get_by_role("button", name="cancel").click()
    page.get_by_text("below: the previous text").wait_for(state="detached")
    expect(page.get_by_label("the text").get_by_text("friends", exact=True).first).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.parametrize(("width", "height"), [(390, 844), (640, 360)])
def test_the_drawer_does_not_cover_the_map_on_a_narrow_page(open_page, at, ready, width, height):
    link = at(tap=CROSS, head=1, focus="7,10")
    page = open_page(link, width=width, height=height, scheme="dark")
    ready(page)
    page.get_by_role("button", name="products").click()
    page.get_by_label("the weight, step by step").wait_for()
    ready(page)
    drawer = page.locator(".rg-drawer").bounding_box()
    shown = page.locator("canvas.rg-map__canvas").bounding_box()
    assert shown["y"] >= -1
    below = shown["y"] + shown["height"] <= drawer["y"] + 1
    assert below or shown["x"] + shown["width"] <= drawer["x"] + 1
