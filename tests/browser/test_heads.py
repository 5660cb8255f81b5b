"""The strip of all heads, ranked for a word; and what a model says that writes nothing."""

import math
import re

import pytest

from regard.inspection.views.needed import reliances

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect

CROSS = "decoder.layers.1.cross"


def test_the_heads_are_one_stop_of_the_tab_key(open_page, at):
    page = open_page(at(head="2"))
    heads = page.get_by_role("navigation", name="attention to show")
    # Layers answer one by one, and each answer ranks the rows again.
    expect(heads.locator('.rg-look:not([aria-label*=": "])')).to_have_count(0)
    rows, stops = heads.locator(".rg-look"), heads.locator('.rg-look[tabindex="0"]')
    expect(stops).to_have_count(1)
    stops.focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowUp")
    expect(rows.nth(rows.count() - 2)).to_be_focused()
    expect(stops).to_have_count(1)
    heads.get_by_role("button", name="layer 1, head 0").click()
    expect(stops).to_have_count(1)
    expect(stops).to_have_attribute("aria-label", re.compile("^layer 1, head 0"))


def test_the_heads_are_ranked_for_the_word_in_question(open_page, at, trace, wait_for_address):
    """Each is named with its share; the one that is chosen goes on speaking of the same word."""
    page = open_page(at(view="sentence", head="mean"))
    row = trace.axes["target"].predicts.index("▁Tee")
    words = trace.axes["source"].words
    shares, worth = {}, {}
    for tap in (each for each in trace.values() if each.kind == "cross"):
        weights = tap.weights()[:, row]
        rows = {f"{tap.layer}·{head}": weights[head] for head in range(tap.heads)}
        for name, own in (rows | {f"{tap.layer}·mean": weights.mean(0)}).items():
            shares[name], first = max((float(own[first:end].sum()), first) for first, end in words)
            diagonal = (row + 0.5) * tap.columns / tap.rows - 0.5
            far = min(1, abs(first - diagonal) / (tap.columns / 2))
            worth[name] = shares[name] * (1 + far) / 2
    best = sorted(worth, key=lambda name: -worth[name])
    page.locator("[data-word^=output]").filter(has_text="Tee").hover()
    heads = page.get_by_role("navigation", name="attention to show")
    heads.get_by_role("heading", name="Which head, for Tee?").wait_for()
    rows = heads.locator(".rg-look")
    expect(rows.locator(".rg-look__place")).to_have_text(best)
    expect(rows.locator(".rg-look__best")).to_contain_text(
        [f"{100 * shares[each]:.0f}" for each in best]
    )
    # The pattern over the whole text is in its title.
    [info] = [each for each in trace.patterns(CROSS) if f"1·{each.head}" == best[0]]
    expect(rows.first).to_have_attribute(
        "title", re.compile(f"{info.pattern}: .* of the weight.*entropy {info.entropy:.2f} bits")
    )
    rows.nth(1).click()
    layer, head = best[1].split("·")
    page.locator(".rg-said").filter(has_text=f"head {head} of layer {layer} looked at").wait_for()
    wait_for_address(page, "tap", f"decoder.layers.{layer}.cross")
    wait_for_address(page, "head", None if head == "0" else head)


def test_a_classifiers_page_shows_its_labels(browser):
    import regard
    from regard.studio.app import create_app, in_background

    text = "What a lovely surprise!"
    model = regard.load("emotions")
    [answer] = model.run([text])
    best, trace = answer.labels[0], model.trace(text)
    assert [each.token for each in trace.labels] == [each.label for each in answer.labels[:3]]
    with in_background(create_app([], {"read": trace})) as server:
        page = browser.new_page()
        page.goto(f"{server}/?trace=read")
        said = page.get_by_label("labels")
        said.get_by_text("without").first.wait_for()
        labels = said.inner_text().replace("\u202f", " ")
        page_says = page.locator("body").inner_text()
        page.close()
    assert labels.startswith(f"{best.label} {100 * best.score:.0f} %")
    worst = min(reliances(trace), key=lambda each: each.change)
    word = trace.axes["tokens"].tokens[worst.first].lstrip("▁")
    left = 100 * best.score * math.exp(worst.change)
    assert "sink" not in page_says
    assert re.search(rf"{best.label} without {word} (< )?{left:.1f} %", labels)


def test_an_encoders_page_shows_the_nearest_sentences(browser):
    import regard
    from regard.studio.app import create_app, in_background

    text = "My puppy sleeps on the couch."
    model = regard.load("minilm")
    trace = model.trace(text)
    own, other = model.run([text, trace.nearest[0].text], normalize=True)
    assert trace.nearest[0].text == "The dog is asleep on the sofa."
    assert trace.nearest[0].cosine == pytest.approx(float(own.vector @ other.vector), abs=1e-5)
    cosines = [each.cosine for each in trace.nearest]
    assert cosines == sorted(cosines, reverse=True)
    with in_background(create_app([], {"read": trace})) as server:
        page = browser.new_page()
        page.goto(f"{server}/?trace=read")
        said = page.get_by_label("nearest sentences").inner_text()
        page.close()
    heading = f"nearest in meaning, of {len(cosines)} sentences:"
    assert said.startswith(f"{heading}\n“The dog is asleep on the sofa.” {cosines[0]:.2f}")


def test_the_heads_between_two_words_of_a_long_text_are_ranked(
    open_page, long_trace, wait_for_address
):
    """Three actions: a word, an earlier word, a head."""
    page = open_page("/?trace=long&head=1")
    heads = page.get_by_role("navigation", name="attention to show")
    heads.get_by_placeholder("query").fill("t12345")
    heads.get_by_placeholder("key").fill("t4567")
    page.keyboard.press("Enter")
    heads.get_by_role("heading", name="Which head, for t12345 12,345 → t4567 4,567?").wait_for()
    rows = heads.locator(".rg-ranked__row")
    weights = [
        float(long_trace["decoder.layers.0.self"].row(head, 12_345)[4_567]) for head in (0, 1)
    ]
    expect(rows).to_contain_text([f"0·0{100 * weights[0]:.0f}", "0·1"])
    page.keyboard.press("s")
    heads.get_by_text("without the first token").wait_for()
    rows.first.click()
    wait_for_address(page, "head", None)  # 0
    wait_for_address(page, "focus", "12345,4567")
    page.keyboard.press("f")
    page.keyboard.type("t77")
    page.keyboard.press("Tab")
    page.keyboard.type("nowhere")
    page.keyboard.press("Enter")
    heads.get_by_text("“nowhere” is not there.").wait_for()


def test_a_cell_is_asked_for_until_its_map_is_left(open_page, ready, at):
    page = open_page(at(tap=CROSS, head=1, focus="7,10"))
    ready(page).first.press("ArrowLeft")
    heads = page.get_by_role("navigation", name="attention to show")
    expect(heads.get_by_role("heading", name=re.compile("→"))).to_have_count(1)
    page.get_by_role("button", name="sentence", exact=True).click()
    page.locator("[data-word^=output]").filter(has_text="Tee").hover()
    expect(heads.get_by_role("heading", name="Which head, for Tee?")).to_have_count(1)
    page.locator("[data-word^=source]").filter(has_text="cup").click()
    page.locator("[data-word^=output]").filter(has_text="Tee").hover()
    expect(heads.get_by_role("heading", name="Which head, for Tee → cup?")).to_have_count(1)
