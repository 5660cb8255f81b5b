"""All heads: names, order, choice and a walk by arrows; a head is opened in the map."""

import re

import pytest

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect


def test_heads_are_chosen_by_pattern_walked_and_opened(open_page, at, wait_for_address, trace):
    page = open_page(at(view="heads"))
    heads = page.get_by_role("region", name="all heads")
    cells = heads.locator(".rg-head")
    cells.first.wait_for()
    heads.get_by_text("to come").wait_for(state="detached")
    assert cells.count() == sum(tap.heads for tap in trace.values())

    expected = [
        (name, info)
        for name in trace
        for info in trace.patterns(name)
        if info.pattern == "alignment"
    ]
    chip = heads.get_by_role("group", name="pattern").get_by_text("alignment")
    assert chip.inner_text() == f"alignment {len(expected)}"
    chip.click()
    wait_for_address(page, "pattern", "alignment")
    heads.get_by_label("order of heads").select_option("pattern")
    wait_for_address(page, "order", "pattern")
    heads.get_by_text("one scale", exact=True).click()
    wait_for_address(page, "shade", "one")
    page.reload()
    cells.first.wait_for()
    heads.get_by_text("to come").wait_for(state="detached")
    assert cells.count() == len(expected)

    def share(each):
        [score] = [score for score in each[1].patterns if score.name == "alignment"]
        return score.share

    name, info = max(expected, key=share)
    label = cells.first.get_attribute("aria-label")
    assert label.startswith(f"cross layer {trace[name].layer}, head {info.head}: alignment, ")

    # One stop for all heads: an arrow leads on, and Enter opens.
    assert heads.locator('.rg-head[tabindex="0"]').count() == 1
    heads.locator('.rg-head[tabindex="0"]').focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    focused = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert focused == cells.nth(1).get_attribute("aria-label")
    page.keyboard.press("Enter")
    wait_for_address(page, "view", None)
    layer, head = re.match(r"cross layer (\d), head (\d)", focused).groups()
    wait_for_address(page, "tap", f"decoder.layers.{layer}.cross")
    wait_for_address(page, "head", None if head == "0" else head)
    page.go_back()
    wait_for_address(page, "view", "heads")
    wait_for_address(page, "pattern", "alignment")


def test_the_rails_heads_are_one_stop_of_the_tab_key(open_page, at):
    page = open_page(at(head="2"))
    rail = page.get_by_role("navigation", name="attention to show")
    stops = rail.locator('.rg-thumb[tabindex="0"]')
    expect(stops).to_have_count(1)
    stops.focus()
    page.keyboard.press("ArrowLeft")
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert label.startswith("layer 2, head 1")
    assert stops.count() == 1
    rail.get_by_role("button", name="layer 1, head 0").click()
    assert stops.count() == 1
    assert stops.get_attribute("aria-label").startswith("layer 1, head 0")


def test_the_tab_key_reaches_the_heads_that_a_pattern_leaves(open_page, at):
    page = open_page(at(view="heads", order="entropy"))
    heads = page.get_by_role("region", name="all heads")
    heads.locator(".rg-head").first.wait_for()
    heads.get_by_text("to come").wait_for(state="detached")
    stops = heads.locator('.rg-head[tabindex="0"]')
    stops.focus()
    page.keyboard.press("Home")
    walked_to = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert "alignment" not in walked_to
    heads.get_by_role("group", name="pattern").get_by_text("alignment").click()
    heads.get_by_role("button", name=walked_to).wait_for(state="detached")
    assert stops.count() == 1
