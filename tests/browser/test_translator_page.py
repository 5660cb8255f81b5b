"""The translator in one file, opened from the disk with the network off."""

import re

import pytest

from regard.studio.translator_page import translator_page

expect = pytest.importorskip("playwright.sync_api", reason="needs playwright").expect

TEXT = "I would like to drink a cup of tea with my friends."


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("page") / "live.html"
    translator_page("en-de", path)
    return path.as_uri()


def test_it_opens_with_a_translation_and_what_each_word_looked_at(open_page, file, trace):
    page = open_page(server=file, path="", offline=True)
    page.locator("[data-word^=output]").filter(has_text="Tasse").wait_for()
    expect(page.get_by_role("tab", name="translation")).to_have_attribute("aria-selected", "true")
    text = page.get_by_label("text", exact=True)
    text.fill("Where is the station?")
    text.press("Enter")
    page.locator("[data-word^=output]").filter(has_text="Bahnhof").wait_for()


def test_its_maps_are_those_of_the_model_within_what_rounding_does(
    open_page, ready, read_focus, file, trace
):
    page = open_page(server=file, path=f"?model=en-de&text={TEXT}&tap=decoder.layers.1.cross"
                     "&head=1&focus=7,10", offline=True)  # fmt: skip
    ready(page)
    expected = float(trace["decoder.layers.1.cross"].weights(1)[7, 10])
    assert abs(read_focus(page, 7, 10) - expected) < 0.05


def test_switching_a_token_off_is_answered_without_a_server(open_page, ready, file):
    page = open_page(server=file, path=f"?model=en-de&text={TEXT}&tap=decoder.layers.1.cross"
                     "&head=1&focus=7,10&drawer=1", offline=True)  # fmt: skip
    ready(page)
    page.get_by_role("region", name="switch off").get_by_role("button").last.click()
    page.locator(".rg-change__delta").wait_for()


def test_a_struck_word_is_left_out_of_the_translation_without_a_server(open_page, file):
    page = open_page(server=file, path=f"?model=en-de&text={TEXT}&view=translation&head=mean",
                     offline=True)  # fmt: skip
    page.locator("[data-word^=output]").filter(has_text="meinen").wait_for()
    page.locator(".rg-translation__reliance").first.wait_for()
    page.locator("[data-word^=source]").filter(has_text="my").hover()
    page.get_by_role("button", name="strike out my").click()
    page.locator(".rg-translation__word--struck").filter(has_text="my").wait_for()
    changes = page.get_by_role("region", name="what changed")
    expect(changes.locator("del").first).to_contain_text("meinen")
    output = page.locator("[data-word^=output]")
    expect(output.filter(has_text="meinen")).to_have_count(0)
    expect(output.filter(has_text="Freunden")).to_have_count(1)


def test_another_word_is_written_and_gone_on_from_without_a_server(open_page, file):
    page = open_page(server=file, path=f"?model=en-de&text={TEXT}&view=generation&step=1",
                     offline=True)  # fmt: skip
    page.get_by_role("button", name=re.compile("^möchte")).click()
    page.get_by_role("region", name="what changed").locator("ins", has_text="möchte").wait_for()
    assert "begins=" in page.url
    page.get_by_role("button", name="let the model choose").click()
    page.locator(".rg-changed").wait_for(state="detached")


def test_an_edge_is_switched_off_and_tokens_are_drawn_without_a_server(open_page, ready, file):
    page = open_page(server=file, path=f"?model=en-de&text={TEXT}&tap=decoder.layers.1.cross"
                     "&head=1&focus=4,8&drawer=1&seed=3&temperature=1.5", offline=True)  # fmt: skip
    ready(page)
    before = page.get_by_role("group", name="tokens of target").inner_text()
    region = page.get_by_role("region", name="switch off")
    region.get_by_role("button", name="this edge").click()
    page.get_by_role("button", name="bring back").wait_for()
    page.locator(".rg-change__delta").wait_for()
    assert "without=decoder.layers.1.cross:1:4:8" in page.url
    page.get_by_role("button", name="bring back").click()
    page.locator(".rg-changed").wait_for(state="detached")
    expect(page.get_by_role("group", name="tokens of target")).to_have_text(
        before, use_inner_text=True
    )


def test_another_model_is_refused_in_a_sentence(open_page, file):
    page = open_page(server=file, path="?model=en-hi&text=A+dog.", offline=True)
    page.get_by_text("regard export page en-hi").wait_for()


def test_a_text_that_the_model_cannot_read_is_refused_and_the_picture_stays(open_page, file):
    page = open_page(server=file, path="", offline=True)
    page.locator("[data-word^=output]").filter(has_text="Tasse").wait_for()
    expect(page.get_by_role("tab", name="why")).to_have_count(0)  # it takes the model in Python
    text = page.get_by_label("text", exact=True)
    for given, why in (
        ("मैं चाय पीना चाहता हूँ।", "en-de cannot read this text"),
        ("Der Hund sieht die Katze im Garten.", "is in another language than"),
    ):
        text.fill(given)
        text.press("Enter")
        page.get_by_role("alert").filter(has_text=why).wait_for()
        expect(page.locator("[data-word^=output]").filter(has_text="Tasse")).to_be_visible()
