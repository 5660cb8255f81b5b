"""For every width, scheme and reader."""

import pytest

CROSS = "decoder.layers.2.cross"
VIEWS = ("map", "flow", "generation", "translation", "compare")


def turn_to(page, view: str) -> None:
    """The view with everything that it shows."""
    page.get_by_role("tab", name=view).click()
    page.locator(f"#rg-hero[aria-labelledby=rg-view-{view}]:not([aria-busy=true])").wait_for()
    hero = page.locator("#rg-hero")
    if view in ("map", "compare"):
        hero.locator("canvas[data-ready=true]").first.wait_for()
    else:
        hero.locator("[aria-label][aria-busy=false], button").first.wait_for()


@pytest.mark.parametrize("width", [420, 1440])
def test_nothing_scrolls_sideways(open_page, at, width: int):
    page = open_page(at(tap=CROSS, head=1), width=width)
    for view in VIEWS:
        turn_to(page, view)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible(open_page, at, scheme: str):
    from axe_playwright_python.sync_playwright import Axe

    page = open_page(at(tap=CROSS, head=1, focus="7,10", drawer=1), scheme=scheme)
    page.get_by_label("the weight, step by step").wait_for()
    grounds = page.evaluate("getComputedStyle(document.querySelector('.regard')).backgroundColor")
    darkness = sum(map(int, grounds[4:-1].split(",")[:3]))
    assert darkness < 200 if scheme == "dark" else darkness > 600
    result = []
    for view in VIEWS:
        turn_to(page, view)
        result += [
            f"{view}: {each['id']}: {node['html'][:120]} {node.get('failureSummary', '')[:200]}"
            for each in Axe().run(page).response["violations"]
            for node in each["nodes"]
        ]
    assert result == []
