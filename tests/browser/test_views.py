"""The sentence as lines and ribbons, the drawer of a word, the zoom, and a map that is pinned."""

import re

import pytest

from regard.inspection.views.needed import reliances

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect

CROSS, SELF = "decoder.layers.1.cross", "decoder.layers.1.self"
TEXT = "I would like to drink a cup of tea with my friends."


def test_the_page_shows_the_text_the_translation_and_the_receipt(open_page, ready, at):
    page = open_page(at(view="map"))
    ready(page)
    expect(page.get_by_label("model", exact=True)).to_have_value("en-de")
    for word in ("friends", "meinen"):
        expect(page.get_by_label("the text").get_by_text(word, exact=True).first).to_be_visible()
    expect(page.get_by_text(re.compile("row sums within"))).to_be_visible()
    assert "regard" in page.title()


def test_words_that_a_reader_may_not_know_are_explained_where_they_stand(open_page, at):
    page = open_page(
        at(tap=CROSS, head=1, view="map", quantity="norm", focus="7,10", drawer="cell")
    )
    page.locator(".rg-said").filter(has_text="head 1 of layer 1 looked at").wait_for()
    page.get_by_text("norm of cross-attention, decoder layer 1, head 1 · the length").wait_for()
    drawer = page.get_by_role("complementary", name="equation")
    drawer.get_by_text("log-sum-exp: log Σ exp(score)").wait_for()
    drawer.get_by_text("the length ‖α·f(x)‖ of the vector").wait_for()
    page.get_by_role("button", name="why", exact=True).click()
    page.get_by_text("value zeroing: how far a layer's output turns").wait_for()
    page.get_by_text("ρ: how alike a measure and |Δp| rank these tokens").wait_for()


def test_a_token_of_the_flow_is_locked_and_released(open_page, at, wait_for_address):
    page = open_page(at(tap=SELF, head=1, view="sentence"))
    flow = page.get_by_role("region", name="flow")
    token = flow.get_by_role("button", name=re.compile("^query 7"))
    token.click()
    wait_for_address(page, "locked", "7")
    page.mouse.move(5, 5)
    expect(token).to_have_attribute("aria-pressed", "true")
    page.reload()
    token.wait_for()
    expect(token).to_have_attribute("aria-pressed", "true")
    token.click()
    wait_for_address(page, "locked", None)


def test_the_heads_of_the_flow_are_in_the_link(open_page, at, wait_for_address):
    page = open_page(at(tap=CROSS, head=1, view="sentence"))
    heads = page.get_by_role("navigation", name="attention to show")
    heads.get_by_role("button", name="layer 1, head 3").click(modifiers=["Shift"])
    wait_for_address(page, "heads", "1,3")
    page.reload()
    page.get_by_text("decoder layer 1, heads 1, 3", exact=False).wait_for()
    expect(heads.locator("[aria-current]")).to_have_count(2)


def test_the_words_of_the_drawer_are_the_decodes_steps(open_page, at, trace, wait_for_address):
    page = open_page(at(tap=CROSS, head=1, view="sentence", drawer="word"))
    for number, step in enumerate(trace.generation.steps[:3], start=1):
        per_cent = f"{100 * step.probability:.0f}"[:2]
        page.get_by_label(re.compile(f"^step {number}: .*{per_cent}")).first.wait_for()
    page.get_by_label(re.compile("^hypothesis 2:")).first.wait_for()
    # A word that is chosen is the one that the picture and the line above it speak of.
    page.get_by_role("radio", name=re.compile("^step 9: meinen")).click()
    wait_for_address(page, "locked", "8")
    page.locator(".rg-said").filter(has_text="To write meinen").wait_for()
    looked = page.get_by_role("complementary", name="word").get_by_role("button", name="my 10")
    weight = 100 * float(trace[CROSS].weights(1)[8, 10])
    expect(looked).to_contain_text(f"{weight:.0f}")
    looked.click()
    wait_for_address(page, "drawer", "cell")
    wait_for_address(page, "focus", "8,10")


def test_another_hypothesis_is_traced_when_chosen(open_page, at, wait_for_address, trace):
    page = open_page(at(tap=CROSS, head=1, view="sentence", drawer="word"))
    page.get_by_label(re.compile("^hypothesis 2:")).first.click()
    wait_for_address(page, "hypothesis", "1")
    last = trace.generation.hypotheses[1].tokens[-2].replace("▁", "")
    page.locator("[data-word^=output]").filter(has_text=last).first.wait_for()


def test_a_word_of_the_translation_says_what_it_looked_at(open_page, at, trace):
    page = open_page(at(tap=CROSS, head=1, view="sentence"))
    page.locator("[data-word^=output]").filter(has_text="Tee").hover()
    query = trace.axes["target"].predicts.index("▁Tee")
    key = trace.axes["source"].tokens.index("▁tea")
    weight = 100 * float(trace[CROSS].weights(1)[query, key])
    result = page.locator("[data-word^=source]").filter(has_text="tea").locator(".rg-number")
    result.wait_for()
    number = float(re.search(r"[\d.]+", result.inner_text())[0])
    assert number == pytest.approx(weight, rel=0.05)


def test_the_step_of_the_translation_is_in_the_link(open_page, at, wait_for_address):
    page = open_page(at(tap=CROSS, head=1, view="sentence"))
    page.get_by_role("button", name="input", exact=True).click()
    wait_for_address(page, "aligned", "input")
    page.reload()
    page.get_by_text(re.compile("read at the input step")).wait_for()


def test_a_struck_word_is_in_the_link_and_can_be_put_back(open_page, at, wait_for_address, trace):
    page = open_page(at(tap=CROSS, head="mean", view="sentence"))
    word = page.locator("[data-word^=source]").filter(has_text="my")
    word.focus()
    said = page.locator(".rg-said")
    said.filter(has_text="To write meinen").wait_for()
    word.press("x")
    struck = page.locator(".rg-word--struck").filter(has_text="my")
    struck.wait_for()
    said.filter(has_text="To write Freunden").wait_for()  # which stands there now
    page.mouse.move(0, 0)
    page.locator("[data-word^=output]").filter(has_text="Ich").hover()
    said.filter(has_text="To write Ich").wait_for()
    page.mouse.move(0, 0)
    said.filter(has_text="To write Freunden").wait_for()
    wait_for_address(page, "without", str(trace.axes["source"].tokens.index("▁my")))
    page.reload()
    struck.wait_for()
    page.get_by_text("no other position sees “my”").wait_for()
    output = page.locator("[data-word^=output]")
    expect(output.filter(has_text="Freunden")).to_have_count(1)
    expect(output.filter(has_text="meinen")).to_have_count(0)
    page.get_by_role("button", name="bring back my").click()
    page.locator("[data-word^=output]").filter(has_text="meinen").wait_for()
    expect(struck).to_have_count(0)


def test_a_head_that_is_switched_off_in_the_drawer_writes_another_sentence(
    open_page, ready, at, wait_for_address
):
    off = ",".join(f"{CROSS}:{head}" for head in (0, 2, 3))
    page = open_page(at(tap=CROSS, head=1, focus="7,10", drawer="cell", without=off))
    ready(page)
    chips = page.get_by_role("list", name="switched off").get_by_role("button")
    expect(chips).to_have_count(3)
    button = page.get_by_role("region", name="switch off").get_by_role("button", name="head 1")
    button.click()
    wait_for_address(page, "without", ",".join(f"{CROSS}:{head}" for head in range(4)))
    page.locator(".rg-change__delta").wait_for()
    changes = page.get_by_role("region", name="what changed")
    changes.locator("ins").first.wait_for()
    changes.locator("del").first.wait_for()
    expect(button).to_have_attribute("aria-pressed", "true")
    page.get_by_text(f"switched off: head 1 of {CROSS}").wait_for()
    button.click()
    wait_for_address(page, "without", off)
    changes.get_by_role("button", name="bring everything back").click()
    changes.wait_for(state="detached")


def test_the_bars_say_how_much_the_translation_depends_on_a_word(open_page, at, trace):
    page = open_page(at(tap=CROSS, head="mean", view="sentence"))
    bars = page.locator(".rg-translation__reliance")
    bars.first.wait_for()
    found = [
        float(each.evaluate("bar => bar.style.getPropertyValue('--part')").rstrip("%")) / 100
        for each in bars.all()
    ]
    changes = [-min(0.0, each.change) for each in reliances(trace)]
    assert found == pytest.approx([each / max(changes) for each in changes], abs=1e-3)


def test_a_comparison_shows_the_difference_of_two_heads(open_page, ready, read_focus, at, trace):
    other = {"other": f"2,{CROSS}", "difference": 1}
    page = open_page(at(tap=CROSS, head=1, focus="7,10", **other))
    ready(page)
    weights = trace[CROSS].weights(1) - trace[CROSS].weights(2)
    assert read_focus(page, 7, 10) == pytest.approx(float(weights[7, 10]), rel=1e-5)


def test_two_maps_side_by_side_have_one_scale_that_nobody_moved(open_page, ready, at):
    page = open_page(at(tap=CROSS, head=1, other=f"mean,{CROSS}"))
    page.get_by_text(re.compile("one color scale for both")).wait_for()
    reset = page.get_by_role("button", name="reset ends")
    expect(reset).to_have_count(0)
    page.get_by_label("upper end of the color scale").first.focus()
    page.keyboard.press("ArrowLeft")
    reset.first.click()
    reset.first.wait_for(state="detached")


def test_a_map_that_is_pinned_stays_beside_another_text_and_head(open_page, at, wait_for_address):
    page = open_page(at(tap=CROSS, head=1, view="map"))
    page.get_by_role("button", name="pin", exact=True).click()
    wait_for_address(page, "other", f"1,{CROSS}")
    page.get_by_text(re.compile("both are the same map")).wait_for()
    page.get_by_label("text", exact=True).fill("She drinks a cup of coffee.")
    page.get_by_label("text", exact=True).press("Enter")
    page.get_by_text(re.compile("the two differ in text;")).wait_for()
    wait_for_address(page, "other-text", TEXT)
    page.get_by_role("button", name="layer 1, head 3").click()
    page.get_by_text(re.compile("the two differ in text and head;")).wait_for()
    page.reload()
    page.get_by_text(re.compile("the two differ in text and head;")).wait_for()
    page.get_by_role("button", name="pin", exact=True).click()
    wait_for_address(page, "other", None)


def test_an_open_drawer_covers_no_cell_between_wide_and_narrow(open_page, ready, at):
    page = open_page(at(tap=CROSS, head=1, focus="7,10", drawer="cell"), width=820, height=1100)
    ready(page)
    drawer = page.get_by_role("complementary", name="equation").bounding_box()
    picture = page.locator("#rg-hero").bounding_box()
    assert picture["x"] + picture["width"] <= drawer["x"] + 1
    assert picture["width"] > 400


def test_the_arrows_walk_along_the_words_and_to_the_other_side(open_page, at):
    page = open_page(at(tap=SELF, head=1, view="sentence"))
    page.locator("[data-word='query 4']").focus()
    for key, word in (
        ("ArrowDown", "query 5"), ("ArrowDown", "query 6"), ("Home", "query 0"),
        ("ArrowDown", "query 1"), ("ArrowRight", "key 0"), ("End", "key 13"),
    ):  # fmt: skip
        page.keyboard.press(key)
        expect(page.locator(f"[data-word='{word}']")).to_be_focused()
    last = page.locator("[data-word^=key]").last
    expect(last).to_be_focused()
    page.keyboard.press("l")
    expect(last).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    expect(last).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("[data-word='query 1']")).to_be_focused()


def test_the_page_speaks_german_and_hindi(open_page, at, wait_for_address):
    page = open_page(at(view="sentence", head="mean", language="de"))
    said = page.locator(".rg-said")
    said.filter(has_text=re.compile("Um Tee.* zu schreiben, sah das .* auf tea")).wait_for()
    page.get_by_text(
        "Gewicht der Cross-Attention, Decoder, Schicht 1, Mittel über die Köpfe"
    ).first.wait_for()
    page.get_by_text("die Karten sind von einem Durchgang über die fertige Hypothese").wait_for()
    page.get_by_label("Sprache").select_option("hi")
    wait_for_address(page, "language", "hi")
    said.filter(has_text=re.compile("Tee.* लिखने के लिए मॉडल ने tea")).wait_for()
    page.get_by_label("भाषा").select_option("en")
    said.filter(has_text=re.compile("To write Tee.*, the model looked at tea")).wait_for()


def test_one_zoom_leads_from_the_sentence_to_the_products(open_page, ready, at, wait_for_address):
    page = open_page(at(tap=CROSS, head=1, view="sentence"))
    page.get_by_role("region", name="translation").wait_for()
    zoom = page.get_by_role("group", name="zoom").locator("[aria-pressed=true]")
    page.locator("body").press("+")
    ready(page)
    expect(zoom).to_have_text("map")
    page.get_by_role("button", name="cell", exact=True).click()
    wait_for_address(page, "focus", "7,9")  # of the word that the line above speaks of
    expect(zoom).to_have_text("cell")
    page.locator("body").press("+")
    page.get_by_label("the weight, step by step").wait_for()
    expect(zoom).to_have_text("products")
    page.get_by_role("button", name="map", exact=True).click()
    box = ready(page).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.wheel(0, 200)  # farther away than the whole map
    page.get_by_role("region", name="translation").wait_for()
    wait_for_address(page, "view", "sentence")


def test_the_ribbons_bend_into_the_map(open_page, at, ready):
    page = open_page(at(view="sentence", head="mean"))
    ribbons = page.locator(".rg-links__lines path:not(.rg-translation__needed)")
    ribbons.first.wait_for()
    count = ribbons.count()
    page.evaluate(
        """() => {
          window.bent = 0;
          const added = (all) => { for (const { addedNodes } of all) for (const node of addedNodes)
            if (node.matches?.(".rg-bend")) bent = node.querySelectorAll("path").length; };
          const hero = document.querySelector("#rg-hero");
          new MutationObserver(added).observe(hero, { childList: true });
        }"""
    )
    page.get_by_role("button", name="map", exact=True).click()
    ready(page)
    page.wait_for_function("count => bent === count", arg=count)
    page.locator(".rg-bend").wait_for(state="detached")
    page.get_by_role("button", name="sentence", exact=True).click()
    ribbons.first.wait_for()
    page.evaluate("bent = 0")
    page.emulate_media(reduced_motion="reduce")
    page.get_by_role("button", name="map", exact=True).click()
    ready(page)
    assert page.evaluate("bent") == 0
