"""For every width, scheme and reader."""

import re

import pytest

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect

CROSS = "decoder.layers.1.cross"
VIEWS = ("map", "pin", "sentence", "several", "word", "why", "products")
SIZES = ((390, 844), (600, 900), (1280, 800), (1440, 900))


def turn_to(page, view: str) -> None:
    """The view with everything that it shows."""
    if view == "several":
        page.get_by_role("button", name="layer 1, head 3").click(modifiers=["Shift"])
    else:
        page.get_by_role("button", name=view, exact=True).click()
    page.locator("#rg-hero:not([aria-busy=true])").wait_for()
    if view in ("map", "pin"):
        page.locator("#rg-hero canvas[data-ready=true]").first.wait_for()
    else:
        page.locator("#rg-hero").locator("[aria-label][aria-busy=false], button").first.wait_for()
    expect(page.locator(".regard [aria-busy=true]")).to_have_count(0, timeout=60_000)
    if view == "several":  # a word that looks at the end of the sentence, which lights up
        page.locator("[data-word='query 10']").hover()
        expect(page.locator("[data-word='key 13']")).to_have_attribute(
            "style", re.compile("share: 1;")
        )
    else:
        page.mouse.move(0, 0)


@pytest.mark.parametrize(
    ("scheme", "sizes"),
    [
        ("light", SIZES[::2]),
        ("dark", SIZES[1::2]),
        pytest.param("light", SIZES[1::2], marks=pytest.mark.slow),
        pytest.param("dark", SIZES[::2], marks=pytest.mark.slow),
    ],
)
def test_every_view_fits_its_width_and_is_accessible(open_page, at, violations, scheme: str, sizes):
    page = open_page(at(tap=CROSS, head=1, focus="7,10", drawer="cell"), scheme=scheme)
    page.emulate_media(reduced_motion="reduce")  # nothing is measured while it fades in
    page.get_by_label("the weight, step by step").wait_for()
    grounds = page.evaluate("getComputedStyle(document.querySelector('.regard')).backgroundColor")
    darkness = sum(map(int, grounds[4:-1].split(",")[:3]))
    assert darkness < 200 if scheme == "dark" else darkness > 600
    result = []
    for view in VIEWS:
        turn_to(page, view)
        for width, height in sizes:
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, view
            result += [f"{view} at {width}: {each}" for each in violations(page)]
    assert result == []
