"""Why this word: the measures, the lens and the heads' contributions of a step."""

import re


def test_a_step_is_explained_and_a_head_is_opened(open_page, at, wait_for_address, trace):
    page = open_page(at(view="why", step=4))
    why = page.get_by_role("region", name="why this word")
    why.get_by_role("heading", name="why “Tasse”?").wait_for()
    table = why.get_by_role("region", name="tokens by measure")
    table.wait_for()
    assert table.get_by_role("row").count() == 1 + len(trace.axes["source"].tokens)
    expected = trace.measures([4])[0].measures[0].correlation
    assert f"ρ {expected:.2f}" in table.get_by_role("columnheader").nth(1).inner_text()

    changes = trace.measures([4])[0].measures[-1]
    assert changes.name == "hiding"
    loss = -min(changes.values)
    token = trace.axes["source"].tokens[changes.values.index(-loss)].lstrip("▁")
    said = f"Without {token}, Tasse would be {100 * loss:.0f} percentage points less likely."
    why.get_by_text(said).wait_for()

    lens = trace.lens(4)
    rungs = why.get_by_role("region", name="logit lens").locator(".rg-why__rung")
    assert rungs.count() == len(lens.layers)
    assert f"rank {lens.layers[1].rank}" in rungs.nth(1).inner_text()

    why.get_by_role("button", name="step 6: Tee").click()
    wait_for_address(page, "step", "5")
    why.get_by_role("heading", name="why “Tee”?").wait_for()

    against = why.get_by_role("group", name="against").get_by_role("button").nth(1)
    against.click()
    wait_for_address(page, "against", str(trace.generation.steps[5].candidates[1].id))

    why.get_by_role("group", name="tokens of the").get_by_text("output so far").click()
    wait_for_address(page, "measured", "target")
    page.reload()
    why.get_by_role("button", name=re.compile("^layer 2 cross, head 3")).click()
    wait_for_address(page, "view", None)
    wait_for_address(page, "head", "3")
    wait_for_address(page, "tap", "decoder.layers.2.cross")
