"""Why this word: the measures, the lens and the heads' contributions of a step."""

import re

import pytest

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect


def test_a_step_is_explained_and_a_head_is_opened(open_page, at, wait_for_address, trace):
    page = open_page(at(view="sentence", drawer="why", step=6))
    why = page.get_by_role("region", name="why this word")
    why.get_by_role("heading", name="why “Tee”?").wait_for()
    table = why.get_by_role("region", name="tokens by measure")
    table.wait_for()
    expect(table.get_by_role("row")).to_have_count(1 + len(trace.axes["source"].tokens))
    expected = trace.measures([6])[0].measures[0].correlation
    expect(table.get_by_role("columnheader").nth(0)).to_contain_text(f"ρ {expected:.2f}")

    changes = trace.measures([6])[0].measures[-1]
    assert changes.name == "hiding"
    loss = -min(changes.values)
    token = trace.axes["source"].tokens[changes.values.index(-loss)].lstrip("▁")
    said = f"Without {token}, Tee would be {100 * loss:.0f} percentage points less likely."
    why.get_by_text(said).wait_for()

    lens = trace.lens(6)
    rungs = why.get_by_role("region", name="logit lens").locator(".rg-why__rung")
    expect(rungs).to_have_count(len(lens.layers))
    expect(rungs.nth(1)).to_contain_text(f"rank {lens.layers[1].rank}")

    page.get_by_role("radio", name=re.compile("^step 9: meinen")).click()
    wait_for_address(page, "step", "8")
    why.get_by_role("heading", name="why “meinen”?").wait_for()

    against = why.get_by_role("group", name="against").get_by_role("button").nth(1)
    against.click()
    wait_for_address(page, "against", str(trace.generation.steps[8].candidates[1].id))

    why.get_by_role("group", name="tokens of the").get_by_text("output so far").click()
    wait_for_address(page, "measured", "target")
    page.reload()
    why.get_by_role("button", name=re.compile("^layer 1 cross, head 3")).click()
    wait_for_address(page, "view", None)
    wait_for_address(page, "drawer", "why")
    wait_for_address(page, "head", "3")
    wait_for_address(page, "tap", "decoder.layers.1.cross")
