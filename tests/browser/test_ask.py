"""Asking: other models, saved traces, options, forced words, and the sentence on what is seen."""

import re

import pytest

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect

CROSS = "decoder.layers.1.cross"


@pytest.fixture
def said():
    """The sentence above the picture, once it speaks of a word."""

    def read(page, word: str) -> str:
        sentence = page.locator(".rg-said").filter(has_text=word)
        sentence.wait_for()
        return sentence.inner_text().replace("\u202f", " ")

    return read


def test_a_forced_word_is_gone_on_from_and_in_the_link(open_page, at, said):
    page = open_page(at(view="sentence", drawer="word", tap=CROSS, head="mean", step=1))
    page.get_by_role("button", name=re.compile("^möchte")).click()
    changes = page.get_by_role("region", name="what changed")
    changes.locator("del", has_text="würde").wait_for()
    page.wait_for_url(re.compile(r"begins=\d+,\d+&"))
    page.reload()
    changes.locator("ins", has_text="möchte").wait_for()
    assert said(page, "möchte").startswith("To write möchte, the model looked at ")
    page.get_by_role("button", name="let the model choose").click()
    expect(changes.locator("del")).to_have_count(0)
    assert "begins" not in page.url


def test_the_sentence_follows_the_pointer(open_page, at, trace, said):
    page = open_page(at(view="sentence", head="mean", tap=CROSS))
    page.locator("[data-word^=output]").filter(has_text="meinen").hover()
    row = trace.axes["target"].predicts.index("▁meinen")
    key = trace.axes["source"].tokens.index("▁my")
    word = trace[CROSS].weights()[:, row, key].mean()
    assert f"looked at my ({100 * word:.0f} %)" in said(page, "meinen")


def test_options_are_asked_for_and_in_the_link(open_page, ready, at):
    page = open_page(at(tap=CROSS))
    ready(page)
    page.get_by_text("options", exact=True).click()
    page.get_by_label("beams").fill("2")
    page.get_by_label("text", exact=True).press("Enter")
    page.wait_for_url("**beams=2*")
    page.get_by_role("button", name="word", exact=True).click()
    page.get_by_text("hypotheses of the beam: 2").wait_for()
    page.reload()
    page.get_by_text("hypotheses of the beam: 2").wait_for()
    expect(page.get_by_label("beams")).to_have_value("2")


def test_a_path_is_refused_with_the_command_that_opens_it(browser, address, at):
    context = browser.new_context()
    page = context.new_page()
    page.goto(address + at(tap=CROSS))
    page.get_by_text("open another model").click()
    page.get_by_label("name on the Hugging Face Hub").fill("/home/me/my model")
    page.get_by_role("button", name="open", exact=True).click()
    page.get_by_text("regard studio '/home/me/my model'").wait_for()
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_unfolds_is_accessible(open_page, at, violations, scheme):
    page = open_page(
        at(view="sentence", drawer="word", tap=CROSS, step=4, temperature=1.5), scheme=scheme
    )
    page.get_by_text("open another model").click()
    page.get_by_text("A saved trace").wait_for()
    page.get_by_role("radio", name=re.compile("^step 1:")).wait_for()
    page.emulate_media(reduced_motion="reduce")  # nothing is measured while it fades in
    assert violations(page) == []


def test_a_saved_trace_is_opened(open_page, at, trace, tmp_path):
    trace.save(tmp_path / "saved.safetensors")
    page = open_page(at(text="A dog.", view="map"))
    page.get_by_text("open another model").click()
    page.locator("input[type=file]").set_input_files(tmp_path / "saved.safetensors")
    page.wait_for_url("**trace=*")
    page.get_by_label("the text").get_by_text("meinen", exact=True).first.wait_for()


def test_the_first_steps_are_shown_once(browser, address):
    context = browser.new_context()
    page = context.new_page()
    page.goto(address + "/?model=en-de&text=A+dog.")
    page.get_by_role("complementary", name="first steps").wait_for()
    expect(page.get_by_role("region", name="translation")).to_be_visible()
    page.reload()
    page.locator(".rg-said strong").first.wait_for()
    assert page.get_by_role("complementary", name="first steps").count() == 0
    context.close()


def test_a_press_strikes_a_word_while_the_text_field_closes(open_page, at):
    """It has two lines while it is written in, and one when the press has taken its focus."""
    page = open_page(at(view="sentence", tap=CROSS, head="mean"))
    field = page.get_by_label("text", exact=True)
    field.fill("I would like to drink a cup of tea with my friends" + " and milk" * 12 + ".")
    page.locator("[data-word^=source]").nth(30).wait_for()  # it is looked into as it is written
    expect(page.locator(".regard [aria-busy=true]")).to_have_count(0)
    assert field.evaluate("each => each.clientHeight") > 40
    page.get_by_label("strike out tea").click()
    page.get_by_role("button", name="bring back tea").wait_for()
    assert field.evaluate("each => each.clientHeight") < 40


def test_nothing_fades_under_a_pointer_that_rests_on_a_struck_word(open_page, at):
    page = open_page(at(view="sentence", tap=CROSS, head="mean"))
    page.get_by_label("strike out tea").click()
    page.get_by_role("button", name="bring back tea").wait_for()
    expect(page.locator(".rg-word--quiet")).to_have_count(0)
    page.locator("[data-word='source 6']").hover()
    expect(page.locator(".rg-word--quiet").first).to_be_visible()


@pytest.mark.parametrize(("scheme", "other"), [("light", "dark"), ("dark", "light")])
def test_the_first_press_of_the_theme_changes_what_is_seen(open_page, at, scheme, other):
    page = open_page(at(tap=CROSS), scheme=scheme)
    button = page.get_by_label(re.compile("^theme: "))
    for theme in (other, scheme, scheme):
        button.click()
        expect(page.locator(f".regard[data-theme={theme}]")).to_have_count(1)
